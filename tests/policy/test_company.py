"""What the nodes of a mesh are together."""

import math

import pytest

from roost.policy.company import Ability, company_of, processor_type, ratios_of
from roost.policy.expected_length import NOTHING_SEEN
from roost.policy.reliability import BOOTSTRAP_RATE, Exponential, Weibull


def test_the_typical_node_dies_at_the_average_rate_and_is_as_fast_as_they_are_on_average() -> None:
    stable, unstable = Ability(Exponential(1e-6)), Ability(Exponential(1e-4), speed=2.5)
    company = company_of([stable, unstable, unstable])
    assert company.typical.rate == pytest.approx(67e-6)
    assert company.shortest_s == pytest.approx(1e4)
    assert (company.slowest, company.speed, company.fastest) == (1.0, 2.0, 2.5)


def test_of_other_lifetimes_their_mean_counts() -> None:
    assert company_of([Ability(Weibull(7899.995, 0.7))]).shortest_s == pytest.approx(1e4, rel=1e-3)


def test_who_tells_nothing_counts_as_one_that_stays() -> None:
    company = company_of([Ability(Exponential(1e-4))], silent=1)
    assert company.typical.rate == pytest.approx((1e-4 + BOOTSTRAP_RATE) / 2)
    assert company.shortest_s == pytest.approx(1e4)
    nobody_told = company_of([], silent=3)
    assert nobody_told.typical.rate == pytest.approx(BOOTSTRAP_RATE)
    assert nobody_told.shortest_s == pytest.approx(1 / BOOTSTRAP_RATE)
    assert nobody_told.speed == 1.0


def test_a_type_of_processor_is_the_same_number_everywhere_and_none_if_it_is_not_known() -> None:
    assert processor_type({"processor": "AMD Ryzen 7"}) == processor_type({"processor": "AMD Ryzen 7", "cores": 8})
    assert processor_type({"processor": "AMD Ryzen 7"}) != processor_type({"processor": "AMD Ryzen 9"})
    assert 0 < processor_type({"processor": "AMD Ryzen 7"}) < 2**32
    assert processor_type({}) == processor_type({"processor": 7}) == 0


def test_of_nodes_with_such_a_processor_those_count_that_have_seen_how_fast_they_are() -> None:
    lifetime = Exponential(1e-6)
    nodes = [Ability(lifetime, 2.0, 7), Ability(lifetime, 8.0, 7), Ability(lifetime, 1.0, 7), Ability(lifetime, 3.0, 9)]
    ratios = ratios_of(7, nodes)
    assert ratios.count == 2
    assert math.exp(-ratios.mean) == pytest.approx(4.0)
    assert ratios_of(8, nodes) == NOTHING_SEEN
