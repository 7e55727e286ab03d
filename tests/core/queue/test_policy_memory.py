"""What a node remembers for its policy."""

from roost.core.queue.policy_memory import LOSSES_MAX, TASKS_MAX, PolicyMemory
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet

A, B = TaskId("5-kedova/a"), TaskId("5-kedova/b")


def test_how_often_a_task_was_passed_over_is_counted_until_it_leaves() -> None:
    memory = PolicyMemory()
    assert memory.overtaken(A) == 0
    for _ in range(3):
        memory.overtook(A)
    memory.overtook(B)
    assert (memory.overtaken(A), memory.overtaken(B)) == (3, 1)
    memory.forget(A)
    assert (memory.overtaken(A), memory.overtaken(B)) == (0, 1)


def test_of_each_element_it_is_known_how_often_it_has_lost_its_holder() -> None:
    memory = PolicyMemory()
    memory.lost(A, RangeSet.span(0, 4))
    memory.lost(A, RangeSet.span(2, 6))
    memory.lost(A, RangeSet.span(3, 4))
    assert [memory.losses(A, index) for index in range(7)] == [1, 1, 2, 3, 1, 1, 0]
    assert memory.losses(B, 0) == 0
    memory.forget(A)
    assert memory.losses(A, 3) == 0


def test_what_is_remembered_is_bounded() -> None:
    memory = PolicyMemory()
    for number in range(TASKS_MAX + 1):
        memory.overtook(TaskId(f"5-kedova/t{number}"))
        memory.lost(TaskId(f"5-kedova/t{number}"), RangeSet.span(0, 1))
    assert (memory.overtaken(TaskId("5-kedova/t0")), memory.overtaken(TaskId("5-kedova/t1"))) == (0, 1)
    assert (memory.losses(TaskId("5-kedova/t0"), 0), memory.losses(TaskId("5-kedova/t1"), 0)) == (0, 1)
    for _ in range(LOSSES_MAX + 5):
        memory.lost(A, RangeSet.span(0, 1))
    assert memory.losses(A, 0) == LOSSES_MAX
