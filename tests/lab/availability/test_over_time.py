"""Chains at a time, beside a hundred digits."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import LOST, Upkeep, chain, fate
from roost.lab.availability.over_time import chances
from roost.lab.availability.transient import Transient
from tests.lab.availability.exact import chances_at


@given(
    st.integers(1, 3),
    st.sampled_from(["1e-4", "1", "1e2", "1e4", "1e6"]),
    st.sampled_from([("1e4", "100"), ("50", "5"), ("1e6", "0.1")]),
)
@settings(max_examples=25, deadline=None)
def test_every_chance_has_its_leading_digits(replicas: int, at: str, times: tuple[str, str]) -> None:
    rates = chain(Transient(Decimal(times[0]), Decimal(times[1])), replicas, Upkeep(), Decimal("0.1"))
    (found,) = chances(rates, [float(at)], LOST)
    expected = chances_at(rates, LOST, Decimal(at))
    assert found == pytest.approx({state: float(chance) for state, chance in expected.items()}, rel=1e-12, abs=1e-200)


def test_data_decays_at_the_rate_of_its_mean_life_however_long_that_is() -> None:
    disks = Transient(Decimal(10) ** 4, Decimal(100))
    rates = chain(disks, 7, Upkeep(), Decimal("0.1"))
    mttf_s = float(fate(disks, 7, Consistency("ONE", "ONE"), Upkeep()).mttf_s)
    early, middle, late = chances(rates, [mttf_s / 1e6, mttf_s, 100 * mttf_s], LOST)
    assert early[LOST] == pytest.approx(1e-6, rel=1e-5)
    assert middle[LOST] == pytest.approx(0.632121, rel=1e-5)
    assert late[LOST] == pytest.approx(1.0)


def test_at_the_beginning_it_is_in_its_first_state() -> None:
    (found,) = chances({"up": {"down": 2.0}, "down": {"up": 1.0}}, [0.0])
    assert found == {"up": 1.0, "down": 0.0}


def test_a_chain_without_an_end_comes_to_its_long_run() -> None:
    (found,) = chances({"up": {"down": 2.0}, "down": {"up": 1.0}}, [1e30])
    assert found == pytest.approx({"up": 1 / 3, "down": 2 / 3})


def test_a_chain_in_which_nothing_happens_stays_where_it_is() -> None:
    assert chances({"up": {}}, [5.0], "end") == [{"up": 1.0, "end": 0.0}]
