"""What elements hand in: its place in the queue, and how deep it may be."""

import msgspec
import pytest

from roost.app.intake.nesting import nested
from roost.core.events import Submitted
from roost.model.errors import InvalidInput
from roost.model.ids import CauseId
from roost.model.limits import NESTING_MAX
from roost.model.task import Priority, TaskSpec
from roost.policy.order import order_key
from tests.client.small_node import SmallService
from tests.core.harness import OTHER_RUN, run_spec, task


def handed_in(outer: TaskSpec, inner: TaskSpec) -> TaskSpec:
    service = SmallService()
    service.specs[outer.id], service.ranges[outer.id] = outer, {}
    event = nested(Submitted(CauseId("c"), run_spec(OTHER_RUN), (inner,)), outer.id, service)
    return event.tasks[0]


def test_it_goes_before_the_task_of_the_element_that_waits_for_it() -> None:
    outer = task("outer", 10)
    inner = handed_in(outer, task("inner", run=OTHER_RUN, at=5.0))
    assert inner.nesting == 1
    deepest = handed_in(inner, task("deepest", run=OTHER_RUN, at=9.0))
    assert sorted((outer, inner, deepest), key=order_key) == [deepest, inner, outer]


def test_it_is_as_urgent_as_what_waits_for_it_or_more() -> None:
    urgent, plain = task("urgent", priority=Priority.INTERACTIVE), task("plain", at=-100.0)
    inner = handed_in(urgent, task("inner", run=OTHER_RUN))
    assert order_key(inner) < order_key(urgent) < order_key(plain)
    hurried = handed_in(plain, task("hurried", run=OTHER_RUN, at=-1.0, priority=Priority.INTERACTIVE))
    assert order_key(hurried) < order_key(urgent) < order_key(plain)


def test_what_no_element_or_a_stranger_handed_in_is_not_nested() -> None:
    event = Submitted(CauseId("c"), run_spec(OTHER_RUN), (task("a", run=OTHER_RUN),))
    assert nested(event, "", SmallService()) is event
    assert nested(event, "9-nobody/x", SmallService()) is event


def test_what_calls_itself_without_end_is_refused() -> None:
    outer = msgspec.structs.replace(task("outer"), nesting=NESTING_MAX)
    with pytest.raises(InvalidInput, match="does something call itself without end"):
        handed_in(outer, task("inner", run=OTHER_RUN))
