"""Both kinds of failure in one chain."""

from decimal import Decimal
from fractions import Fraction

import pytest

from roost.lab.availability import lost_disks, transient
from roost.lab.availability.both_failures import LOST, REPLICAS_MAX, State, chain, failing, fate
from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import ReadRepair, Upkeep
from roost.lab.availability.precision import NEVER
from roost.lab.availability.transient import Transient
from roost.model.errors import InvalidInput
from tests.lab.availability.exact import mean_times

NETWORK = Transient(Decimal(10) ** 6, Decimal(1000))
DISKS = Transient(Decimal(10) ** 7, Decimal(5000))
SELDOM = Decimal("1e60")
LEVELS = ("ONE", "QUORUM", "ALL")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("replicas", [1, 2, 3, 5])
@pytest.mark.parametrize("up", [SELDOM, NEVER])
def test_without_the_other_kind_it_is_either_model(replicas: int, level: str, up: Decimal) -> None:
    consistency = Consistency(level, "ONE", Decimal("0.95"))
    disks_alone = fate(Transient(up, Decimal(10)), DISKS, replicas, consistency, Upkeep())
    model = lost_disks.fate(DISKS, replicas, consistency, Upkeep())
    assert disks_alone.mttf_s == pytest.approx(model.mttf_s, rel=Decimal("1e-25"))
    assert disks_alone.unavailability == pytest.approx(model.unavailability, rel=Decimal("1e-25"), abs=Decimal("1e-40"))
    network_alone = fate(NETWORK, Transient(up, Decimal(10)), replicas, consistency, Upkeep())
    closed = transient.unavailability(NETWORK, replicas, consistency)
    assert network_alone.unavailability == pytest.approx(closed, rel=Decimal("1e-25"))
    assert network_alone.mttf_s >= Decimal("1e50")


@pytest.mark.parametrize("mends", ReadRepair)
def test_it_is_exact(mends: ReadRepair) -> None:
    upkeep = Upkeep(one_read_mends=mends)
    rates = chain(NETWORK, DISKS, 3, upkeep, upkeep.read_repair_rate("ONE", 3))
    exactly = {state: {to: Fraction(rate) for to, rate in leaving.items()} for state, leaving in rates.items()}
    whole = sum(mean_times(exactly, LOST).values())
    found = fate(NETWORK, DISKS, 3, Consistency("ONE", "ONE"), upkeep)
    assert found.mttf_s == pytest.approx(Decimal(whole.numerator) / whole.denominator, rel=Decimal("1e-25"))


def test_data_on_a_node_that_is_away_for_a_time_is_not_lost() -> None:
    rates = chain(NETWORK, DISKS, 2, Upkeep(), Decimal(1))
    last_copy_there, last_copy_away = State(1, 0, 0), State(0, 1, 0)
    assert LOST in rates[last_copy_there]
    assert LOST not in rates[last_copy_away]
    assert rates[last_copy_away][State(0, 1, 1)] == Decimal("1e-7")
    # Nobody is there with data: nothing is mended until the node with it is back.
    assert set(rates[State(1, 1, 0)]) == {State(1, 0, 0), State(0, 1, 1)}


def test_all_states_are_there_once() -> None:
    # What n nodes in four classes may be, less where none has data.
    for replicas, states in ((1, 2), (2, 7), (3, 16)):
        assert len(chain(NETWORK, DISKS, replicas, Upkeep(), Decimal(1))) == states


def test_an_operation_passes_by_nodes_that_are_known_to_be_away() -> None:
    assert failing(3, 1, State(0, 2, 0)) == 0
    assert float(failing(3, 1, State(0, 1, 1))) == pytest.approx(1 / 2)
    assert failing(3, 1, State(2, 1, 0)) == 1
    assert failing(3, 3, State(0, 1, 0)) == 1
    assert failing(3, 3, State(1, 0, 0)) == 0


def test_more_failures_of_networks_never_raise_availability() -> None:
    found = [
        fate(Transient(Decimal(up), Decimal(1000)), DISKS, 3, Consistency("ONE", "ONE"), Upkeep()).unavailability
        for up in (10**5, 10**6, 10**7, 10**9)
    ]
    assert found == sorted(found, reverse=True)


def test_what_cannot_be_is_told_in_a_sentence() -> None:
    with pytest.raises(InvalidInput, match="has to come back"):
        fate(Transient(Decimal(5), NEVER), DISKS, 3, Consistency(), Upkeep())
    with pytest.raises(InvalidInput, match=f"at most {REPLICAS_MAX} copies"):
        fate(NETWORK, DISKS, REPLICAS_MAX + 1, Consistency(), Upkeep())
