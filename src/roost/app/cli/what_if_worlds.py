"""Worlds of a what-if, lived through side by side until it is clear which policy does best, or somebody has enough.

Only whole worlds count: those that were lived through with every policy. So nobody who interrupts it gets a comparison
of policies that met different ones.
"""

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Final, TypeAlias

from roost.lab.what_if.outcome import Outcome
from roost.lab.what_if.question import Question, live
from roost.lab.what_if.verdict import Verdict, looks, verdict_of

#: Is told how many worlds are whole, and until how many it goes on if nothing is clear before.
Told: TypeAlias = Callable[[int, int], None]
_Lived: TypeAlias = Callable[[int, int], Iterator[list[Outcome]]]
#: A first world that takes less is not worth the processes that would live through the others.
_WORTH_S: Final = 0.5
#: The question that a process of ours works on.
_asked: Final[list[Question]] = []


class Answering:
    """Lives through worlds, and knows at any time what follows from those that are whole."""

    def __init__(self, question: Question, limit: int) -> None:
        self._question = question
        self._limit = limit
        self._looks = looks(limit)
        self.outcomes: dict[str, list[Outcome]] = {policy: [] for policy in question.policies}
        self.was_interrupted = False

    @property
    def worlds(self) -> int:
        """How many are whole."""
        return min(map(len, self.outcomes.values()))

    @property
    def verdict(self) -> Verdict:
        """What follows from them; there must be one."""
        return verdict_of(self.outcomes, len(self._looks))

    def answer(self, jobs: int, told: Told) -> None:
        """Live through worlds until it is clear. What is whole when a person interrupts it counts."""
        try:
            began = time.monotonic()
            self._add(_live_here(self._question, 0, 1), told)
            is_long = time.monotonic() - began > _WORTH_S
            with _living(self._question, jobs if is_long else 1) as lived:
                for until in self._looks:
                    self._add(lived(self.worlds, until), told)
                    if self.verdict.is_clear:
                        break
        except KeyboardInterrupt:
            self.was_interrupted = True

    def _add(self, lived: Iterator[list[Outcome]], told: Told) -> None:
        for world in lived:
            for outcomes, outcome in zip(self.outcomes.values(), world, strict=True):
                outcomes.append(outcome)
            told(self.worlds, self._limit)


@contextmanager
def _living(question: Question, jobs: int) -> Iterator[_Lived]:
    """Give a function that lives through the worlds from one number to another, with every policy."""
    if jobs == 1:
        yield lambda begin, end: _live_here(question, begin, end)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (question,))
    is_over = False
    try:
        yield lambda begin, end: _live_there(pool, question, begin, end)
        is_over = True
    finally:
        pool.shutdown(wait=is_over, cancel_futures=True)


def _live_here(question: Question, begin: int, end: int) -> Iterator[list[Outcome]]:
    for world in range(begin, end):
        yield [live(question, policy, world) for policy in question.policies]


def _live_there(pool: ProcessPoolExecutor, question: Question, begin: int, end: int) -> Iterator[list[Outcome]]:
    everything = [(policy, world) for world in range(begin, end) for policy in question.policies]
    outcomes = pool.map(_live, everything)
    for _ in range(begin, end):
        yield [next(outcomes) for _ in question.policies]


def _begin(question: Question) -> None:
    """A process of ours begins; interrupts are for the one that a person speaks to."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _asked.append(question)


def _live(which: tuple[str, int]) -> Outcome:
    return live(_asked[-1], *which)
