"""Churn: machines come and go, by a schedule that is drawn before and the same for whoever is compared.

Every machine has a failure rate and a recovery rate; how long it stays and how long it is away are exponential (HTC
4.4.1). A node is killed (kill -9) when its time has come, and started again, with its home, when it is back.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from random import Random
from typing import Final, NamedTuple

from netlab.executions import uptime_s
from netlab.nodes import LabNode

#: A machine that is back sooner could not be told from one that never went.
_AWAY_S_MIN: Final = 0.5


class Machine(NamedTuple):
    """How long a machine stays on average, and how long it is away then."""

    stays_s: float
    away_s: float


class Absence(NamedTuple):
    """In seconds from the beginning."""

    number: int
    dies_at_s: float
    returns_at_s: float


class Death(NamedTuple):
    """Of which host, and when, by ``uptime_s``."""

    host: str
    at_s: float


def drawn_absences(draw: Random, machines: Mapping[int, Machine], until_s: float) -> list[Absence]:
    """Return when each machine goes and is back, in the order of going. All are there at first."""
    drawn = chain.from_iterable(
        _absences_of(draw, number, machine, until_s) for number, machine in sorted(machines.items())
    )
    return sorted(drawn, key=lambda absence: (absence.dies_at_s, absence.number))


def _absences_of(draw: Random, number: int, machine: Machine, until_s: float) -> Iterator[Absence]:
    at_s = draw.expovariate(1 / machine.stays_s)
    while at_s < until_s:
        back_s = at_s + max(_AWAY_S_MIN, draw.expovariate(1 / machine.away_s))
        yield Absence(number, at_s, back_s)
        at_s = back_s + draw.expovariate(1 / machine.stays_s)


@contextmanager
def churning(nodes: Mapping[int, LabNode], absences: Sequence[Absence]) -> Iterator[list[Death]]:
    """Let nodes go and come back from now on until the end of ``with``; give the deaths, as they happen.

    Who is away at the end stays so.
    """
    over, deaths, failures = threading.Event(), list[Death](), list[Exception]()
    began = time.monotonic()

    def play() -> None:
        try:
            for at_s, act in _acts(nodes, absences, deaths):
                if over.wait(max(0.0, began + at_s - time.monotonic())):
                    return
                act()
        except Exception as failure:  # noqa: BLE001 - the border of a thread; raised again where it is joined
            failures.append(failure)

    player = threading.Thread(target=play, name="churn")
    player.start()
    try:
        yield deaths
    finally:
        over.set()
        player.join()
    if failures:
        raise failures[0]


def _acts(
    nodes: Mapping[int, LabNode], absences: Sequence[Absence], deaths: list[Death]
) -> list[tuple[float, Callable[[], None]]]:
    """Return what is done when, in that order."""

    def kill(number: int) -> None:
        nodes[number].kill()
        # Until here it may have told of a result.
        deaths.append(Death(nodes[number].host.name, uptime_s()))

    acts: list[tuple[float, Callable[[], None]]] = []
    for absence in absences:
        acts.append((absence.dies_at_s, partial(kill, absence.number)))
        acts.append((absence.returns_at_s, nodes[absence.number].spawn))
    return sorted(acts, key=lambda act: act[0])
