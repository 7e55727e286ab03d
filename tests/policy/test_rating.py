"""The scores of HTC, with values worked out by hand; and what people are told of them."""

import math

import pytest

from roost.model.ids import NodeId, TaskId
from roost.model.online import OnlineLog, Stretch
from roost.model.ranges import ONE
from roost.policy.rating import (
    CORRECTION,
    LENGTH_UNKNOWN_S,
    by_chance,
    by_corrected_fitness,
    by_failure_rate,
    by_fitness,
    by_lifetime_bound,
    by_published_corrected_fitness,
    by_published_fitness,
    by_published_survival,
    by_survival,
)
from roost.policy.reliability import MAX_SCORE
from tests.policy.plain_view import PlainCandidate, PlainView

#: Four times an hour on line, and just back: 4 ends in 4 hours, one failure an hour.
HOURLY = OnlineLog(tuple(Stretch(at * 10_000.0, at * 10_000.0 + 3600.0) for at in range(4)))


def view(online: OnlineLog = HOURLY, *, finished: int = 0, aborted: int = 0, node: str = "ash") -> PlainView:
    return PlainView(
        [], NodeId(node), now=50_000.0, online=online, online_since=50_000.0, finished=finished, aborted=aborted
    )


def task(length_s: float | None, *, aborted: int = 0) -> PlainCandidate:
    return PlainCandidate(TaskId("5-kedova/a"), ONE, length_s=length_s, aborted=aborted)


def test_f1_is_the_chance_to_stay_as_long_as_an_element_takes() -> None:
    # HTC 4.3: e^(-lambda l), with lambda = 1 / 3600 and l = 1800: e^-0.5 = 0.60653.
    assert by_survival(view()).score(task(1800.0)) == pytest.approx(-0.606530660)
    assert by_survival(view()).score(task(3600.0)) == pytest.approx(-1 / math.e)


def test_f2_is_that_chance_by_the_gap_of_length_and_lifetime() -> None:
    # HTC 4.9: e^-0.5 / |0.5 - 1| = 1.21306; e^-2 / |2 - 1| = 0.13534.
    assert by_fitness(view()).score(task(1800.0)) == pytest.approx(-1.213061319)
    assert by_fitness(view()).score(task(7200.0)) == pytest.approx(-0.135335283)


def test_f2_of_what_takes_exactly_as_long_as_the_node_stays_is_the_largest_score() -> None:
    assert by_fitness(view()).score(task(3600.0)) == -MAX_SCORE
    assert by_fitness(view()).why(task(3600.0)).endswith("score the best there is")


def test_bfgce_takes_an_element_for_a_tenth_longer_after_each_abort() -> None:
    # HTC 4.6.1: 1800 s * 1.1 * 1.1 = 2178 s, 0.605 of the lifetime: e^-0.605 / 0.395 = 0.54607 / 0.395 = 1.38246.
    assert CORRECTION == 1.1
    assert by_corrected_fitness(view()).score(task(1800.0, aborted=2)) == pytest.approx(-1.38246, abs=1e-4)
    assert by_corrected_fitness(view()).score(task(1800.0)) == by_fitness(view()).score(task(1800.0))
    assert by_fitness(view()).score(task(1800.0, aborted=2)) == by_fitness(view()).score(task(1800.0))
    why = by_corrected_fitness(view()).why(task(1800.0, aborted=2))
    assert "an element takes about 36 min 18 s (longer than was said, after 2 aborted)" in why


@pytest.mark.parametrize(
    ("finished", "aborted", "score"), [(0, 0, 600.0), (9, 1, 660.0), (0, 3, 1200.0), (30, 10, 750.0)]
)
def test_fr_is_the_time_that_it_takes_longer_by_the_share_that_was_aborted(
    finished: int, aborted: int, score: float
) -> None:
    # HTC, algorithm 5: T * (1 + Nf / (Ns + Nf)) with T = 600 s; smaller is better.
    assert by_failure_rate(view(finished=finished, aborted=aborted)).score(task(600.0)) == pytest.approx(score)


def test_wqr_goes_by_chance_which_follows_from_names() -> None:
    scores = [by_chance(view(node=f"n{at}")).score(task(None)) for at in range(200)]
    assert all(0 <= score < 1 for score in scores)
    assert 0.4 < sum(scores) / len(scores) < 0.6
    assert by_chance(view(node="n7")).score(task(None)) == scores[7]


def test_wqr_fa_goes_by_a_bound_of_the_lifetime() -> None:
    # Of 200 lifetimes it is the fourth shortest (test_lifetime_bound.py).
    stable = OnlineLog(tuple(Stretch(1e6 * day, 1e6 * day + 36_000.0 + day) for day in range(200)))
    assert by_lifetime_bound(view(stable)).score(task(None)) == -36_003.0
    assert by_lifetime_bound(view()).score(task(None)) == 0.0
    assert "too seldom to tell how long it nearly always stays" in by_lifetime_bound(view()).why(task(None))
    assert by_lifetime_bound(view(stable)).why(task(None)) == (
        "it is the next in the queue, and this node nearly always stays 10 h 00 min or more: score 3.6e+04"
    )


def test_what_has_no_length_is_taken_for_a_short_one_on_every_node() -> None:
    for rate in (by_survival, by_fitness, by_corrected_fitness, by_failure_rate):
        assert rate(view()).score(task(None)) == rate(view()).score(task(LENGTH_UNKNOWN_S))
        assert "nobody knows how long an element takes" in rate(view()).why(task(None))


def test_people_are_told_in_numbers_that_they_know() -> None:
    assert by_survival(view()).why(task(1200.0)) == (
        "this node stays an hour with 37%, 1 h 00 min on average; an element takes about 20 min 00 s: score 0.717"
    )
    assert by_failure_rate(view(finished=9, aborted=1)).why(task(600.0)) == (
        "an element takes about 10 min 00 s, and 1 of 10 executions here were aborted: score 660"
    )


def test_of_a_node_that_is_new_it_is_said_that_nothing_is_known() -> None:
    young = OnlineLog((Stretch(0.0, 10.0),))
    assert by_survival(view(young)).why(task(1200.0)).startswith("how long this node stays is not known yet")
    assert by_survival(view(young)).score(task(1200.0)) == pytest.approx(-1.0, abs=1e-4)


def test_a_node_that_has_stayed_for_long_is_known_to_stay() -> None:
    # 4 ends in 4 hours on line before, and 4 hours of this time: half the rate.
    staying = PlainView([], now=50_000.0 + 4 * 3600.0, online=HOURLY, online_since=50_000.0)
    # It is estimated anew whenever that time is longer by a tenth.
    assert by_survival(staying).score(task(1800.0)) == pytest.approx(-math.exp(-0.25), rel=0.02)


def test_published_ratings_go_by_the_plain_mean_of_a_single_stay() -> None:
    view = PlainView([], online=OnlineLog((Stretch(0.0, 3600.0),)))
    task = PlainCandidate(TaskId("5-kedova/a"), ONE, length_s=1800.0, aborted=1)
    survival = math.exp(-0.5)
    assert by_published_survival(view).score(task) == pytest.approx(-survival)
    assert by_published_fitness(view).score(task) == pytest.approx(-survival / 0.5)
    assert by_published_corrected_fitness(view).score(task) == pytest.approx(-math.exp(-0.55) / 0.45)
    # The product's own estimate does not believe a single stay.
    assert by_survival(view).score(task) == pytest.approx(-1.0, abs=1e-4)
