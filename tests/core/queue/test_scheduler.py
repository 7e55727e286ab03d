"""Which ready elements go to which lane, and when."""

import pytest

from roost.core.clock_bounds import ClockBounds
from roost.core.events import CapacityChanged, DeadlineReached
from roost.core.queue.expectations import Expectations
from roost.core.queue.fair_queue import LOOK_MAX, FairQueue
from roost.core.queue.lanes import Lane
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.replica import TaskEntry
from roost.core.queue.scheduler import CHAIN_MAX, LATE_S, LENGTHS_MAX, PATIENCE_S, STEAL_AFTER_S, Scheduler
from roost.core.queue.tokens import Tokens
from roost.core.queue.usage import Usage
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.clock import NEVER
from roost.model.errors import InvariantViolated
from roost.model.ids import RunId, TaskId, name_of, task_id
from roost.model.limits import LEASE_ELEMENTS_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.resources import Capacity
from roost.model.task import Needs, Priority, TaskSpec
from roost.policy.batch import LEASE_TARGET_S
from roost.policy.order import AGEING_S
from tests.core.harness import ASH, GIB, OTHER_RUN, RUN, Bench, function, ranges, task

THIRD_RUN = RunId("3-fifofu")


def scheduler_of(capacity: Capacity) -> Scheduler:
    """Return a scheduler of a node that knows one user."""

    def owner_of(_run: RunId) -> str:
        return "ada"

    turn = Turn(ASH, 1, ClockBounds(ASH, NEVER), Tickets())
    queue = FairQueue(Usage(turn, owner_of, lambda: scheduler), owner_of)
    scheduler = Scheduler(capacity, Expectations(owner_of), queue)
    return scheduler


# The order of the queue.


def test_the_first_to_come_is_the_first_to_start() -> None:
    bench = Bench(task("busy"), cpus=1)
    bench.submit(task("late", at=2, run=OTHER_RUN), task("early", at=1, run=OTHER_RUN))
    bench.done("busy")
    assert bench.starts() == ["early[0]"]


def test_an_interactive_task_overtakes_low_ones() -> None:
    bench = Bench(task("busy"), cpus=1)
    hurried = task("hurried", at=5, priority=Priority.INTERACTIVE, run=OTHER_RUN)
    bench.submit(task("patient", at=1, run=OTHER_RUN), hurried)
    bench.done("busy")
    assert bench.starts() == ["hurried[0]"]


def test_a_low_task_that_is_old_enough_is_not_overtaken() -> None:
    bench = Bench(task("busy"), cpus=1)
    hurried = task("hurried", at=AGEING_S + 2, priority=Priority.INTERACTIVE, run=OTHER_RUN)
    bench.wait(AGEING_S + 2)
    bench.submit(task("patient", at=1, run=OTHER_RUN), hurried)
    bench.done("busy")
    assert bench.starts() == ["patient[0]"]


# Room and patience.


def test_as_many_lanes_are_opened_as_fit() -> None:
    bench = Bench(cpus=3)
    bench.submit(task("a", 10))
    assert bench.starts() == ["a[0]", "a[1]", "a[2]"]


def test_memory_is_room_too() -> None:
    bench = Bench(cpus=8)
    bench.submit(task("a", 10, needs=Needs.of(memory_bytes=3 * GIB)))
    assert bench.starts() == ["a[0]", "a[1]"]


def test_a_task_that_does_not_fit_now_lets_others_by() -> None:
    bench = Bench(task("busy"), cpus=2)
    bench.submit(task("large", cpus=2, at=1, run=OTHER_RUN), task("small", at=2, run=OTHER_RUN))
    assert bench.starts() == ["small[0]"]


def test_a_large_task_is_passed_over_only_for_so_long() -> None:
    bench = Bench(task("long"), cpus=2)
    bench.submit(task("large", cpus=2, at=1, run=OTHER_RUN), task("small", 100, at=2, run=OTHER_RUN))
    assert bench.starts() == ["small[0]"]
    bench.wait(PATIENCE_S)
    bench.done("small", "0", each_s=PATIENCE_S, run=OTHER_RUN)
    assert bench.starts() == ["small[1]"], "still within its patience"
    bench.wait(1)
    bench.done("small", "1", each_s=PATIENCE_S, run=OTHER_RUN)
    assert bench.starts() == [], "nobody behind it starts any more"
    bench.done("long")
    assert bench.starts() == ["large[0]"]


