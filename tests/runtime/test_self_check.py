"""A node that runs looks at itself now and then; what it finds ends it."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from roost.core.events import CancelAsked
from roost.core.node import Node
from roost.model.errors import InvariantViolated
from roost.model.ids import CauseId, task_id
from roost.model.ranges import RangeSet
from roost.runtime import self_check
from roost.runtime.self_check import SelfCheck
from tests.core.tapes import BEGIN_S, Tape
from tests.runtime.driving import RUN, spec, submitted, until


class Looked:
    """A self-check of a node with some tasks, which notes what it does; without the pauses of a real one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, turn_s: float = 1.0) -> None:
        monkeypatch.setattr(self_check, "PAUSE_S", 0.001)
        monkeypatch.setattr(self_check, "SHARE", 1.0)
        monkeypatch.setattr(self_check, "TURN_S", turn_s)
        self.tape = Tape(works=False)
        self.tape.feed(submitted(*(spec(f"t{number}") for number in range(20))))
        self.errors: list[Exception] = []
        self.turns = self.done = 0
        self.check = SelfCheck(self.tape.node, self.as_a_whole, self._done)
        self.pauses: list[float] = []
        wait = self.check._wait

        def noted(pause_s: float) -> None:
            self.pauses.append(pause_s)
            wait(pause_s)

        monkeypatch.setattr(self.check, "_wait", noted)

    def as_a_whole(self, do: Callable[[], None]) -> None:
        self.turns += 1
        try:
            do()
        except InvariantViolated as error:
            self.errors.append(error)

    def _done(self) -> None:
        self.done += 1


def test_it_checks_all_and_again_only_if_something_has_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        looked = Looked(monkeypatch)
        begun: list[float] = []
        checks = Node.checks

        def noted(node: Node) -> Iterator[None]:
            begun.append(node.now)
            return checks(node)

        monkeypatch.setattr(Node, "checks", noted)
        looked.check.start()
        await until(lambda: looked.done > 3)
        assert len(begun) == 1
        looked.tape.node.stamp_at(looked.tape.now + 5)
        await until(lambda: len(begun) == 2)
        assert looked.errors == []
        looked.check.close()
        assert looked.check._timer is not None
        assert looked.check._timer.cancelled()

    asyncio.run(scenario())


def test_much_is_checked_in_short_turns_between_which_events_come(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = Looked(monkeypatch, turn_s=0.0)
    monkeypatch.setattr(looked.check, "_wait", looked.pauses.append)
    for _ in range(5):
        looked.check._turn()
    looked.tape.feed(submitted(spec("late"), cause="submit-2"))
    looked.tape.feed(CancelAsked(CauseId("cancel-1"), ((task_id(RUN, "t7"), RangeSet.span(0, 3)),)))
    assert looked.done == 0
    while not looked.done:
        looked.check._turn()
    assert looked.turns > 40
    assert looked.errors == []


def test_the_pause_is_a_thousand_times_as_long_as_a_turn_and_a_minute_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    # It begins, looks at the clock after each step, and at the end.
    times = iter([0.0, 0.003, 0.1, 0.1, 1.0, 1.001, 1.09, 2.0, 2.001, 2.002, 2.002])
    monkeypatch.setattr("roost.runtime.self_check.time.perf_counter", lambda: next(times))
    monkeypatch.setattr(Node, "checks", lambda node: iter([None] * 3 if node.now < BEGIN_S + 9 else [None] * 2))
    tape, pauses = Tape(), list[float]()
    check = SelfCheck(tape.node, lambda do: do(), lambda: None)
    monkeypatch.setattr(check, "_wait", pauses.append)
    check._turn()
    check._turn()
    tape.node.stamp_at(BEGIN_S + 10)
    check._turn()
    # Not done after 100 ms; done 90 ms later; done at once.
    assert pauses == [pytest.approx(100.0), pytest.approx(90.0), 60.0]


def test_what_it_finds_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        looked = Looked(monkeypatch)
        looked.tape.node.queue.replica.leased.clear()
        looked.check.start()
        await until(lambda: looked.errors)
        assert "noted are []" in str(looked.errors[0])
        assert looked.done == 0
        assert len(looked.pauses) == looked.turns, "a pause before each turn, and none after the last"

    asyncio.run(scenario())
