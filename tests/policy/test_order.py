"""Which task goes first."""

from roost.model.task import Priority
from roost.policy.order import AGEING_S, order_key
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
