"""Which task goes first."""

import msgspec

from roost.model.task import Priority
from roost.policy.order import AGEING_S, order_key, turn_within
from tests.core.harness import task


def order(*tasks: object) -> list[str]:
    return [spec.id.partition("/")[2] for spec in sorted(tasks, key=order_key)]


def test_inside_a_class_the_first_to_come_is_the_first_to_go() -> None:
    assert order(task("late", at=2), task("early", at=1), task("middle", at=1.5)) == ["early", "middle", "late"]


def test_an_interactive_task_goes_before_low_ones_that_came_earlier() -> None:
    hurried = task("hurried", at=AGEING_S - 1, priority=Priority.INTERACTIVE)
    assert order(task("patient", at=0), hurried) == ["hurried", "patient"]


def test_a_low_task_that_has_waited_long_enough_is_overtaken_no_more() -> None:
    hurried = task("hurried", at=AGEING_S + 1, priority=Priority.INTERACTIVE)
    assert order(hurried, task("patient", at=0)) == ["patient", "hurried"]


def test_two_tasks_of_the_same_moment_have_the_same_order_everywhere() -> None:
    assert order(task("b"), task("a")) == order(task("a"), task("b")) == ["a", "b"]


def test_what_an_element_hands_in_goes_before_the_rest_of_its_task_and_all_that_came_after_that() -> None:
    outer, next_ = task("outer", at=0), task("next", at=1)
    inner = task("inner", at=5)
    inner = msgspec.structs.replace(inner, turn_ms=turn_within(inner.submitted, inner.priority, outer))
    deepest = task("deepest", at=6)
    deepest = msgspec.structs.replace(deepest, turn_ms=turn_within(deepest.submitted, deepest.priority, inner))
    assert order(next_, outer, inner, deepest) == ["deepest", "inner", "outer", "next"]


def test_what_an_element_hands_in_goes_before_its_task_also_when_a_clock_was_wrong() -> None:
    outer, inner = task("outer", at=10**6), task("inner", at=10**6 + 5)
    turn_ms = turn_within(inner.submitted, inner.priority, outer)
    inner = msgspec.structs.replace(inner, nesting=1, turn_ms=turn_ms)
    assert order_key(inner, latest_s=2_000.0) < order_key(outer, latest_s=2_000.0)
