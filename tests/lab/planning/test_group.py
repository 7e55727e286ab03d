"""One answer for three models."""

from decimal import Decimal

import pytest

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import Upkeep
from roost.lab.availability.precision import NEVER
from roost.lab.availability.transient import Transient
from roost.lab.planning.group import Failures, Kind, outlook, transient_points
from roost.model.errors import InvalidInput

TIMES = Transient(Decimal(10) ** 6, Decimal(1000))
ONE = Consistency("ONE", "ONE")


def test_each_kind_has_its_model() -> None:
    network = outlook(Failures(Kind.TRANSIENT, network=TIMES), 3, ONE)
    disks = outlook(Failures(Kind.MEMORYLESS, disks=TIMES), 3, ONE)
    both = outlook(Failures(Kind.BOTH, TIMES, TIMES), 3, ONE)
    assert network.mttf_s == NEVER
    assert float(disks.mttf_s) == pytest.approx(3.2517e11, rel=1e-4)
    assert both.unavailability > disks.unavailability > network.unavailability


def test_points_begin_with_all_there() -> None:
    fresh, later = transient_points(Failures(Kind.TRANSIENT, network=TIMES), 3, ONE, [Decimal(0), Decimal(500)])
    assert (fresh, later > 0) == (0, True)


@pytest.mark.parametrize("kind", Kind)
def test_a_group_that_cannot_be_is_told_in_a_sentence(kind: Kind) -> None:
    failures = Failures(kind, TIMES, TIMES, Upkeep(nodes=5))
    with pytest.raises(InvalidInput, match="5 nodes cannot keep 6 copies"):
        outlook(failures, 6, ONE)
    with pytest.raises(InvalidInput, match="from 1 to 64 copies, and not 0"):
        outlook(failures, 0, ONE)
