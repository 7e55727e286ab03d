"""What a node that starts is told of the data on its disk."""

from roost.core.holdings import Holdings
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from tests.tokens import attempt

TASK = TaskId("1-bababa/a")


def test_a_disk_holds_nothing_of_a_task_unless_it_says_so() -> None:
    held = Holdings(TASK)
    assert (held.items, held.results) == (EMPTY, ())


def test_holdings_are_values() -> None:
    made = ((attempt(3), NodeId("ash"), RangeSet.of([1])),)
    assert Holdings(TASK, results=made) == Holdings(TASK, EMPTY, made)
    assert Holdings(TASK, results=made) != Holdings(TASK)
