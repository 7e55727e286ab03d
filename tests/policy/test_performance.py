"""How much of a machine there is to give, as one number."""

import pytest

from roost.model.limits import PERFORMANCE_MAX
from roost.model.vitals import AT_EASE, Vitals
from roost.policy.performance import in_words, performance


def test_a_machine_that_is_idle_plugged_in_and_wired_has_all_to_give() -> None:
    assert performance(AT_EASE, 0.0, 0.0) == PERFORMANCE_MAX


def test_remaining_capacity_utilisation_and_link_are_multiplied() -> None:
    """FAIR 3.2 leaves f open: 0.8 of a battery, four tenths used by others, a link of a half."""
    assert performance(Vitals(0.8, 0.4, 0.5), 0.0, 0.0) == 240_000
    assert performance(Vitals(0.15), 0.0, 0.0) == 150_000


def test_what_lanes_take_now_and_took_over_a_long_time_is_utilisation_too() -> None:
    assert performance(AT_EASE, 0.25, 0.0) == 750_000
    assert performance(AT_EASE, 0.0, 0.25) == 750_000
    assert performance(Vitals(utilisation=0.5), 0.5, 0.5) == 125_000


@pytest.mark.parametrize(
    ("vitals", "lanes", "worked"),
    [
        (Vitals(remaining=0.0), 0.0, 0.0),
        (Vitals(utilisation=1.0), 0.0, 0.0),
        (Vitals(link=0.0), 0.0, 0.0),
        (AT_EASE, 1.0, 0.0),
        (AT_EASE, 0.0, 1.0),
        (Vitals(remaining=float("nan")), 0.0, 0.0),
        (Vitals(remaining=-2.0), 0.0, 0.0),
    ],
)
def test_what_has_nothing_left_of_one_of_them_has_nothing_to_give(vitals: Vitals, lanes: float, worked: float) -> None:
    assert performance(vitals, lanes, worked) == 0


def test_no_measurement_makes_more_of_a_machine_than_there_is() -> None:
    assert performance(Vitals(7.0, -3.0, 2.0), -1.0, -1e-17) == PERFORMANCE_MAX


def test_what_others_use_and_the_link_count_in_tenths_so_that_noise_does_not_outweigh_work() -> None:
    a_short_job = performance(AT_EASE, 0.0, 1e-5)
    assert a_short_job < performance(Vitals(utilisation=0.04, link=0.96), 0.0, 0.0) == PERFORMANCE_MAX
    assert performance(Vitals(utilisation=0.06), 0.0, 0.0) == 900_000


def test_people_are_told_as_many_digits_as_tell_two_apart() -> None:
    assert in_words(500_000) == "0.50"
    assert (in_words(930_000, 810_000), in_words(810_000, 930_000)) == ("0.93", "0.81")
    assert (in_words(999_981, 999_976), in_words(999_976, 999_981)) == ("0.999981", "0.999976")
    assert in_words(500_000, 500_000) == "0.50"
