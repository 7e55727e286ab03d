"""An engine whose times are invented, a start and a time for each turn; and what comes of measuring such engines."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from roost.lab.scripts import asking, engines, measuring
from roost.lab.scripts.engine import Lap, NotMeasured, Result, Round, Session
from roost.lab.scripts.engines import Target
from roost.lab.scripts.jobs import Job
from roost.lab.scripts.measuring import Measure, Measured, measure
from roost.lab.scripts.native import Native
from roost.lab.scripts.outcome import Outcome
from roost.lab.scripts.polling import Share

QUICK = Measure("invented", largest=10_000_000, limit_s=10.0, repetitions=2, job_s=0.5, jobs=3)


class Invented:
    """Two workers of it run side by side at full speed; every second job is twice as slow to start."""

    title = "Invented 1.0"

    def __init__(self, start_s: float = 0.1, turn_s: float = 1e-7, *, lies: bool = False) -> None:
        self.start_s, self.turn_s, self.lies = start_s, turn_s, lies
        self.rounds: list[Round] = []
        self._calls = 0

    def run(self, order: Round) -> tuple[Lap, ...]:
        self.rounds.append(order)
        job = next(job for job in Job if job.source == order.source)
        free = [0.0] * order.workers
        laps = []
        for number in range(order.jobs):
            worker = number % order.workers
            busy_s = self.turn_s * order.argument
            ended_s = free[worker] + self.start_s * (1 + number // order.workers % 2) + busy_s
            laps.append(Lap(worker, free[worker], ended_s, busy_s, self._result(job, order.argument)))
            free[worker] = ended_s
        return tuple(laps)

    def _result(self, job: Job, turns: int) -> Result:
        value = {
            Job.FLOPS: lambda: 13 * turns - 29030.4 * turns**2 / 2,
            Job.PRINTED: lambda: turns * (13 - 290304.0),
            Job.RANDOM: lambda: turns / 2,
        }.get(job, lambda: turns * 0.785398)()
        return Result(job.operations * turns, -value if self.lies else value, "an adapter" if job is Job.PI_GPU else "")


def target(name: str, session: Session | None, *, pi: Job = Job.PI) -> Target:
    """An engine of that name, or one that is not here."""

    @contextmanager
    def open_it() -> Iterator[Session]:
        if session is None:
            raise NotMeasured(f"there is no {name} here")
        yield session

    return Target(name, f"{name} in words", open_it, pi, loops=pi is Job.PI)


def have(monkeypatch: pytest.MonkeyPatch, *targets: Target) -> None:
    """Let these be all the engines that there are."""
    for module in (engines, measuring):
        monkeypatch.setattr(module, "target_of", lambda name: next(one for one in targets if one.name == name))


def measured(monkeypatch: pytest.MonkeyPatch, session: Session | None, *, pi: Job = Job.PI) -> Measured:
    have(monkeypatch, target("invented", session, pi=pi))
    return measure(QUICK)


def outcome(monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """Firefox, Node.js and WebGPU were measured, Chromium is missing, the rest was left out."""
    found = {
        "node": measured(monkeypatch, Invented(0.2, 2e-7)),
        "chromium": measured(monkeypatch, None),
        "firefox": measured(monkeypatch, Invented()),
        "webgpu": measured(monkeypatch, Invented(0.3, 1e-8), pi=Job.PI_GPU),
    }
    return Outcome(found, Native(turn_s=1e-9, random_s=5e-9), shares())


@cache
def shares() -> dict[tuple[str, float], Share]:
    return {key: cell.call(cell.argument) for key, cell in asking.cells(1).items()}
