"""What a task is: defaults that people rely on, and values that never change."""

import msgspec
import pytest

from roost.model.clock import Stamp
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import (
    USUAL_NEEDS,
    Command,
    Edge,
    EdgeKind,
    Failure,
    Manual,
    Needs,
    Priority,
    Protocol,
    Reuse,
    TaskSpec,
    Value,
    reuse_of,
)
from roost.wire.codec import encode
from tests.core.harness import task


def test_a_task_asks_for_one_processor_and_no_second_try_unless_told() -> None:
    spec = TaskSpec(TaskId("1-a/b"), RunId("1-a"), Command(("true",)), RangeSet.of([0]), Stamp(1, 0, NodeId("ash")))
    assert (spec.needs, spec.priority, spec.retries, spec.edges) == (Needs.of(1.0, 0, None), Priority.LOW, 0, ())
    assert spec.work == Command(("true",), cwd=None, env={}, stdin=None, protocol=Protocol.PLAIN, outputs={})


def test_commands_do_not_share_their_variables() -> None:
    assert Command(("a",)).env is not Command(("b",)).env


@pytest.mark.parametrize("value", [Edge(TaskId("1-a/b"), EdgeKind.ALL), Needs(), Failure("exit code 3")])
def test_values_cannot_be_changed(value: msgspec.Struct) -> None:
    with pytest.raises(AttributeError):
        setattr(value, value.__struct_fields__[0], None)


def test_needs_that_are_the_same_are_equal_however_they_are_written() -> None:
    assert Needs.of(1.0) == Needs.of(1, 0) == USUAL_NEEDS == Needs((("cpus", 1.0),))
    assert len({Needs.of(1.0), Needs.of(1), USUAL_NEEDS}) == 1
    assert (Needs.of(0.5, 7).cpus, Needs.of(0.5, 7).memory_bytes, Needs(()).cpus) == (0.5, 7, 0)


def test_needs_without_a_quantity_keep_the_rest() -> None:
    needs = Needs.of(2.0, 7, 5.0)
    assert needs.without("cpus") == Needs((("memory_bytes", 7),), 5.0)
    assert needs.without("gpus") == needs


def test_usual_needs_cost_nothing_on_the_wire_or_on_disk() -> None:
    assert encode(USUAL_NEEDS) == encode({})


def test_a_failure_may_be_tried_again_unless_it_says_otherwise() -> None:
    assert not Failure("exit code 3").permanent


def test_nothing_is_taken_over_unless_a_task_or_its_run_asks_for_it() -> None:
    assert [reuse_of(own, kept=True) for own in (None, False)] == [Reuse.KEPT, Reuse.NEVER]
    looking = [reuse for reuse in Reuse if reuse.looks]
    assert looking == [reuse_of(None, kept=True, resumed=True), reuse_of(True, kept=False)]
    assert [reuse for reuse in Reuse if not reuse.keeps] == [reuse_of(None, kept=False), Reuse.NEVER]


def test_only_what_nodes_run_and_may_run_twice_gets_further_attempts() -> None:
    assert task("a").may_repeat
    unlike = ({"repeatable": False}, {"work": Manual("sign")}, {"work": Value("7")}, {"reuse": Reuse.NEVER})
    assert not any(task("a", **changes).may_repeat for changes in unlike)
