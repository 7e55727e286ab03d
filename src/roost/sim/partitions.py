"""Drawing the faults of a network: how it falls apart, for how long, and how it gets stuck.

A partition lasts for its stability at least, and so does the time without one: otherwise nothing would ever be decided
on either side of it, and no two sides would ever meet.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

import msgspec

from roost.sim.network import Clog, Cut


class Rifts(msgspec.Struct, frozen=True):
    """How often the network falls apart."""

    #: Mean seconds without a partition, beyond the stability; never if it is 0.
    every_s: float = 0.0
    #: Mean seconds that one lasts, beyond the stability.
    for_s: float = 5.0
    stability_s: float = 1.0
    #: Probability that only one direction is cut.
    one_way: float = 0.3
    #: Mean seconds between two swizzles; never if it is 0.
    swizzle_every_s: float = 0.0


SHAPES: Final = ("halves", "alone", "any size")


def draw_rifts(rng: Random, machines: Sequence[str], until: float, rifts: Rifts) -> list[Cut | Clog]:
    """Draw everything that happens to the network before ``until``."""
    return [*_cuts(rng, machines, until, rifts), *_swizzles(rng, machines, until, rifts)]


def _cuts(rng: Random, machines: Sequence[str], until: float, rifts: Rifts) -> list[Cut | Clog]:
    cuts: list[Cut | Clog] = []
    at = 0.0
    while rifts.every_s and len(machines) > 1:
        at += rifts.stability_s + rng.expovariate(1 / rifts.every_s)
        if at >= until:
            break
        lasting = rifts.stability_s + rng.expovariate(1 / rifts.for_s)
        one, other = split(rng, machines, rng.choice(SHAPES))
        cuts.append(Cut(at, at + lasting, one, other, both=rng.random() >= rifts.one_way))
        at += lasting
    return cuts


def split(rng: Random, machines: Sequence[str], shape: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Part the machines in two groups that are not empty: a coin for each, one alone, or any size."""
    mixed = rng.sample(machines, len(machines))
    match shape:
        case "halves":
            size = min(max(1, sum(rng.random() < 0.5 for _ in mixed)), len(mixed) - 1)
        case "alone":
            size = 1
        case _:
            size = rng.randint(1, len(mixed) - 1)
    one, other = tuple(sorted(mixed[:size])), tuple(sorted(mixed[size:]))
    return (one, other) if rng.random() < 0.5 else (other, one)


def _swizzles(rng: Random, machines: Sequence[str], until: float, rifts: Rifts) -> list[Cut | Clog]:
    """Clog some machines one after the other, and release them one after the other in another order."""
    clogs: list[Cut | Clog] = []
    at = 0.0
    while rifts.swizzle_every_s and len(machines) > 1:
        at += rng.expovariate(1 / rifts.swizzle_every_s)
        if at >= until:
            break
        chosen = rng.sample(machines, rng.randint(1, len(machines)))
        begins = sorted(at + rng.uniform(0.0, rifts.for_s) for _ in chosen)
        ends = [max(begins) + rng.uniform(0.0, rifts.for_s) for _ in chosen]
        for machine, begin, end in zip(chosen, begins, ends, strict=True):
            others = tuple(name for name in machines if name != machine)
            clogs.append(Clog(begin, end, (machine,), others))
            clogs.append(Clog(begin, end, others, (machine,)))
        at = max(ends)
    return clogs
