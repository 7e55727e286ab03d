"""What a policy sees of what other nodes run."""

from collections.abc import Sequence

from roost.core.events import VitalsChanged
from roost.core.medium.elsewhere import LOOKED_AT, _by_attempts
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.model.ids import task_id
from roost.model.task import Agreement, Priority
from roost.model.vitals import NodeState, Vitals
from roost.policy.choose import Choice, Underway, View
from roost.policy.fcfs import first_come_first_served
from roost.sim.repeaters import repeater
from tests.core.company import Company
from tests.core.harness import OTHER_RUN, RUN, ranges, task

NAMES = ("ash", "elm", "oak")


class Spy:
    """First come, first served, and what it sees."""

    def __init__(self) -> None:
        self.last: list[Underway] = []
        self.lacking: list[Underway] = []

    def __call__(self, view: View) -> Sequence[Choice]:
        self.last, self.lacking = list(view.elsewhere), list(view.lacking)
        return first_come_first_served(view)


def seen_by_oak(company: Company, spy: Spy) -> list[tuple[str, str, str, int, bool]]:
    """Return what oak sees, now that something stirs it."""
    company["oak"].submit(task("b", run=OTHER_RUN, cpus=99.0))
    return [(one.task, str(one.ranges), one.holder, one.attempts, one.may_repeat) for one in spy.last]


def test_a_policy_sees_who_runs_what_for_how_long_and_how_often() -> None:
    spy = Spy()
    company = Company(*NAMES, policies={"elm": repeater(), "oak": spy})
    company["ash"].submit(task("a", priority=Priority.INTERACTIVE))
    company.wait(2 * HEARTBEAT_S)
    assert seen_by_oak(company, spy) == [(task_id(RUN, "a"), "0", "ash", 2, True)]
    [one] = spy.last
    assert one.running_s is not None
    assert HEARTBEAT_S < one.running_s <= 2 * HEARTBEAT_S
    assert (one.free_lanes, one.length_s) == (1, None)


def test_what_waits_behind_another_in_a_lane_has_not_begun() -> None:
    spy = Spy()
    company = Company(*NAMES, policies={"oak": spy}, no_room=["elm", "oak"])
    company["ash"].submit(task("a", 100))
    company.wait(0.5)
    company["ash"].done("a", "0", each_s=0.01)
    company.wait(2 * HEARTBEAT_S)
    assert len(seen_by_oak(company, spy)) > 1
    begun = {one.ranges.first: one.running_s is not None for one in spy.last}
    assert [index for index, runs in sorted(begun.items()) if runs] == [1]


def test_a_policy_sees_what_must_not_be_repeated() -> None:
    spy = Spy()
    company = Company(*NAMES, policies={"oak": spy})
    company["ash"].submit(task("a", priority=Priority.INTERACTIVE, repeatable=False))
    company.wait(1)
    assert seen_by_oak(company, spy) == [(task_id(RUN, "a"), "0", "ash", 1, False)]


def test_elements_are_told_by_how_many_attempts_each_has() -> None:
    further = [ranges("1"), ranges("1"), ranges("2-3")]
    assert _by_attempts(ranges("0-3"), further) == [(1, ranges("0")), (2, ranges("2-3")), (3, ranges("1"))]
    assert _by_attempts(ranges("5"), further) == [(1, ranges("5"))]


def test_a_policy_sees_how_many_more_nodes_have_to_find_a_result() -> None:
    spy = Spy()
    company = Company(*NAMES, policies={"oak": spy}, no_room=["oak"])
    company["ash"].submit(task("a", priority=Priority.INTERACTIVE, agreement=Agreement(3, 3)))

    def lacking() -> list[tuple[str, int, bool]]:
        seen_by_oak(company, spy)
        return [(one.holder, one.wanted, one.is_first) for one in spy.lacking]

    company.wait(0.2)
    assert lacking() == [("ash", 1, True)], "elm has begun, too"
    company["ash"].done("a")
    company["elm"].fail("a")
    company.wait(2 * HEARTBEAT_S)
    assert lacking() == [("ash", 1, True)]


def test_of_a_large_array_no_more_is_looked_at_than_can_be_chosen_soon() -> None:
    spy = Spy()
    company = Company("ash", "elm", policies={"elm": spy}, no_room=["elm"])
    company["ash"].submit(task("a", 10_000, agreement=Agreement(2, 2)))
    company.wait(1)
    company["ash"].done("a", "0", each_s=0.00001)
    company.wait(1)
    company["elm"].submit(task("b", run=OTHER_RUN, cpus=99.0))
    assert len(company["ash"].node.queue.replica.tasks[task_id(RUN, "a")].leased) > LOOKED_AT
    assert 0 < sum(len(one.ranges) for one in spy.lacking) <= LOOKED_AT


def test_a_policy_sees_how_stable_a_holder_is_and_how_many_lanes_there_are_for_what_it_holds() -> None:
    spy = Spy()
    company = Company(*NAMES, cpus=4.0, policies={"oak": spy})
    company["ash"].submit(task("a", priority=Priority.INTERACTIVE, cpus=2.0))
    company.wait(1)
    seen_by_oak(company, spy)
    assert [(one.holder_state, one.lanes) for one in spy.last] == [(NodeState.VERY_STABLE, 2)]
    company["ash"].feed(VitalsChanged(Vitals(remaining=0.1)))
    company.wait(2 * HEARTBEAT_S)
    assert [one.holder_state for one in spy.last] == [NodeState.TOO_UNSTABLE]
