"""Means from logs, with what is not known of them."""

from random import Random

import pytest
from scipy.stats import chi2

from roost.lab.availability.precision import NEVER
from roost.lab.planning.logs import Stay, mean_of, read_log, seen_in
from roost.model.errors import InvalidInput


def test_a_log_names_machines_and_their_stays() -> None:
    lines = ["# from the office", "pc-3 0 120.5", "", "pc-4 3 9 # and a remark"]
    assert read_log(lines, "log") == [Stay("pc-3", 0.0, 120.5), Stay("pc-4", 3.0, 9.0)]


@pytest.mark.parametrize("line", ["pc-3 0", "pc-3 a 5", "pc-3 9 3", "pc-3 -1 3", "pc-3 0 inf", "pc-3 0 5 7"])
def test_a_line_that_is_none_is_named(line: str) -> None:
    with pytest.raises(InvalidInput, match=r"line 2 of office\.txt is"):
        read_log(["pc-1 0 5", line], "office.txt")


def test_times_that_have_not_ended_count_as_time_and_not_as_ends() -> None:
    seen = seen_in([Stay("a", 0, 10), Stay("a", 15, 40), Stay("b", 5, 20)])
    # There: 10 + 25 + 15 s, and twice it ended; away: 5 + 5 + 20 s, and twice it ended.
    assert (seen.machines, seen.up.mean_s, seen.up.ends) == (2, 25, 2)
    assert (seen.down.mean_s, seen.down.ends) == (15, 2)


@pytest.mark.parametrize("ends", [1, 2, 7, 100, 3000])
def test_intervals_are_those_of_chi_square(ends: int) -> None:
    mean = mean_of(1000.0, ends)
    assert float(mean.low_s) == pytest.approx(2000 / chi2.ppf(0.975, 2 * ends + 2), rel=1e-9)
    assert float(mean.high_s) == pytest.approx(2000 / chi2.ppf(0.025, 2 * ends), rel=1e-9)


def test_what_never_ended_is_longer_than_something() -> None:
    mean = mean_of(1000.0, 0)
    assert (mean.mean_s, mean.high_s, mean.ends) == (NEVER, NEVER, 0)
    assert float(mean.low_s) == pytest.approx(2000 / chi2.ppf(0.975, 2), rel=1e-9)


def test_intervals_hold_the_truth_about_95_times_in_100() -> None:
    rng, held = Random("logs"), 0
    for _ in range(300):
        mean = mean_of(sum(rng.expovariate(1 / 50) for _ in range(8)), 8)
        held += mean.low_s <= 50 <= mean.high_s
    assert 275 <= held <= 300


def test_stays_of_a_machine_do_not_overlap() -> None:
    with pytest.raises(InvalidInput, match="the logs let a come at 5 s"):
        seen_in([Stay("a", 0, 10), Stay("a", 5, 20)])
    with pytest.raises(InvalidInput, match="name no machine"):
        seen_in([])
