"""Lifetimes: machines that come and go by a distribution, or as a trace says, and not at an even rate.

HTC 4.4.1 and FAIR 5.2 let machines stay for times that are drawn; traces of real ones say when each was there. Both are
told as the faults that every plan has, so that they can be saved and shrunk.

A trace is text with a line for each stay, ``machine from until``, in seconds; what follows ``#`` is a remark. Machines
have whatever names they have there. Stays of one machine do not overlap, and at the end of the last one the trace ends.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from random import Random
from typing import Final, NamedTuple

from roost.model.errors import InvalidInput
from roost.model.limits import SIM_NODES_MAX, SIM_TRACE_S_MAX, SIM_TRACE_STAYS_MAX
from roost.sim.hosts import Crash, HostFault, Join, Leave

#: What is drawn.
EXPONENTIAL, WEIBULL = "exponential", "weibull"
KINDS: Final = (EXPONENTIAL, WEIBULL)
#: Of Weibull distributions: below 1 who has stayed for long stays on, above 1 he is soon gone.
SHAPES_UP: Final = (0.5, 0.8, 2.0)
SHAPES_DOWN: Final = (0.7, 1.5)
#: Mean seconds on line, and away, of the machines of a world, which are as unlike as it draws them.
MEANS_UP_S: Final = (3.0, 10.0, 40.0, 400.0)
MEANS_DOWN_S: Final = (0.5, 3.0, 15.0)
#: The least of either.
LEAST_S: Final = 0.2
#: How often the end of a stay is in order; else the power fails, or only the process ends.
IN_ORDER, POWER = 0.15, 0.6
#: When a machine is back that is not seen again; a number, for plans are written as JSON.
NEVER_S: Final = 1e9


class Stay(NamedTuple):
    """A machine is there from a time on until another."""

    machine: str
    begins: float
    ends: float


def draw_stays(rng: Random, machines: Sequence[str], until: float, kind: str) -> list[Stay]:
    """Draw when machines are there before ``until``; somebody is from the beginning."""
    stays: list[Stay] = []
    for machine in machines:
        up_s, down_s = rng.choice(MEANS_UP_S), rng.choice(MEANS_DOWN_S)
        shape_up, shape_down = (rng.choice(SHAPES_UP), rng.choice(SHAPES_DOWN)) if kind == WEIBULL else (1.0, 1.0)
        at = 0.0 if machine == machines[0] or rng.random() < 0.7 else _draw(rng, down_s, shape_down)
        while at < until:
            ends = at + _draw(rng, up_s, shape_up)
            stays.append(Stay(machine, at, ends if ends < until else inf))
            at = ends + _draw(rng, down_s, shape_down)
    return stays


def _draw(rng: Random, mean_s: float, shape: float) -> float:
    """Draw from a Weibull distribution, which is exponential with shape 1, with about this mean."""
    return LEAST_S + rng.weibullvariate(mean_s, shape)


def faults_of(rng: Random, stays: Sequence[Stay]) -> list[HostFault]:
    """Return what has to happen to machines so that they are there as said; how their stays end is drawn."""
    faults: list[HostFault] = []
    by_machine: dict[str, list[Stay]] = {}
    for stay in stays:
        by_machine.setdefault(stay.machine, []).append(stay)
    for machine, own in by_machine.items():
        if own[0].begins > 0.0:
            faults.append(Join(own[0].begins, machine))
        for at, stay in enumerate(own):
            if stay.ends == inf:
                continue
            back = own[at + 1].begins if at + 1 < len(own) else NEVER_S
            if rng.random() < IN_ORDER:
                faults.append(Leave(stay.ends, back, machine))
            else:
                faults.append(Crash(stay.ends, back, machine, rng.random() < POWER, rng.choice([0, 0, 1, 5])))
    return faults


def read_stays(text: str) -> list[Stay]:
    """Read a trace; its machines are called n1, n2 and so on, in the order in which they come."""
    names: dict[str, str] = {}
    stays: list[Stay] = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if words:
            stays.append(_read_stay(words, number, names))
        if len(names) > SIM_NODES_MAX or len(stays) > SIM_TRACE_STAYS_MAX:
            raise InvalidInput(f"a trace has at most {SIM_NODES_MAX:,} machines and {SIM_TRACE_STAYS_MAX:,} stays")
    if not stays:
        raise InvalidInput("the trace names no machine; write lines such as 'pc-3 0 120.5'")
    _refuse_overlaps(stays, {called: name for name, called in names.items()})
    return sorted(stays, key=lambda stay: stay.begins)


def _read_stay(words: Sequence[str], number: int, names: dict[str, str]) -> Stay:
    try:
        machine, begins, ends = words
        stay = Stay(names.setdefault(machine, f"n{len(names) + 1}"), float(begins), float(ends))
    except ValueError:
        stay = Stay("", 0.0, 0.0)
    if not 0.0 <= stay.begins < stay.ends <= SIM_TRACE_S_MAX:
        raise InvalidInput(
            f"line {number} of the trace is '{' '.join(words)}'; write a machine, from when on and until when it is "
            f"there, in seconds up to {SIM_TRACE_S_MAX:,}, as in 'pc-3 0 120.5'"
        )
    return stay


def _refuse_overlaps(stays: Sequence[Stay], names: dict[str, str]) -> None:
    for before, after in pairwise(sorted(stays)):
        if before.machine == after.machine and after.begins <= before.ends:
            name = names[after.machine]
            raise InvalidInput(
                f"the trace lets {name} come at {after.begins:g} s, and it is there until {before.ends:g} s"
            )
