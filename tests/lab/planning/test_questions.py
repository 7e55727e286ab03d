"""How much churn is borne, and how often to repair."""

from decimal import Decimal

import pytest

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.transient import Transient
from roost.lab.planning.group import Failures, Kind
from roost.lab.planning.questions import churn_borne, lacking_at, repaired


@pytest.mark.parametrize("level", ["ONE", "QUORUM", "ALL"])
def test_the_ratio_is_the_least_that_is_enough(level: str) -> None:
    ratio = churn_borne(Decimal("0.001"), 5, level).ratio
    assert ratio is not None
    assert lacking_at(ratio, 5, level) <= Decimal("0.001")
    assert lacking_at(ratio * Decimal("0.9999"), 5, level) > Decimal("0.001")


def test_all_of_one_needs_what_the_wish_says() -> None:
    ratio = churn_borne(Decimal("0.1"), 1, "ALL").ratio
    assert ratio is not None
    assert float(ratio) == pytest.approx(9.0)


def test_a_wish_beyond_all_nodes_is_never_fulfilled() -> None:
    assert churn_borne(Decimal("1e-40"), 3, "ALL").ratio is None


def test_half_of_the_repairs_add_twenty_days_as_in_3_4_4() -> None:
    failures = Failures(Kind.MEMORYLESS, disks=Transient(Decimal(10) ** 5, Decimal(100)))
    never, half = repaired(failures, 2, Consistency("ONE", "ONE"), [Decimal(0), Decimal("0.5")])
    assert float((half.mttf_s - never.mttf_s) / 86_400) == pytest.approx(20, abs=1)
    assert half.unavailability < Decimal("0.00113")
