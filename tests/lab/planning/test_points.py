"""Availability at a time, where data can be lost."""

from decimal import Decimal
from itertools import pairwise

import pytest

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.precision import NEVER
from roost.lab.availability.transient import Transient
from roost.lab.planning.group import Failures, Kind, outlook
from roost.lab.planning.points import BOTH_REPLICAS_MAX, points
from roost.model.errors import InvalidInput

DISKS = Transient(Decimal(10) ** 4, Decimal(100))
NETWORK = Transient(Decimal(1000), Decimal(100))
ONE = Consistency("ONE", "ONE")
LOSING = Failures(Kind.MEMORYLESS, disks=DISKS)
TIMES = [Decimal(10) ** at for at in range(-2, 12)]


def test_what_is_lost_stays_lost() -> None:
    lacking = points(LOSING, 3, ONE, TIMES)
    assert all(before <= after for before, after in pairwise(lacking))
    assert lacking[0] == pytest.approx(Decimal("1e-6"), rel=Decimal("1e-3"))
    assert lacking[-1] == pytest.approx(1)


def test_between_settling_and_losing_it_is_what_the_long_run_says() -> None:
    (lacking,) = points(LOSING, 5, ONE, [Decimal(10) ** 6])
    assert float(lacking) == pytest.approx(float(outlook(LOSING, 5, ONE).unavailability), rel=1e-3)


def test_both_kinds_are_worse_than_either() -> None:
    at = [Decimal(10), Decimal(10) ** 4]
    both = points(Failures(Kind.BOTH, NETWORK, DISKS), 3, ONE, at)
    for kind in (Failures(Kind.TRANSIENT, NETWORK), LOSING):
        assert all(worse > one for worse, one in zip(both, points(kind, 3, ONE, at), strict=True))


def test_disks_that_never_fail_lose_nothing() -> None:
    assert points(Failures(Kind.MEMORYLESS, disks=Transient(NEVER, Decimal(1))), 3, ONE, TIMES[:2]) == [0, 0]
    never = Transient(NEVER, Decimal(1))
    assert points(Failures(Kind.BOTH, NETWORK, never), 3, ONE, TIMES) == pytest.approx(
        points(Failures(Kind.TRANSIENT, NETWORK), 3, ONE, TIMES), rel=Decimal("1e-9")
    )


def test_a_group_that_is_too_large_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 30 copies"):
        points(Failures(Kind.BOTH, NETWORK, DISKS), BOTH_REPLICAS_MAX + 1, ONE, TIMES)
