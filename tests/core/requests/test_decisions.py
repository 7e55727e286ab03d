"""What people decide about elements: written with its story, and told when it is on disk."""

import pytest

from roost.core.facts import StatesMerged
from roost.core.requests.decisions import revived
from roost.model.elements import Elements
from roost.model.errors import NotFound
from roost.model.ids import task_id
from roost.model.states import Cancelled
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, ranges, run_spec, task
from tests.tokens import attempt

A, B = task_id(RUN, "a"), task_id(RUN, "b")


def test_what_is_named_twice_is_asked_for_once_and_what_is_not_there_is_refused() -> None:
    decisions = Bench(task("a", 3)).node._cancelling._decisions
    assert decisions.asked([(A, ranges("0")), (A, ranges("0,2"))]) == {A: ranges("0,2")}
    with pytest.raises(NotFound, match=f"there is no task '{B}'"):
        decisions.asked([(B, ranges("0"))])


def test_a_run_is_named_once_in_the_record_of_one_that_it_builds_on() -> None:
    bench = Bench(task("a"))
    decisions = bench.node._cancelling._decisions
    (record,) = decisions.needed_by(OTHER_RUN, [RUN])
    assert (record.spec, record.needed_by) == (run_spec(RUN), (OTHER_RUN,))
    decisions.touch((record,))
    assert decisions.needed_by(OTHER_RUN, [RUN]) == ()


def test_it_tells_how_many_elements_moved() -> None:
    decisions = Bench(task("a", 3), cpus=0).node._cancelling._decisions
    delta = ((A, Elements({Cancelled(attempt(1)): ranges("0-1")})),)
    assert (decisions.merge(delta), decisions.merge(delta)) == (2, 0)


def test_what_only_waited_behind_others_leaves_the_archive_with_them() -> None:
    delta = (A, Elements({Cancelled(attempt(1)): ranges("0")}))
    assert revived({A: ranges("0"), B: ranges("0")}, [delta]) == [StatesMerged(B, Elements())]
    assert task("b", 1, edge("a")).edges[0].source == A
