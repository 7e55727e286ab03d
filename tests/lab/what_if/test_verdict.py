"""Which policy does best, and how sure that is."""

import math
from random import Random

import pytest
from msgspec.structs import replace
from scipy import stats

from roost.lab.what_if.outcome import Outcome
from roost.lab.what_if.verdict import FIRST_LOOK, MATTERS, looks, mean_of, measures_of, verdict_of
from tests.lab.what_if.test_outcome import ONE


def spans(*seconds: float, done: bool = True) -> list[Outcome]:
    return [replace(ONE, make_span_s=one, is_done=done) for one in seconds]


def drawn(mean: float, spread: float, count: int, seed: int) -> list[float]:
    rng = Random(seed)
    return [rng.gauss(mean, spread) for _ in range(count)]


def test_the_interval_of_a_mean_is_that_of_students_t() -> None:
    values = drawn(10.0, 2.0, 12, 1)
    low, high = stats.t.interval(0.95, 11, stats.tmean(values), stats.sem(values))
    found = mean_of(values)
    assert found.mean - found.error == pytest.approx(low)
    assert found.mean + found.error == pytest.approx(high)
    assert mean_of([3.0]).error == math.inf


def test_differences_within_worlds_tell_what_make_spans_alone_do_not() -> None:
    worlds = drawn(1000.0, 300.0, 12, 1)
    shorter = [one * 0.97 + noise for one, noise in zip(worlds, drawn(0.0, 3.0, 12, 2), strict=True)]
    verdict = verdict_of({"roost": spans(*worlds), "bfgc": spans(*shorter)}, 1)
    assert (verdict.policy, verdict.best, verdict.is_clear) == ("bfgc", "bfgc", True)
    (rival,) = verdict.rivals
    assert rival.longer.mean == pytest.approx(0.03, abs=0.005)
    assert rival.longer.error < 0.01
    assert verdict.sentence.startswith("take bfgc: its make-span is shorter than that of roost by 3.")
    assert verdict.sentence.endswith("95% sure, over 12 worlds)")


def test_the_default_is_kept_where_nobody_is_shown_to_be_better() -> None:
    worlds = drawn(1000.0, 300.0, 12, 1)
    like = [one * 0.995 + (-1) ** at * 60.0 for at, one in enumerate(worlds)]
    verdict = verdict_of({"roost": spans(*worlds), "bfgc": spans(*like)}, 1)
    assert verdict.policy == "roost"
    assert (verdict.best, verdict.is_clear) == ("bfgc", False)
    assert "no policy is shown to be better" in verdict.sentence


def test_what_differs_by_less_than_matters_is_as_good_and_that_is_clear() -> None:
    worlds = drawn(1000.0, 300.0, 12, 1)
    hardly = [one * (1 + MATTERS / 2) for one in worlds]
    verdict = verdict_of({"ec": spans(*worlds), "fcfs": spans(*hardly)}, 1)
    assert verdict.is_clear
    assert verdict.rivals[0].is_decided


def test_where_nobody_is_worse_the_default_is_kept_or_what_wastes_the_least_is_taken() -> None:
    worlds = drawn(1000.0, 300.0, 6, 1)
    thrifty = [replace(one, aborted_s=0.0) for one in spans(*worlds)]
    verdict = verdict_of({"ec": spans(*worlds), "fcfs": thrifty}, 1)
    assert (verdict.policy, verdict.is_clear) == ("fcfs", True)
    assert verdict.sentence == "take fcfs: of these no policy is better than chance shows, over 6 worlds"
    verdict = verdict_of({"roost": spans(*worlds), "fcfs": thrifty}, 1)
    assert verdict.sentence.startswith("keep roost: of these no policy is better")


def test_of_those_that_are_as_good_as_the_best_what_wastes_the_least_is_taken() -> None:
    worlds = drawn(1000.0, 300.0, 12, 1)
    thrifty = [replace(one, aborted_s=0.0) for one in spans(*[one * (1 + MATTERS / 2) for one in worlds])]
    verdict = verdict_of({"roost": spans(*[2 * one for one in worlds]), "ec": spans(*worlds), "fcfs": thrifty}, 1)
    assert (verdict.policy, verdict.best) == ("fcfs", "ec")
    assert verdict.sentence.endswith("and fcfs, which is as short, wastes less")


def test_more_rivals_and_more_looks_make_intervals_wider() -> None:
    worlds, others = drawn(1000.0, 100.0, 12, 1), drawn(1010.0, 100.0, 12, 2)
    two = {"roost": spans(*worlds), "fcfs": spans(*others)}
    error = verdict_of(two, 1).rivals[0].longer.error
    assert verdict_of(two, 4).rivals[0].longer.error > error
    assert verdict_of({**two, "ec": spans(*others)}, 1).rivals[0].longer.error > error


def test_a_policy_with_which_work_is_not_always_done_is_no_rival() -> None:
    never = spans(1.0, 1.0, done=False)
    verdict = verdict_of({"roost": spans(9.0, 9.0), "ec": never}, 1)
    assert (verdict.policy, verdict.rivals) == ("roost", ())
    assert "only one" in verdict.sentence
    verdict = verdict_of({"roost": never, "ec": never}, 1)
    assert verdict.is_clear
    assert "with no policy" in verdict.sentence


def test_one_policy_is_clear_when_its_make_span_is_known_well_enough() -> None:
    assert verdict_of({"roost": spans(100.0, 100.1, 99.9)}, 1).is_clear
    assert not verdict_of({"roost": spans(100.0, 150.0, 50.0)}, 1).is_clear


def test_chance_alone_is_seldom_taken_for_a_difference() -> None:
    wrong = 0
    for seed in range(300):
        policies = {name: spans(*drawn(100.0, 10.0, 8, seed * 10 + at)) for at, name in enumerate("abcd")}
        verdict = verdict_of(policies, 1)
        wrong += any(rival.is_worse for rival in verdict.rivals)
    # The best of four is compared with the others, hence the interval for each; without that it is three times as many.
    assert wrong / 300 < 0.1


def test_it_is_looked_after_twice_as_many_worlds_each_time() -> None:
    assert looks(48) == [FIRST_LOOK, 12, 24, 48]
    assert looks(20) == [6, 12, 20]
    assert looks(2) == [2]


def test_measures_are_of_the_worlds_in_which_the_work_was_done() -> None:
    told = measures_of("roost", [*spans(10.0, 20.0), *spans(900.0, done=False)])
    assert (told.worlds, told.done, told.make_span_s.mean, told.wasted.mean) == (3, 2, 15.0, 0.1)
    assert told.users_jain is None
    assert measures_of("roost", spans(900.0, done=False)).make_span_s.mean == 900.0
