"""Suspects run one at a time, and nothing else meanwhile."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsReturned
from roost.executors.order import Order
from roost.executors.port import Executor, Report
from roost.model.ids import LeaseId, TaskId
from roost.model.ranges import RangeSet
from roost.runtime.home import Home
from roost.runtime.probation import probation
from roost.runtime.probation.last_life import LastLife, remembered_suspects
from roost.runtime.probation.probation import Probation, Trials
from roost.runtime.probation.suspects import NodeSuspect
from tests.runtime.driving import RUN, ManualExecutor, spec, until
from tests.tokens import attempt

TASK = TaskId(f"{RUN}/work")


class Court:
    """Two executors of a node with suspects."""

    def __init__(self, folder: Path, *suspects: NodeSuspect) -> None:
        self.home = Home(folder / "home")
        self.home.create()
        last_life = LastLife(self.home)
        last_life.remember(suspects)
        last_life.suspects = list(suspects)
        self.trials = Trials(last_life)
        self.reports = list[object]()
        self.inners: list[ManualExecutor] = []
        self.executors = [Probation(self._make, self.reports.append, self.trials) for _ in range(2)]

    def _make(self, report: Report) -> Executor:
        inner = ManualExecutor()
        inner.report = report
        self.inners.append(inner)
        return inner

    def ask(self, lease: int, elements: str = "0", *, lane: int = 0, executor: int = 0, task: str = "work") -> None:
        order = Order(LeaseId(lease), lane, spec(task, count=9), RangeSet.parse(elements), attempt(1))
        self.executors[executor].start(order)

    def started(self, executor: int = 0) -> list[tuple[int, str]]:
        return [(order.lease, str(order.ranges)) for order in self.inners[executor].orders]

    def finish(self, executor: int = 0) -> None:
        self.inners[executor].finish(self.inners[executor].orders[-1])

    @property
    def alone(self) -> bool:
        return (self.home.life / "alone").exists()


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    monkeypatch.setattr(probation, "_SETTLE_S", 0.001)
    monkeypatch.setattr(probation, "WAIT_S", 0.001)

    def run(act: Callable[[Court], Coroutine[None, None, None]], *suspects: NodeSuspect) -> None:
        async def scenario() -> None:
            court = Court(tmp_path, *suspects)
            await act(court)
            for executor in court.executors:
                await executor.close()

        asyncio.run(scenario())

    return run


def suspect(bounds: tuple[int, ...], age_s: float = 10.0, deaths: int = 0) -> NodeSuspect:
    return NodeSuspect(TASK, bounds, age_s, deaths)


def test_suspects_run_one_after_the_other_and_the_others_afterwards(play: Callable[..., None]) -> None:
    async def act(court: Court) -> None:
        court.ask(1, "0-4")
        court.ask(2, "0-1", lane=1, task="innocent")
        court.ask(3, "0-1", executor=1, task="innocent")
        await until(lambda: court.started() == [(1, "2")])
        assert court.alone
        court.finish()
        await until(lambda: court.started() == [(1, "2"), (1, "3")])
        assert court.started(1) == []
        court.finish()
        await until(lambda: len(court.started()) == 4)
        assert sorted(court.started()[2:]) == [(1, "0-1,4"), (2, "0-1")]
        assert court.started(1) == [(3, "0-1")]
        assert not court.alone
        assert remembered_suspects(court.home) == []
        court.ask(4, "2", lane=2)
        assert court.started()[-1] == (4, "2"), "it is a suspect no more"

    play(act, suspect((2, 4)))


def test_what_runs_already_is_frozen_meanwhile(play: Callable[..., None]) -> None:
    async def act(court: Court) -> None:
        await court.trials.over()
        court.ask(1, executor=1, task="innocent")
        court.ask(2, "5")
        await until(lambda: court.started() == [(2, "5")])
        assert court.inners[1].told == [("pause", 1)]
        court.finish()
        await until(lambda: court.inners[1].told == [("pause", 1), ("resume", 1)])

    play(act, suspect((5, 6)))


def test_the_one_with_the_most_deaths_is_first(play: Callable[..., None]) -> None:
    async def act(court: Court) -> None:
        court.ask(1, "1")
        court.ask(2, "2", lane=1)
        await until(lambda: court.started() == [(2, "2")])
        court.finish()
        await until(lambda: court.started() == [(2, "2"), (1, "1")])
        court.finish()
        await until(lambda: len(court.reports) == 2)

    play(act, suspect((1, 2)), suspect((2, 3), deaths=2))


def test_what_outlives_its_time_goes_on_beside_others(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NodeSuspect, "trial_s", 0.001)

    async def act(court: Court) -> None:
        court.ask(1, "0-1")
        court.ask(2, lane=1, task="innocent")
        await until(lambda: court.started() == [(1, "0"), (2, "0")])
        assert remembered_suspects(court.home) == []
        court.inners[0].finish(court.inners[0].orders[0])
        await until(lambda: court.started()[2:] == [(1, "1")])

    play(act, suspect((0, 1), deaths=1))


def test_what_has_failed_is_answered_and_not_started(play: Callable[..., None]) -> None:
    async def act(court: Court) -> None:
        court.ask(1, "3")
        await until(lambda: court.reports)
        (failed,) = court.reports
        assert isinstance(failed, ElementFailed)
        assert (failed.index, failed.failure.permanent) == (3, True)
        assert court.started() == []
        assert remembered_suspects(court.home) == []
        court.ask(2, "3")
        await until(lambda: court.started() == [(2, "3")])

    play(act, suspect((3, 4), deaths=3))


def test_a_suspect_waits_for_its_lane(play: Callable[..., None]) -> None:
    async def act(court: Court) -> None:
        await court.trials.over()
        court.ask(1, task="innocent")
        court.ask(2, "5")
        court.ask(3, lane=1, task="innocent")
        assert court.started() == [(1, "0"), (3, "0")], "a trial that cannot begin keeps nobody waiting"
        court.inners[0].finish(court.inners[0].orders[0])
        await until(lambda: court.started()[2:] == [(2, "5")])

    play(act, suspect((5, 6)))


def test_stops_and_pauses_reach_what_is_on_trial_and_what_waits_behind_it(play: Callable[..., None]) -> None:
    async def act(court: Court) -> None:
        court.ask(1, "0-4")
        await until(lambda: court.started() == [(1, "0")])
        court.executors[0].pause(LeaseId(1))
        court.executors[0].resume(LeaseId(1))
        court.executors[0].stop(LeaseId(1), RangeSet.parse("0, 3-4"), StopMode.UNSTARTED)
        assert court.inners[0].told == [("pause", 1), ("resume", 1), ("stop unstarted", 1)]
        assert ElementsReturned(LeaseId(1), RangeSet.parse("3-4")) in court.reports
        assert court.alone, "what runs goes on"
        court.finish()
        await until(lambda: court.started()[1:] == [(1, "1-2")])

    play(act, suspect((0, 1)))


def test_a_suspect_that_is_stopped_before_its_trial_holds_nobody_up(play: Callable[..., None]) -> None:
    async def act(court: Court) -> None:
        court.ask(1, "0")
        court.executors[0].stop(LeaseId(1), RangeSet.parse("0"), StopMode.KILL)
        court.ask(2, lane=1, task="innocent")
        await until(lambda: court.started() == [(2, "0")])
        assert court.reports == [ElementsReturned(LeaseId(1), RangeSet.parse("0"))]
        assert len(remembered_suspects(court.home)) == 1, "it has not shown anything"

    play(act, suspect((0, 1), deaths=1))
