"""Simulated clusters that lose data, beside the absorbing chains."""

from decimal import Decimal
from functools import lru_cache
from math import sqrt
from statistics import fmean, stdev

import msgspec
import pytest

from roost.lab.availability import both_failures, lost_disks
from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import Gossip, Upkeep
from roost.lab.availability.simulated_disks import DiskSeen, DiskTrial, try_disks
from roost.lab.availability.transient import Transient

UPKEEP = Upkeep(gossip=Gossip.NOTHING)
ONE = Consistency("ONE", "ONE")
TRIAL = DiskTrial(
    seed=0,
    replicas=3,
    up_s=25.0,
    down_s=2.5,
    anti_entropy_s=float(1 / UPKEEP.anti_entropy_rate(3)),
    askers="clients",
)
#: Of Student's t with 11 degrees of freedom, for 99.9 %.
T_999 = 4.437


@lru_cache
def runs_of(trial: DiskTrial, count: int = 12) -> list[DiskSeen]:
    return [try_disks(msgspec.structs.replace(trial, seed=seed)) for seed in range(count)]


def assert_agrees(sample: list[float], expected: float) -> None:
    assert fmean(sample) == pytest.approx(expected, abs=T_999 * stdev(sample) / sqrt(len(sample)))


def test_the_absorbing_chain_holds_within_the_confidence_interval() -> None:
    runs = runs_of(TRIAL)
    model = lost_disks.fate(Transient(Decimal(25), Decimal("2.5")), 3, ONE, UPKEEP)
    assert_agrees([one.right for one in runs], 1 - float(model.unavailability))
    assert_agrees([one.mttf_s for one in runs], float(model.mttf_s))


def test_so_does_the_chain_of_both_kinds_of_failure() -> None:
    """Up to a choice of the chain, by which its share of right reads is some 0.6 % lower: less than this interval."""
    trial = msgspec.structs.replace(TRIAL, network_up_s=40.0, network_down_s=2.5)
    runs = runs_of(trial)
    model = both_failures.fate(
        Transient(Decimal(40), Decimal("2.5")), Transient(Decimal(25), Decimal("2.5")), 3, ONE, UPKEEP
    )
    assert_agrees([one.right for one in runs], 1 - float(model.unavailability))
    assert_agrees([one.mttf_s for one in runs], float(model.mttf_s))


def test_asking_a_copy_that_is_there_is_better_than_asking_any() -> None:
    there = fmean(one.right for one in runs_of(msgspec.structs.replace(TRIAL, asks="there"), 5))
    assert there > fmean(one.right for one in runs_of(TRIAL)) + 0.03


def test_objects_that_are_read_often_are_mended_often() -> None:
    zipf = runs_of(msgspec.structs.replace(TRIAL, zipf=1.0), 4)
    assert fmean(one.right for one in zipf) > fmean(one.availability for one in zipf) + 0.02


def test_the_times_that_were_seen_are_those_that_were_drawn() -> None:
    runs = runs_of(TRIAL)
    assert fmean(one.up_s for one in runs) == pytest.approx(25.0, rel=0.05)
    assert fmean(one.down_s for one in runs) == pytest.approx(2.5, rel=0.05)


def test_the_same_trial_gives_the_same() -> None:
    assert try_disks(TRIAL) == try_disks(TRIAL)