def test_patience_begins_anew_for_a_task_that_had_left_the_queue() -> None:
    bench = Bench(task("long"), cpus=2)
    bench.submit(task("large", cpus=2, at=1, run=OTHER_RUN))
    bench.suspend(OTHER_RUN)
    bench.wait(2 * PATIENCE_S)
    bench.resume(OTHER_RUN)
    bench.submit(task("small", at=2, run=THIRD_RUN))
    assert bench.starts()[-1] == "small[0]"


def test_since_when_a_task_is_left_to_others_is_remembered_until_nothing_of_it_is_ready() -> None:
    bench = Bench(task("busy"), cpus=1)
    bench.submit(task("a", 2, at=1, run=OTHER_RUN))
    scheduler, a = bench.node.queue.scheduler, task_id(OTHER_RUN, "a")
    assert scheduler.left_since(a) is None
    scheduler.leave(a, 5.0)
    scheduler.leave(a, 9.0)
    bench.done("busy")
    assert bench.starts() == ["a[0]"]
    assert scheduler.left_since(a) == 5.0, "one more is ready"
    bench.done("a", "0", run=OTHER_RUN)
    assert bench.starts() == ["a[1]"]
    assert scheduler.left_since(a) is None
    scheduler.leave(a, 12.0)
    assert scheduler.left_since(a) is None, "what does not wait is not left to anybody"


def test_what_this_node_can_never_run_is_in_nobodys_way() -> None:
    bench = Bench(cpus=2)
    bench.submit(*(task(f"huge{at}", cpus=64) for at in range(LOOK_MAX + 1)))
    assert bench.starts() == []
    bench.submit(task("small", at=1, run=OTHER_RUN))
    assert bench.starts() == ["small[0]"]


def test_a_larger_offer_lets_what_was_too_large_start() -> None:
    bench = Bench(cpus=2)
    bench.submit(task("huge", cpus=4))
    bench.feed(CapacityChanged(Capacity.of(4.0, 8 * GIB, "3.11")))
    assert bench.starts() == ["huge[0]"]


def test_what_was_cancelled_while_it_was_too_large_never_starts() -> None:
    bench = Bench(task("huge", cpus=4), task("busy"), cpus=2)
    bench.cancel(huge="0")
    bench.seen()
    bench.feed(CapacityChanged(Capacity.of(8.0, 8 * GIB, "3.11")))
    assert bench.seen() == []


def test_a_smaller_offer_takes_what_is_too_large_out_of_the_queue() -> None:
    bench = Bench(task("busy", cpus=2), cpus=2)
    bench.submit(task("large", cpus=2, run=OTHER_RUN))
    bench.feed(CapacityChanged(Capacity.of(1.0, 8 * GIB, "3.11")))
    bench.done("busy")
    assert bench.starts() == []
    assert bench.node.queue.fair_queue.position("2-dedede/large") is None


def test_what_a_node_learns_of_its_machine_lets_what_requires_it_start_and_leaves_the_rest_where_it_is() -> None:
    bench = Bench(task("busy"), cpus=1)
    picky = task("picky", at=1, needs=Needs(condition='"cc" in programs'), run=OTHER_RUN)
    bench.submit(picky, task("plain", at=2, run=OTHER_RUN))
    position, offers = bench.node.queue.fair_queue.position, bench.node.queue.lanes.capacity
    assert (position(picky.id), position(task_id(OTHER_RUN, "plain"))) == (None, 0)
    bench.feed(CapacityChanged(Capacity(offers.quantities, offers.attributes | {"programs": ("cc",)})))
    assert (position(picky.id), position(task_id(OTHER_RUN, "plain"))) == (0, 1)
    bench.done("busy")
    assert bench.starts() == ["picky[0]"]


