"""The queue of several users, in turns, and of one, in order."""

import pytest

from roost.core.clock_bounds import ClockBounds
from roost.core.queue.fair_queue import LOOK_MAX, FairQueue
from roost.core.queue.replica import TaskEntry
from roost.core.queue.usage import Usage
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.clock import NEVER
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import RunId, name_of
from roost.model.states import Done, Leased
from roost.model.task import Priority, TaskSpec
from roost.policy.order import AGEING_S
from tests.core.harness import ASH, RUN, ranges, task
from tests.tokens import attempt

OWNERS = {"1": "ann", "2": "bob", "3": "eve"}
ANN, BOB, EVE = RunId("1-bababa"), RunId("2-dedede"), RunId("3-fifofu")


def in_hand(elements: str) -> Elements:
    return Elements({Leased(0, attempt(1), ASH, 0): ranges(elements)})


class _OneSecond:
    def mean_s(self, spec: TaskSpec) -> float | None:
        return 1.0

    def length_s(self, spec: TaskSpec) -> float | None:
        return 1.0


class Line:
    """A queue of three users whose elements all take a second."""

    def __init__(self) -> None:
        self.turn = Turn(ASH, 1, ClockBounds(ASH, NEVER), Tickets())
        self.usage = Usage(self.turn, self._owner_of, _OneSecond)
        self.queue = FairQueue(self.usage, self._owner_of)

    def _owner_of(self, run: RunId) -> str:
        return OWNERS[run[0]]

    def add(self, *specs: TaskSpec) -> None:
        for spec in specs:
            self.queue.add(TaskEntry.fresh(spec))
            self.queue.check()

    def uses(self, run: RunId, seconds: int) -> None:
        """So many elements of a user's, of a second each, have ended."""
        ended = Done(attempt(1), ASH), ranges(f"0-{seconds - 1}")
        self.usage.follow(TaskEntry.fresh(task("used", seconds, run=run)), [ended])

    @property
    def order(self) -> list[str]:
        return [name_of(entry.spec.id) for entry in self.queue.first()]


def test_of_one_user_the_order_is_that_of_the_queue() -> None:
    line = Line()
    hurried = task("hurried", at=9, priority=Priority.INTERACTIVE)
    line.add(task("late", at=2), task("early", at=1), hurried, task("old", at=-AGEING_S))
    line.uses(RUN, 100)
    assert line.order == ["old", "hurried", "early", "late"]
    assert line.queue.shares() == {"ann": 100.0}


def test_users_take_turns_and_each_has_his_own_order() -> None:
    line = Line()
    line.add(*(task(f"a{at}", at=at, run=ANN) for at in range(3)))
    line.add(task("b0", at=8, run=BOB), task("b1", at=9, priority=Priority.INTERACTIVE, run=BOB))
    assert line.order == ["b1", "a0", "a1", "b0", "a2"], "what is interactive wins a tie, and costs a turn"


def test_who_has_had_less_is_first_and_priority_is_nothing_to_others() -> None:
    line = Line()
    line.add(*(task(f"a{at}", at=at, priority=Priority.INTERACTIVE, run=ANN) for at in range(3)))
    line.add(task("b0", at=8, run=BOB))
    line.uses(ANN, 10)
    assert line.order == ["b0", "a0", "a1", "a2"]
    assert list(line.queue.shares()) == ["bob", "ann"]


def test_who_comes_new_begins_where_the_others_are() -> None:
    line = Line()
    line.add(task("a0", run=ANN))
    line.uses(ANN, 100)
    line.add(task("b0", at=1, run=BOB), task("b1", at=2, run=BOB), task("b2", at=3, run=BOB))
    assert line.queue.shares() == {"ann": 100.0, "bob": 100.0}
    assert line.order == ["a0", "b0", "b1", "b2"], "not all of bob's first"


