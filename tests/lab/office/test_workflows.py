"""The test of LAN 5.2.3 is drawn from a seed."""

from roost.lab.office.workflows import HOSTS, TASKS, draw_workflows


def test_priorities_are_the_same_whatever_the_number_of_nodes_is() -> None:
    few, many = draw_workflows(7, 10, 1), draw_workflows(7, 10, 9)
    assert [one.interactive for one in few] == [one.interactive for one in many]
    assert {one.node for one in few} == {0}
    assert all(one.node < 9 for one in many)


def test_fewer_workflows_are_the_first_of_more() -> None:
    assert draw_workflows(3, 15, 4)[:5] == draw_workflows(3, 5, 4)


def test_a_workflow_has_four_tasks_of_both_priorities() -> None:
    drawn = draw_workflows(1, 200, 3)
    interactive = sum(sum(one.interactive) for one in drawn)
    assert {len(one.interactive) for one in drawn} == {TASKS}
    assert 300 < interactive < 500


def test_the_workstations_stand_in_the_order_that_decides_ties() -> None:
    assert list(HOSTS) == sorted(HOSTS)
