"""The absorbing chain of nodes that come back without data."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import LOST, Gossip, ReadRepair, Upkeep, chain, failing, fate
from roost.lab.availability.precision import NEVER
from roost.lab.availability.transient import Transient
from roost.model.errors import InvalidInput
from tests.lab.availability.exact import mean_times

DISKS = Transient(Decimal(10) ** 6, Decimal(1000))
ONE = Consistency("ONE", "ONE")


@pytest.mark.parametrize(("replicas", "published", "half_digit"), [(3, 3.25e11, 0.005e11), (5, 1.90e17, 0.005e17)])
def test_the_mean_time_to_failure_of_table_3_2(replicas: int, published: float, half_digit: float) -> None:
    assert float(fate(DISKS, replicas, ONE, Upkeep()).mttf_s) == pytest.approx(published, abs=half_digit)


@pytest.mark.parametrize("replicas", [1, 2, 3, 5, 7])
def test_it_is_right_where_linear_equations_have_no_digit_left(replicas: int) -> None:
    upkeep = Upkeep()
    rates = chain(DISKS, replicas, upkeep, upkeep.read_repair_rate("ONE", replicas))
    exactly = {state: {to: Fraction(rate) for to, rate in leaving.items()} for state, leaving in rates.items()}
    times = mean_times(exactly, LOST)
    found, whole = fate(DISKS, replicas, ONE, upkeep), sum(times.values())
    lacking = sum(time * Fraction(failing(replicas, 1, *state)) for state, time in times.items()) / whole
    assert found.mttf_s == pytest.approx(Decimal(whole.numerator) / whole.denominator, rel=Decimal("1e-25"))
    assert float(found.unavailability) == pytest.approx(float(lacking), rel=1e-15)


def test_a_group_may_last_longer_than_doubles_reach() -> None:
    found = fate(Transient(Decimal(10) ** 30, Decimal(1)), 20, ONE, Upkeep())
    assert found.mttf_s.adjusted() > 400


def test_the_chain_has_as_many_states_as_figure_3_7() -> None:
    for replicas in (1, 3, 6):
        rates = chain(DISKS, replicas, Upkeep(), Decimal(1))
        assert len(rates) == replicas * (replicas + 1) // 2


def test_the_rates_of_three_copies_are_those_of_figure_3_8() -> None:
    upkeep = Upkeep(anti_entropy_s=Decimal(2), gossip=Gossip.NOTHING)
    rates = chain(Transient(Decimal(1), Decimal("0.1")), 3, upkeep, Decimal(7))
    assert rates == {
        (0, 0): {(0, 1): 3},
        (1, 0): {(1, 1): 2, (0, 1): 1, (0, 0): Decimal("7.5")},
        (0, 1): {(0, 2): 2, (1, 0): 10},
        (2, 0): {LOST: 1, (1, 1): 2, (0, 0): Decimal("7.5")},
        (1, 1): {LOST: 1, (0, 2): 1, (2, 0): 10, (0, 1): 7},
        (0, 2): {LOST: 1, (1, 1): 20},
    }


def test_each_copy_may_wait_for_a_read_of_its_own() -> None:
    rates = chain(DISKS, 3, Upkeep(one_read_mends=ReadRepair.EACH, theta=Decimal(0)), Decimal(7))
    assert rates[2, 0][1, 0] == 14
    assert (0, 0) not in rates[2, 0]


def test_what_an_operation_gets_is_what_3_11_says() -> None:
    assert failing(3, 1, 0, 0) == 0
    assert float(failing(3, 1, 1, 1)) == pytest.approx(2 / 3)
    assert float(failing(3, 2, 2, 0)) == pytest.approx(1 / 3)
    assert failing(3, 2, 0, 2) == 1
    assert failing(3, 3, 2, 0) == 0
    assert failing(3, 3, 0, 1) == 1


def test_gossip_takes_the_time_of_3_5_and_repairs_that_of_3_12() -> None:
    upkeep = Upkeep()
    assert float(upkeep.gossip_s) == pytest.approx(4.3200308)
    assert float(upkeep.anti_entropy_rate(3)) == pytest.approx(0.11544, abs=5e-6)
    assert float(upkeep.read_repair_rate("ONE", 3)) == pytest.approx(0.1)
    assert Upkeep(nodes=2).gossip_s == 0
    delayed = Upkeep(gossip=Gossip.REPAIRS)
    assert float(1 / delayed.read_repair_rate("ONE", 3)) == pytest.approx(14.3200308)


def test_the_chance_of_read_repair_counts_only_at_one() -> None:
    upkeep = Upkeep(read_repair=Decimal("0.1"))
    assert float(upkeep.read_repair_rate("QUORUM", 3) / upkeep.read_repair_rate("ONE", 3)) == pytest.approx(10)


SHARES = st.integers(0, 10).map(lambda tenths: Decimal(tenths) / 10)


@given(st.integers(2, 7), SHARES, SHARES)
@settings(max_examples=30, deadline=None)
def test_repairing_more_often_never_shortens_the_life_of_data(replicas: int, one: Decimal, other: Decimal) -> None:
    low, high = sorted((one, other))
    times = [fate(DISKS, replicas, ONE, Upkeep(theta=theta)).mttf_s for theta in (low, high)]
    assert times[0] <= times[1]


@given(st.integers(1, 12), st.sampled_from(["10", "1000", "100000"]))
@settings(max_examples=30, deadline=None)
def test_more_copies_let_data_last_longer(replicas: int, down: str) -> None:
    disks = Transient(Decimal(10) ** 6, Decimal(down))
    assert fate(disks, replicas + 1, ONE, Upkeep()).mttf_s > fate(disks, replicas, ONE, Upkeep()).mttf_s


def test_one_copy_lasts_as_long_as_its_disk() -> None:
    assert fate(DISKS, 1, ONE, Upkeep()) == (0, 10**6)


def test_disks_that_never_fail_lose_nothing() -> None:
    assert fate(Transient(NEVER, Decimal(5)), 3, ONE, Upkeep()) == (0, NEVER)


def test_nodes_that_never_return_are_used_up() -> None:
    found = fate(Transient(Decimal(6), NEVER), 3, ONE, Upkeep())
    assert float(found.mttf_s) == pytest.approx(6 / 3 + 6 / 2 + 6)


@pytest.mark.parametrize(
    ("upkeep", "said"),
    [
        (Upkeep(nodes=2), "2 nodes cannot keep 3 copies"),
        (Upkeep(objects=0), "at least one object"),
        (Upkeep(theta=Decimal(2)), "from 0 to 1"),
        (Upkeep(anti_entropy_s=Decimal(0)), "anti-entropy repair takes some time"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(upkeep: Upkeep, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        fate(DISKS, 3, ONE, upkeep)


def test_a_node_that_is_never_away_is_refused() -> None:
    with pytest.raises(InvalidInput, match="away for no time at all"):
        fate(Transient(Decimal(5), Decimal(0)), 3, ONE, Upkeep(gossip=Gossip.NOTHING))