def test_what_somebody_has_in_hand_counts() -> None:
    line = Line()
    line.add(task("a0", run=ANN), task("b0", at=1, run=BOB))
    held = TaskEntry.fresh(task("held", 5, run=ANN))
    held.merge(in_hand("0-3"))
    line.usage.follow(held)
    assert line.queue.shares() == {"bob": 0.0, "ann": 4.0}
    assert line.order == ["b0", "a0"]


def test_what_leaves_the_queue_is_not_in_it_and_its_user_neither() -> None:
    line = Line()
    first, second = task("a0", run=ANN), task("b0", at=1, run=BOB)
    line.add(first, second)
    line.queue.remove(first.id)
    line.queue.check()
    assert (line.queue.users, line.order, len(line.queue), first.id in line.queue) == (1, ["b0"], 1, False)
    line.queue.remove(second.id)
    assert (line.queue.users, line.order) == (0, [])


def test_only_the_first_are_looked_at_and_the_whole_is_counted() -> None:
    line = Line()
    for at in range(LOOK_MAX):
        line.queue.add(TaskEntry.fresh(task(f"a{at}", at=at, run=ANN)))
        line.queue.add(TaskEntry.fresh(task(f"b{at}", at=at, run=BOB)))
    head = line.queue.first()
    assert (len(head), len(list(head)), len(line.queue)) == (LOOK_MAX, LOOK_MAX, 2 * LOOK_MAX)
    assert list(head) == list(head), "looked at twice it is the same"
    assert next(iter(head)) in head


def test_a_place_is_counted_among_the_tasks_of_the_same_user() -> None:
    line = Line()
    line.add(task("a0", run=ANN), task("a1", at=1, run=ANN), task("b0", at=0.5, run=BOB))
    places = [line.queue.position(f"{run}/{name}") for run, name in ((ANN, "a1"), (BOB, "b0"), (BOB, "b1"))]
    assert places == [1, 0, None]


def test_some_are_put_into_the_order_of_all() -> None:
    line = Line()
    line.add(*(task(f"a{at}", at=at, run=ANN) for at in range(3)), task("b0", at=9, run=BOB), task("e0", run=EVE))
    line.uses(ANN, 1)
    some = [entry for entry in line.queue if name_of(entry.spec.id) in ("a0", "a2", "b0")]
    assert [name_of(entry.spec.id) for entry in line.queue.in_order(some)] == ["b0", "a0", "a2"]


def test_what_is_not_in_the_queue_goes_before_all_if_it_is_its_users_turn_and_first_of_his() -> None:
    line = Line()
    early, late = task("early", at=-1, run=BOB), task("late", at=5, run=BOB)
    assert line.queue.is_before_all(late), "nothing waits"
    line.add(task("a0", run=ANN), task("b0", at=1, run=BOB))
    line.uses(ANN, 1)
    assert (line.queue.is_before_all(early), line.queue.is_before_all(late)) == (True, False)
    assert (line.queue.is_turn_of(early), line.queue.is_turn_of(late)) == (True, True)
    line.uses(BOB, 2)
    assert (line.queue.is_before_all(early), line.queue.is_turn_of(early)) == (False, False)
    assert not line.queue.is_turn_of(task("e0", at=9, run=EVE)), "who comes new begins where ann is, who came first"


def test_of_what_runs_only_that_comes_after_whose_user_has_had_more() -> None:
    line = Line()
    waiting, own, others = task("w", at=3, run=ANN), task("own", at=5, run=ANN), task("others", at=1, run=BOB)
    line.uses(BOB, 1)
    assert line.queue.comes_after(own, waiting)
    assert line.queue.comes_after(others, waiting)
    line.uses(ANN, 1)
    assert not line.queue.comes_after(others, waiting)


def test_the_check_notices_queues_that_differ() -> None:
    line = Line()
    line.add(task("a0", run=ANN), task("b0", run=BOB))
    line.queue._queues["ann"].clear()
    with pytest.raises(InvariantViolated, match="the queue and the waiting tasks differ"):
        line.queue.check()