def test_a_long_queue_is_not_sorted_anew_when_a_node_learns_something(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler = scheduler_of(Capacity({"cpus": 2.0}))
    needs = {"plain": Needs(), "wide": Needs.of(2.0), "picky": Needs(condition="gpu"), "large": Needs.of(9.0)}
    for name, needed in needs.items():
        scheduler.set_ready(TaskEntry(task(name, needs=needed), {}), ready=True)
    moved: list[str] = []
    set_ready = scheduler.set_ready
    monkeypatch.setattr(
        scheduler,
        "set_ready",
        lambda entry, *, ready: (moved.append(f"{name_of(entry.spec.id)} {ready}"), set_ready(entry, ready=ready)),
    )
    scheduler.set_capacity(Capacity({"cpus": 2.0}, {"disk": 1}))
    assert moved == []
    scheduler.set_capacity(Capacity({"cpus": 1.0}, {"gpu": ("nvidia",)}))
    assert moved == ["wide False", "wide True", "picky False", "picky True"]
    assert [entry.spec.id for entry in scheduler.waiting()] == [task_id(RUN, "picky"), task_id(RUN, "plain")]


# Leases that follow each other in a lane.


def known_length(bench: Bench, each_s: float = 0.001) -> None:
    """Let one element of the function be done, so that its length is known."""
    bench.submit(function("first", run=OTHER_RUN))
    bench.done("first", each_s=each_s, run=OTHER_RUN)
    bench.seen()


def test_an_element_of_unknown_length_has_its_lane_for_itself() -> None:
    bench = Bench(cpus=1)
    bench.submit(function("f", 100))
    assert bench.starts() == ["f[0]"]


def test_a_lane_gets_its_next_lease_before_the_last_is_done() -> None:
    bench = Bench(cpus=1)
    known_length(bench, each_s=LEASE_TARGET_S / 10)
    bench.submit(function("f", 100))
    assert bench.starts() == ["f[0-7]"]
    assert len(bench.node.queue.lanes.open_lanes) == 1
    bench.done("f", "0-3", each_s=LEASE_TARGET_S / 20)
    assert bench.starts() == ["f[8-24]"], "less than half of the target was left"


def test_a_long_lane_is_not_lengthened() -> None:
    bench = Bench(cpus=1)
    known_length(bench, each_s=1.0)
    bench.submit(function("f", 100))
    assert bench.starts() == ["f[0]"]


def test_a_lane_holds_a_limited_number_of_leases() -> None:
    bench = Bench(cpus=1)
    known_length(bench, each_s=1e-9)
    bench.submit(*(function(f"f{at}") for at in range(CHAIN_MAX + 10)))
    assert len(bench.starts()) == CHAIN_MAX


def test_lengths_are_remembered_for_a_limited_number_of_functions() -> None:
    scheduler = scheduler_of(Capacity.of(1.0, GIB, "3.11"))
    for at in range(LENGTHS_MAX + 5):
        scheduler.learn(task(f"t{at}"), 1, 1.0)
    assert len(scheduler._mean_s) == LENGTHS_MAX


# Stealing.


@pytest.fixture
def uneven() -> Bench:
    """One of two lanes runs f[0] and has f[1-4] before it; the other is idle, and nothing is ready."""
    bench = Bench(cpus=2)
    known_length(bench, each_s=0.02)
    bench.submit(function("f", 20))
    while len(leases := list(bench.node.queue.leases.active.values())) > 1:
        bench.done("f", str(leases[1].outstanding), each_s=0.02)
    assert bench.states("f") == {"ready": "1-4", "running": "0", "done": "5-19"}
    bench.seen()
    return bench


def test_an_idle_lane_gets_half_of_what_the_fullest_has_not_begun(uneven: Bench) -> None:
    uneven.wait(STEAL_AFTER_S)
    assert uneven.seen() == ["stop f[3-4] unstarted"]
    uneven.give_back("f", "3-4")
    assert uneven.starts() == ["f[3]", "f[4]"]


def test_a_young_lease_is_left_alone(uneven: Bench) -> None:
    assert uneven.node.next_deadline() == uneven.now + STEAL_AFTER_S
    uneven.now += STEAL_AFTER_S / 2
    uneven.feed(DeadlineReached())
    assert uneven.seen() == []


def test_nothing_is_stolen_while_there_is_no_free_lane(uneven: Bench) -> None:
    uneven.submit(task("busy", run=OTHER_RUN))
    uneven.seen()
    uneven.wait(10 * STEAL_AFTER_S)
    assert uneven.seen() == []


def test_nothing_is_stolen_while_the_disk_refuses(uneven: Bench) -> None:
    uneven.slow_disk = True
    uneven.submit(task("later", run=OTHER_RUN))
    uneven.refuse()
    uneven.seen()
    assert uneven.node.next_deadline() == uneven.node.tickets.retry_at


def test_a_lease_that_gives_nothing_back_is_not_asked_again(uneven: Bench) -> None:
    uneven.wait(STEAL_AFTER_S)
    uneven.seen()
    uneven.wait(10 * STEAL_AFTER_S)
    assert uneven.seen() == []
    assert uneven.node.next_deadline() is None


def test_a_single_element_that_runs_is_never_stolen() -> None:
    bench = Bench(task("a"), cpus=2)
    bench.wait(100)
    assert bench.seen() == []


# Its own books.


def test_the_place_in_the_queue_is_known() -> None:
    bench = Bench(task("busy"), cpus=1)
    bench.submit(*(task(f"t{at}", at=at, run=OTHER_RUN) for at in range(3)))
    assert [bench.node.queue.fair_queue.position(f"2-dedede/t{at}") for at in range(3)] == [0, 1, 2]


def test_the_check_notices_a_queue_that_differs() -> None:
    bench = Bench(task("a", 5), cpus=1)
    bench.node.queue.fair_queue._queues.clear()
    with pytest.raises(InvariantViolated, match="queue"):
        bench.node.check()


# What may be taken, and room for those who look for work elsewhere.


class Floor:
    """A scheduler alone, with the leasing that the node does."""

    def __init__(self, cpus: float, *specs: TaskSpec) -> None:
        self.scheduler = scheduler_of(Capacity.of(cpus, 8 * GIB, "3.11"))
        self.leases = Leases(ASH, 1)
        self.granted: list[str] = []
        self.entries = [TaskEntry.fresh(spec) for spec in specs]
        for entry in self.entries:
            self.scheduler.set_ready(entry, ready=True)

    def grant(self, entry: TaskEntry, elements: RangeSet, lane: Lane) -> Lease:
        lease, delta = self.leases.grant(entry, elements, Tokens(1).for_lease(entry, elements), lane.name, 0.0)
        entry.merge(delta)
        self.granted.append(f"{name_of(entry.spec.id)}[{elements}]")
        self.scheduler.set_ready(entry, ready=bool(entry.pending))
        return lease

    def win(self, **claimed: str) -> list[str]:
        """Let the scheduler decide once about what was won. Return what it leased."""
        return self.assign(won=True, **claimed)

    def assign(self, *, won: bool = False, **claimed: str) -> list[str]:
        """Let the scheduler decide once; nothing may be taken but this. Return what it leased."""
        self.granted = []
        pending = {entry.spec.id: entry.pending for entry in self.entries}
        allowed = {task_id(RUN, name): ranges(text) for name, text in claimed.items()}

        def may_take(name: TaskId) -> RangeSet:
            now = next(entry for entry in self.entries if entry.spec.id == name).pending
            return allowed.get(name, EMPTY) & now & pending[name]

        self.scheduler.assign(0.0, may_take, self.grant, list(allowed) if won else None)
        return self.granted


def test_only_what_may_be_taken_is_leased_whatever_else_is_ready() -> None:
    floor = Floor(4, task("a", 10), task("b", 10, at=1))
    assert floor.assign() == []
    assert floor.assign(a="3", b="7-8") == ["a[3]", "b[7]", "b[8]"]
    assert floor.assign(a="3", b="7-8") == [], "one lane is left, and nothing more may be taken"


def test_a_task_of_which_nothing_may_be_taken_is_in_nobodys_way() -> None:
    floor = Floor(1, task("a", 10), task("b", at=1))
    assert floor.assign(b="0") == ["b[0]"]


def test_a_lane_is_lengthened_only_with_what_may_be_taken() -> None:
    floor = Floor(1, task("a", 100), task("b", 100, at=1))
    floor.scheduler.learn(floor.entries[1].spec, 10, 0.01)
    assert floor.assign(b="5") == ["b[5]"]
    assert floor.assign(a="", b="20-21") == ["b[20]", "b[21]"]


def test_what_was_won_is_leased_whole_and_at_once_shared_out_among_the_free_lanes() -> None:
    floor = Floor(3, task("a", 100))
    assert floor.win(a="10-19") == ["a[10-13]", "a[14-16]", "a[17-19]"]


def test_what_was_won_goes_behind_what_the_hungry_lanes_have() -> None:
    floor = Floor(2, task("a", 100), task("b", 10, at=1))
    floor.scheduler.learn(floor.entries[0].spec, 1, 0.001)
    floor.win(a="0-9")
    assert floor.win(a="20-29") == ["a[20-24]", "a[25-29]"]
    chains = [list(lane.leases.values()) for lane in floor.scheduler.lanes.open_lanes.values()]
    assert [[str(lease.outstanding) for lease in chain] for chain in chains] == [["0-4", "20-24"], ["5-9", "25-29"]]


def test_what_was_won_goes_to_the_lanes_that_will_be_free_first() -> None:
    floor = Floor(2, task("a", 1000))
    floor.scheduler.learn(floor.entries[0].spec, 1, LEASE_TARGET_S / 200)
    floor.win(a="0")
    floor.win(a="100-299")
    assert floor.win(a="1-6") == ["a[1-6]"]
    assert [len(lane.leases) for lane in floor.scheduler.lanes.open_lanes.values()] == [2, 1]


def test_what_was_won_is_not_leased_if_all_lanes_turn_out_to_be_late() -> None:
    """It was bid for when one was about to end. Another node may have it as soon as the bid is forgotten."""
    floor = Floor(2, task("a", 100))
    floor.scheduler.learn(floor.entries[0].spec, 1, LATE_S + 0.1)
    floor.win(a="0-1")
    assert floor.win(a="50-51") == []


def test_no_lease_of_what_was_won_is_larger_than_its_limit() -> None:
    floor = Floor(1, task("a", 2 * LEASE_ELEMENTS_MAX))
    assert floor.win(a=f"0-{2 * LEASE_ELEMENTS_MAX - 1}") == [f"a[0-{LEASE_ELEMENTS_MAX - 1}]"]


def test_what_is_known_of_a_function_counts_for_its_next_task() -> None:
    floor = Floor(1, function("a", 10), function("b", 1000, at=1))
    first, second = (entry.spec for entry in floor.entries)
    floor.win(a="0-9")
    floor.scheduler.learn(first, 10, 0.01)
    assert (floor.scheduler.mean_s(second), floor.scheduler.experience(second)) == (0.001, 10)


def test_before_anything_was_seen_the_stated_length_counts() -> None:
    floor = Floor(1, task("a", 1000, stated_s=0.01))
    spec = floor.entries[0].spec
    assert (floor.scheduler.length_s(spec), floor.scheduler.mean_s(spec)) == (0.01, None)
    floor.scheduler.learn(spec, 1, 5.0)
    assert floor.scheduler.length_s(spec) == 5.0


def test_a_first_lease_holds_several_elements_if_they_are_expected_to_be_short() -> None:
    bench = Bench(cpus=1)
    bench.submit(task("short", 100, stated_s=0.01))
    assert bench.starts() == ["short[0-7]"]
    bench = Bench(cpus=1)
    bench.submit(task("long", 100, stated_s=60.0))
    assert bench.starts() == ["long[0]"]


def test_free_lanes_are_counted_by_cpus_and_by_memory() -> None:
    scheduler = Floor(3).scheduler
    assert scheduler.free_lanes(task("a")) == 3
    assert scheduler.free_lanes(task("a", cpus=2)) == 1
    assert scheduler.free_lanes(task("a", cpus=4)) == 0
    assert scheduler.free_lanes(task("a", cpus=0.5)) == 6
    assert scheduler.free_lanes(task("a", needs=Needs.of(memory_bytes=5 * GIB))) == 1
    floor = Floor(3, task("a", 10))
    floor.assign(a="0-1")
    assert floor.scheduler.free_lanes(task("b")) == 1


def test_tenths_of_cpus_add_up_to_whole_lanes() -> None:
    floor = Floor(1, task("a", 10, cpus=0.1))
    floor.assign(a="0-2")
    assert floor.scheduler.free_lanes(task("a", cpus=0.1)) == 7


def test_a_lane_that_will_soon_be_free_is_hungry_too() -> None:
    floor = Floor(2, task("a", 100))
    spec = floor.entries[0].spec
    assert floor.scheduler.hungry_lanes(spec) == 2
    floor.assign(a="0-1")
    assert floor.scheduler.hungry_lanes(spec) == 0, "nobody knows how long these take"
    floor.scheduler.learn(spec, 1, 60.0)
    assert floor.scheduler.hungry_lanes(spec) == 0
    floor.scheduler.forget(spec.id)
    floor.scheduler.learn(spec, 1, 0.001)
    assert floor.scheduler.hungry_lanes(spec) == 2
    assert floor.scheduler.mean_s(spec) == 0.001
    floor.scheduler.learn(spec, 1, 1.5 * LEASE_TARGET_S)
    assert floor.scheduler.hungry_lanes(spec) == 0
    assert floor.scheduler.hungry_lanes(spec, soon_s=LEASE_TARGET_S) == 2


def test_tasks_with_ready_elements_are_named_in_their_order() -> None:
    hurried = task("hurried", at=2, priority=Priority.INTERACTIVE)
    floor = Floor(1, task("b", at=1), task("a"), hurried, task("huge", cpus=9))
    assert [name_of(entry.spec.id) for entry in floor.scheduler.waiting()] == ["hurried", "a", "b"]


def test_what_was_overlooked_is_what_would_start_now() -> None:
    floor = Floor(1, task("a"), task("b", at=1, cpus=0.5))
    assert floor.scheduler.overlooked(0.0, lambda name: EMPTY) is None
    assert floor.scheduler.overlooked(0.0, lambda name: ranges("0")) == floor.entries[0].spec.id
    floor.assign(a="0")
    assert floor.scheduler.overlooked(0.0, lambda name: ranges("0")) is None, "there is no room"


# Several users.


def test_lanes_that_are_free_at_once_are_shared_out_among_users() -> None:
    bench = Bench(cpus=4)
    bench.submit(task("busy", cpus=4), owner="eve")
    bench.seen()
    bench.submit(task("sweep", 9, at=1, run=OTHER_RUN))
    bench.submit(task("small", 9, at=2, run=THIRD_RUN), owner="bob")
    bench.done("busy")
    assert bench.starts() == ["sweep[0]", "small[0]", "sweep[1]", "small[1]"]


def test_what_does_not_fit_lets_another_users_work_by_and_not_for_ever() -> None:
    bench = Bench(cpus=2)
    bench.submit(task("long"), owner="eve")
    bench.seen()
    bench.submit(task("large", cpus=2, at=1, run=OTHER_RUN))
    bench.submit(task("small", 100, at=2, run=THIRD_RUN), owner="bob")
    assert bench.starts() == ["small[0]"]
    bench.wait(PATIENCE_S + 1)
    bench.done("small", "0", each_s=PATIENCE_S, run=THIRD_RUN)
    assert bench.starts() == [], "it is ann's turn, who has waited for long enough"


def test_a_lane_of_short_work_ends_for_another_user_whose_turn_it_is() -> None:
    bench = Bench(function("short", 400), cpus=1)
    for index in range(3):
        bench.done("short", str(index), each_s=0.01)
    lane = next(iter(bench.node.queue.lanes.open_lanes.values()))
    scheduler, spec = bench.node.queue.scheduler, bench.node.queue.replica.tasks[task_id(RUN, "short")].spec
    assert scheduler._is_short(lane, spec, 60.0)
    bench.submit(task("small", at=2, run=OTHER_RUN), owner="bob")
    assert not scheduler._is_short(lane, spec, 60.0)
    bench.submit(task("large", cpus=2, at=1, run=THIRD_RUN), owner="eve")
    assert not scheduler._is_short(lane, spec, 60.0)
