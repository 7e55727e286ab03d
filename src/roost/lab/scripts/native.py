"""The same loops compiled to machine code, as the baseline that the document has in C (WEB 4.4).

LLVM compiles them with the rules of C: nothing is reckoned in another order than it is written.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Final

import msgspec
from numba import njit
from numpy.random import random

from roost.lab.scripts.engine import Result
from roost.lab.scripts.jobs import Job, check
from roost.lab.scripts.measuring import alone


class MeasureNative(msgspec.Struct, frozen=True):
    repetitions: int
    #: How long a loop should take at least.
    job_s: float


class Native(msgspec.Struct, frozen=True):
    #: How long a turn of the loop of figure 4.2 takes, and how long a random number.
    turn_s: float
    random_s: float


def measure_native(argument: MeasureNative) -> Native:
    with alone():
        return Native(_turn_s(Job.FLOPS, _flops, argument), _turn_s(Job.RANDOM, _random_numbers, argument))


@njit(nogil=True)
def _flops(turns: int) -> float:
    total, turn = 0.0, 0.5
    while turn < turns:
        total = total + 13 - turn * 14 * 2 * 15 * 2 * 4 * 2 * 3.6 * 1.2
        turn += 1
    return total


@njit(nogil=True)
def _random_numbers(numbers: int) -> float:
    total = 0.0
    for _ in range(numbers):
        total += random()
    return total


_FIRST: Final = 10_000


def _turn_s(job: Job, loop: Callable[[int], float], argument: MeasureNative) -> float:
    loop(_FIRST)
    turns = _FIRST
    while True:
        best = min(_seconds(job, loop, turns) for _ in range(argument.repetitions))
        if best >= argument.job_s:
            return best / turns
        turns *= 4


def _seconds(job: Job, loop: Callable[[int], float], turns: int) -> float:
    begun = perf_counter()
    value = loop(turns)
    seconds = perf_counter() - begun
    check(job, turns, Result(job.operations * turns, value))
    return seconds
