"""Logs of when machines were there: read, and what follows from them of how they come and go.

A log is text with a line for each stay, ``machine from until``, in seconds, as `roost sim --churn` reads them; then, if
they are known, how many lanes the machine has and how fast it is. What follows ``#`` is a remark. Stays of one machine
do not overlap. The log begins with the first stay in it and ends with the last.

Rules
- How long a machine stays is estimated as its own node would (policy/reliability.py), and how long it is away in the
  same way, from the gaps. What still lasts when the log ends counts as that, and not as an end.
- A machine of which too little is known is taken to be like all of the log together; and one that was there all the
  time as one that stays.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec.structs import replace

from roost.lab.what_if.machines import PAST, Drawn, Life, Machine, Replayed, Stays
from roost.model.errors import InvalidInput
from roost.model.limits import (
    CPUS_MAX,
    DURATION_S_MAX,
    SIZE_BYTES_MAX,
    WHAT_IF_NODES_MAX,
    WHAT_IF_SPEED_MAX,
    WHAT_IF_STAYS_MAX,
)
from roost.model.online import OnlineLog, Stretch
from roost.model.task import CPUS, MEMORY
from roost.model.visible import quoted
from roost.policy.reliability import Exponential, Lifetime, reliability_of

_EXAMPLE: Final = "as in 'pc-3 0 120.5' or, with lanes and speed, 'pc-3 0 120.5 4 1.5'"
#: Machines that a sentence names.
_NAMED_MAX: Final = 20


class _Line(NamedTuple):
    machine: str
    begins_s: float
    ends_s: float
    lanes: float
    speed: float


class NodesLog(NamedTuple):
    """When machines were there, in seconds from the beginning of the log, by their names."""

    stays: dict[str, tuple[Stretch, ...]]
    lanes: dict[str, float]
    speeds: dict[str, float]
    length_s: float


def read_log(text: str, name: str) -> NodesLog:
    """Read a log. Raise InvalidInput, with the line, for what is none; ``name`` is that of its file."""
    by_machine: dict[str, list[_Line]] = {}
    count = 0
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if words:
            read = _read(words, name, number)
            by_machine.setdefault(read.machine, []).append(read)
            count += 1
        if len(by_machine) > WHAT_IF_NODES_MAX or count > WHAT_IF_STAYS_MAX:
            most = f"{WHAT_IF_NODES_MAX:,} machines and {WHAT_IF_STAYS_MAX:,} stays"
            raise InvalidInput(f"{name} is too large; a log of machines has at most {most}")
    if not by_machine:
        raise InvalidInput(f"{name} names no machine; write lines {_EXAMPLE}")
    return _log_of(by_machine, name)


def _read(words: Sequence[str], name: str, number: int) -> _Line:
    try:
        machine, begins_s, ends_s, lanes, speed = (*words, *("1", "1")[len(words) - 3 :])
        line = _Line(machine, float(begins_s), float(ends_s), float(lanes), float(speed))
    except ValueError:
        line = _Line("", math.nan, math.nan, 1.0, 1.0)
    are_times = 0.0 <= line.begins_s < line.ends_s < math.inf
    if not (are_times and 0.0 < line.lanes <= CPUS_MAX and 0.0 < line.speed <= WHAT_IF_SPEED_MAX):
        wrong = f"{name}, line {number}: {quoted(' '.join(words))} is no stay"
        raise InvalidInput(f"{wrong}; write a machine, from when on and until when it is there, {_EXAMPLE}")
    return line


def _log_of(by_machine: dict[str, list[_Line]], name: str) -> NodesLog:
    lines = [line for own in by_machine.values() for line in own]
    begins_s = min(line.begins_s for line in lines)
    length_s = max(line.ends_s for line in lines) - begins_s
    if length_s > DURATION_S_MAX:
        raise InvalidInput(f"{name} tells of more than a century; write times in seconds")
    stays: dict[str, tuple[Stretch, ...]] = {}
    for machine, own in by_machine.items():
        own.sort()
        for before, after in pairwise(own):
            if after.begins_s <= before.ends_s:
                said = f"{machine} comes at {after.begins_s:g} s, and is there until {before.ends_s:g} s"
                raise InvalidInput(f"{name}: {said}; stays of one machine do not overlap")
        stays[machine] = tuple(Stretch(line.begins_s - begins_s, line.ends_s - begins_s) for line in own)
    # What is said last of a machine counts.
    lanes = {machine: own[-1].lanes for machine, own in by_machine.items()}
    return NodesLog(stays, lanes, {machine: own[-1].speed for machine, own in by_machine.items()}, length_s)


def machines_of_log(log: NodesLog, *, replayed: bool) -> list[Machine]:
    """Return the machines of a log, which come and go as it says, or by what follows from it."""
    fit = None if replayed else _Fit(log)
    machines = []
    for name, stays in log.stays.items():
        life: Life = Replayed(stays, log.length_s) if fit is None else fit.life_of(stays)
        quantities: dict[str, int | float] = {CPUS: log.lanes[name], MEMORY: SIZE_BYTES_MAX}
        machines.append(Machine(name, quantities, log.speeds[name], life))
    return machines


class _Fit:
    """What is known of single machines, and of all of a log together."""

    def __init__(self, log: NodesLog) -> None:
        self._length_s = log.length_s
        self._up = _mean_of(self._times_there(stays) for stays in log.stays.values())
        self._away = _mean_of(self._gaps(stays) for stays in log.stays.values())

    def life_of(self, stays: Sequence[Stretch]) -> Life:
        up = _fitted(*self._times_there(stays)) or self._up
        away = _fitted(*self._gaps(stays)) or self._away
        if up is None or away is None or (len(stays) == 1 and stays[0].length_s >= self._length_s):
            return Stays()
        return Drawn(up, away, past=PAST)

    def _times_there(self, stays: Sequence[Stretch]) -> tuple[list[float], float]:
        """Return how long it was there, each time, and how long it already is at the end of the log."""
        lengths = [stay.length_s for stay in stays]
        is_there = stays[-1].ended_s >= self._length_s
        return (lengths[:-1], lengths[-1]) if is_there else (lengths, 0.0)

    def _gaps(self, stays: Sequence[Stretch]) -> tuple[list[float], float]:
        gaps = [after.began_s - before.ended_s for before, after in pairwise(stays)]
        return gaps, self._length_s - stays[-1].ended_s


def _fitted(lengths: Sequence[float], lasts_s: float) -> Lifetime | None:
    """Return what follows from these times, one of which still lasts; None if they are too few."""
    now, stretches = 0.0, []
    for length_s in lengths:
        stretches.append(Stretch(now, now + length_s))
        now += length_s
    known = reliability_of(OnlineLog(tuple(stretches)), now, now + lasts_s)
    return known.lifetime if known.is_known else None


def _mean_of(times: Iterator[tuple[list[float], float]]) -> Exponential | None:
    """Return the likeliest exponential of all machines' times together; None if none of them has ended."""
    told = list(times)
    ends = sum(len(lengths) for lengths, _ in told)
    total_s = sum(sum(lengths) + lasts_s for lengths, lasts_s in told)
    return Exponential(ends / total_s) if ends else None


def with_speeds(machines: Sequence[Machine], speeds: dict[str, float]) -> list[Machine]:
    """Return the machines with the speeds of those that are named. Raise InvalidInput for a name that nobody has."""
    names = {machine.name for machine in machines}
    for name in speeds:
        if name not in names:
            there = ", ".join(sorted(names)[:_NAMED_MAX])
            raise InvalidInput(f"--speed {name}: there is no machine {quoted(name)}; there are {there}")
    return [replace(one, speed=speeds.get(one.name, one.speed)) for one in machines]
