"""The port of engines: what a measurement asks of whatever runs JavaScript, and what it gets.

A round runs jobs of one kind on so many workers side by side. As in WEB, a lap is one job: it lasts from before its
worker is started (or asked, if workers live on) until its result is here, and the worker says how long the job itself
took. Nobody compares clocks: the begin and end of laps are of one clock, the busy time is a difference of another.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import msgspec

from roost.model.errors import RoostError


class NotMeasured(RoostError):
    """There is no such engine here, or it cannot do this; the message says why."""


class Result(msgspec.Struct, frozen=True):
    """What a job returns: how many floating point operations it counted, and what came out of them."""

    operations: int
    value: float
    #: The graphics adapter that did it, if one did.
    adapter: str = ""


class Lap(msgspec.Struct, frozen=True):
    worker: int
    begun_s: float
    ended_s: float
    #: By the worker's own clock.
    busy_s: float
    result: Result

    @property
    def seconds(self) -> float:
        return self.ended_s - self.begun_s


class Round(msgspec.Struct, frozen=True):
    """Run ``jobs`` jobs on ``workers`` workers, each called with ``argument``; within ``limit_s`` seconds in all."""

    source: str
    argument: int
    workers: int = 1
    jobs: int = 1
    limit_s: float = 60.0


class Session(Protocol):
    """An engine that has been started."""

    #: Which one, and of which version, in its own words.
    title: str

    def run(self, order: Round) -> tuple[Lap, ...]:
        """Return the laps in the order in which they ended. Raise NotMeasured if the engine cannot do it."""
        ...


Open = Callable[[], AbstractContextManager[Session]]


class Answer(msgspec.Struct, frozen=True):
    """What an engine outside of this process says: first who it is, then the laps of each round, or why not."""

    opened: str = ""
    laps: tuple[Lap, ...] = ()
    failed: str = ""


def read_answer(data: bytes | str) -> Answer:
    """Return what an engine said. Raise NotMeasured if it failed."""
    answer = msgspec.json.decode(data, type=Answer)
    if answer.failed:
        raise NotMeasured(f"its job failed: {answer.failed}")
    return answer


def order_text(order: Round) -> bytes:
    fields: dict[str, Any] = {"source": order.source, "argument": order.argument}
    return msgspec.json.encode(fields | {"workers": order.workers, "jobs": order.jobs})
