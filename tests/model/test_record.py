"""Records merge as joins; two different specs under one id are our own bug."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import InvariantViolated
from roost.model.record import UNTOUCHED, RunRecord, Switch
from roost.model.task import RunSpec
from tests.strategies import run_specs, switches


@given(run_specs, switches, switches, switches)
def test_run_records_merge_as_a_join(spec: RunSpec, first: Switch, second: Switch, third: Switch) -> None:
    one, two, three = (
        RunRecord(spec, one, other, finished=one.changed, touched=(other.changed,), returned=(one.changed,))
        for one, other in ((first, second), (second, third), (third, first))
    )
    assert one.merge(two) == two.merge(one)
    assert one.merge(two).merge(three) == one.merge(two.merge(three))
    assert one.merge(one) == one
    assert one.merge(RunRecord(spec)) == one


@given(switches, switches)
def test_the_later_word_stays(left: Switch, right: Switch) -> None:
    merged = left.merge(right)
    assert merged in (left, right)
    assert merged.changed == max(left.changed, right.changed)
    assert left.merge(UNTOUCHED) == left


@given(run_specs, switches, switches)
def test_the_two_switches_of_a_run_are_independent(spec: RunSpec, suspended: Switch, sealed: Switch) -> None:
    merged = RunRecord(spec, suspended=suspended).merge(RunRecord(spec, sealed=sealed))
    assert (merged.suspended, merged.sealed) == (suspended, sealed)


@given(run_specs)
def test_different_specs_under_one_id_do_not_merge(run: RunSpec) -> None:
    other_run = msgspec.structs.replace(run, name=run.name + "x")
    with pytest.raises(InvariantViolated, match=run.id):
        RunRecord(run).merge(RunRecord(other_run))


@given(run_specs, st.integers(0, 9), st.integers(0, 9))
def test_the_larger_number_of_tasks_stays(spec: RunSpec, one: int, other: int) -> None:
    merged = RunRecord(spec, task_count=one).merge(RunRecord(spec, task_count=other))
    assert merged.task_count == max(one, other)
