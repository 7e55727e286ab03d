"""How the faults of a network are drawn."""

from itertools import pairwise
from random import Random

import pytest

from roost.sim.network import Clog, Cut
from roost.sim.partitions import SHAPES, Rifts, draw_rifts, split

MACHINES = ["a", "b", "c", "d", "e"]


def cuts(seed: int = 1, **rifts: float) -> list[Cut]:
    drawn = draw_rifts(Random(seed), MACHINES, 200.0, Rifts(every_s=3.0, **rifts))
    return [fault for fault in drawn if isinstance(fault, Cut)]


@pytest.mark.parametrize("shape", SHAPES)
def test_both_sides_have_somebody_and_together_everybody(shape: str) -> None:
    sizes = set()
    for seed in range(60):
        one, other = split(Random(seed), MACHINES, shape)
        assert sorted([*one, *other]) == MACHINES
        assert one
        assert other
        sizes.add(min(len(one), len(other)))
    assert sizes == ({1} if shape == "alone" else {1, 2})


def test_a_partition_and_the_time_without_one_last_for_their_stability() -> None:
    drawn = cuts(stability_s=2.0)
    assert len(drawn) > 10
    for before, after in pairwise(drawn):
        assert before.until - before.at >= 2.0
        assert after.at - before.until >= 2.0
    assert all(cut.at < 200.0 for cut in drawn)


@pytest.mark.parametrize(("one_way", "expected"), [(0.0, {True}), (1.0, {False}), (0.5, {True, False})])
def test_some_cuts_are_one_way(one_way: float, expected: set[bool]) -> None:
    assert {cut.both for cut in cuts(one_way=one_way)} == expected


def test_without_rates_nothing_happens() -> None:
    assert draw_rifts(Random(1), MACHINES, 200.0, Rifts()) == []
    assert draw_rifts(Random(1), ["a"], 200.0, Rifts(every_s=1.0, swizzle_every_s=1.0)) == []


def test_a_swizzle_clogs_one_after_the_other_and_releases_them_in_another_order() -> None:
    drawn = draw_rifts(Random(3), MACHINES, 100.0, Rifts(swizzle_every_s=20.0))
    assert all(isinstance(fault, Clog) for fault in drawn)
    outward = [fault for fault in drawn if len(fault.sources) == 1 and len(fault.targets) == 4]
    inward = [fault for fault in drawn if len(fault.targets) == 1 and len(fault.sources) == 4]
    assert len(outward) == len(inward) == len(drawn) / 2
    by_begin = sorted(outward, key=lambda clog: clog.at)
    assert by_begin != sorted(outward, key=lambda clog: clog.until)


def test_the_same_stream_draws_the_same() -> None:
    assert cuts(5) == cuts(5)
    assert cuts(5) != cuts(6)
