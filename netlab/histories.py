"""Histories: when a node was on line before the laboratory made it, put into its home as the node itself would have.

Nobody waits for a machine to live through weeks before its reliability can be tried. What a node reads at its start is
what its own code has written, and nothing tells it that it was not there.
"""

import time
from contextlib import closing
from random import Random
from typing import Final

from roost.model.online import NEVER_ONLINE, OnlineLog
from roost.runtime.home import Home
from roost.runtime.journal.journal import Journal

#: Enough for a rate that is right within a seventh, and for a shape.
PERIODS: Final = 50


def drawn_history(draw: Random, stays_s: float, away_s: float, periods: int = PERIODS) -> OnlineLog:
    """Return the log of a node that lived so often, for exponential times with these means, until a moment ago."""
    times = [(draw.expovariate(1 / stays_s), draw.expovariate(1 / away_s)) for _ in range(periods)]
    log, began_s = NEVER_ONLINE, time.time() - sum(map(sum, times))
    for on_s, off_s in times:
        log = log.begun(began_s).seen(began_s + on_s)
        began_s += on_s + off_s
    return log


def live_before(home: Home, log: OnlineLog) -> None:
    """Let the node of a home, which must not be running, have been on line as this log says."""
    with closing(Journal.open(home.journal)) as journal:
        journal.begin_boot()
        journal.start(_Unheard())
        journal.note_online(log, at_once=True)


class _Unheard:
    """Nothing is written that would be answered."""

    def on_written(self, ticket: int) -> None:
        raise AssertionError(f"nobody asked for ticket {ticket}")

    def on_flushed(self, ticket: int) -> None:
        raise AssertionError(f"nobody asked for ticket {ticket}")

    def on_failed(self, tickets: tuple[int, ...], reason: str) -> None:
        raise AssertionError(f"the tickets {tickets} failed: {reason}")

    def on_lost(self, reason: str) -> None:
        raise AssertionError(reason)
