"""How long a node stays: formulas worked out by hand, and what comes out of samples whose parameters are known."""

import math
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.limits import ONLINE_STRETCHES_MAX
from roost.model.online import NEVER_ONLINE, OnlineLog, Stretch
from roost.policy.reliability import (
    BOOTSTRAP_RATE,
    KNOWN_ENDS_MIN,
    MAX_SCORE,
    SHAPE_ENDS_MIN,
    SHAPE_MAX,
    Exponential,
    Lifetime,
    Reliability,
    Weibull,
    fitness_score,
    published_reliability,
    reliability_of,
    survival_score,
)
from roost.wire.codec import decode, encode

HOUR_S = 3600.0
SOME_LENGTHS = st.floats(0, 1e9)


def log_of(*lengths: float) -> OnlineLog:
    return OnlineLog(tuple(Stretch(0.0, length) for length in lengths))


def fitted(*lengths: float, age_s: float = 0.0) -> Lifetime:
    found = reliability_of(log_of(*lengths), 0.0, age_s)
    assert found.is_known
    return found.lifetime


# The formulas, by hand.


def test_htc_4_3_an_exponential_node_survives_by_its_rate_alone() -> None:
    stable, unstable = Exponential(1e-6), Exponential(1e-4)
    assert survival_score(stable, 25_000, 0.0) == pytest.approx(0.975310, abs=1e-6)
    assert survival_score(unstable, 1500, 0.0) == pytest.approx(0.860708, abs=1e-6)
    assert survival_score(unstable, 1500, 9e9) == survival_score(unstable, 1500, 0.0), "4.2: it has no memory"


def test_htc_4_1_a_weibull_node_survives_by_its_age() -> None:
    ageing = Weibull(scale_s=100.0, shape=2.0)
    assert survival_score(ageing, 100.0, 0.0) == pytest.approx(math.exp(-1))
    assert survival_score(ageing, 100.0, 100.0) == pytest.approx(math.exp(-3)), "exp(1^2 - 2^2)"
    settling = Weibull(scale_s=100.0, shape=0.5)
    assert survival_score(settling, 300.0, 100.0) == pytest.approx(math.exp(-1)), "exp(1 - 2)"
    assert survival_score(settling, 300.0, 0.0) == pytest.approx(math.exp(-math.sqrt(3)))


def test_htc_4_7_and_4_12_the_expected_lifetime() -> None:
    assert Exponential(1e-4).mean_s == 10_000.0
    assert Weibull(789_999.5, 0.7).mean_s == pytest.approx(1e6, rel=1e-5), "HTC's stable nodes"
    assert Weibull(7_899.995, 0.7).mean_s == pytest.approx(1e4, rel=1e-5), "HTC's unstable nodes"
    assert Weibull(5000.0, 0.5).mean_s == pytest.approx(1e4), "their repairs"
    assert Exponential(0.0).mean_s == math.inf


def test_htc_4_9_the_fitness_of_an_element_for_a_node() -> None:
    node = Exponential(1e-4)
    assert fitness_score(node, 5000.0, 0.0) == pytest.approx(math.exp(-0.5) / 0.5)
    assert fitness_score(node, 20_000.0, 0.0) == pytest.approx(math.exp(-2) / 1)
    assert fitness_score(node, 10_000.0, 0.0) == MAX_SCORE, "it is just as long as the node is expected to stay"
    assert fitness_score(Weibull(100.0, 1.0), 50.0, 0.0) == pytest.approx(math.exp(-0.5) / 0.5)
    assert fitness_score(Weibull(100.0, 2.0), 100.0, 100.0) == pytest.approx(math.exp(-3) / (100 / 88.6226925 - 1))


def test_htc_4_2_2_the_fittest_node_is_not_the_most_stable_one() -> None:
    stable, unstable = Exponential(1e-6), Exponential(1e-4)
    assert survival_score(stable, 8000, 0.0) > survival_score(unstable, 8000, 0.0)
    assert fitness_score(stable, 8000, 0.0) < fitness_score(unstable, 8000, 0.0)


def test_htc_4_4_the_rate_is_the_inverse_of_the_mean() -> None:
    assert fitted(100.0, 200.0, 300.0) == Exponential(1 / 200)


def test_a_stretch_that_lasts_counts_with_its_time_and_is_no_end() -> None:
    assert fitted(100.0, 200.0, 300.0, age_s=600.0) == Exponential(3 / 1200)


def test_what_the_log_has_summed_up_counts_for_the_rate() -> None:
    log = OnlineLog((Stretch(0.0, 100.0),), older=9, older_s=1900.0)
    assert reliability_of(log, 0.0, 0.0) == Reliability(Exponential(10 / 2000), 10, is_known=True)


# Too little history.


def test_htc_4_4_1_a_node_without_history_is_taken_to_be_very_stable() -> None:
    assert reliability_of(NEVER_ONLINE, 50.0, 50.0) == Reliability(Exponential(1e-8), 0, is_known=False)
    few = log_of(*[60.0] * (KNOWN_ENDS_MIN - 1))
    assert reliability_of(few, 50.0, 70.0) == Reliability(Exponential(BOOTSTRAP_RATE), KNOWN_ENDS_MIN, is_known=False)
    assert reliability_of(log_of(*[60.0] * KNOWN_ENDS_MIN), 50.0, 50.0).is_known


def test_a_clock_that_was_set_back_makes_no_negative_age() -> None:
    assert reliability_of(log_of(60.0, 60.0, 60.0), 5000.0, 4000.0).lifetime == Exponential(1 / 60)


# Samples.


def test_the_rate_is_found_while_stretches_last_and_a_plain_mean_of_those_that_ended_is_too_short() -> None:
    """Nodes are looked at when 20,000 s are over, and each is up then: long stretches are those that still last."""
    rng, rate, ended, lasting_s = Random(17), 1e-4, [], 0.0
    for _ in range(1000):
        begun_s = 0.0
        while begun_s + (length := rng.expovariate(rate)) < 20_000.0:
            ended.append(length)
            begun_s += length
        lasting_s += 20_000.0 - begun_s
    log = OnlineLog((), older=len(ended), older_s=sum(ended))
    found = reliability_of(log, 0.0, lasting_s).lifetime
    assert isinstance(found, Exponential)
    assert found.rate == pytest.approx(rate, rel=4 / math.sqrt(len(ended)))
    assert sum(ended) / len(ended) < 0.7 / rate


def test_the_rate_of_a_large_sample_with_censoring_is_right_within_four_standard_errors() -> None:
    rng, rate = Random(4), 1e-4
    lengths = [rng.expovariate(rate) for _ in range(2000)]
    log = OnlineLog((), older=len(lengths), older_s=sum(lengths))
    found = reliability_of(log, 0.0, rng.expovariate(rate)).lifetime
    assert isinstance(found, Exponential)
    assert found.rate == pytest.approx(rate, rel=4 / math.sqrt(2000))


@pytest.mark.parametrize("shape", [0.4, 0.7, 2.0, 5.0])
def test_scale_and_shape_of_a_sample_are_found(shape: float) -> None:
    rng = Random(7)
    lengths = [rng.weibullvariate(7_899.995, shape) for _ in range(ONLINE_STRETCHES_MAX)]
    found = fitted(*lengths, age_s=rng.weibullvariate(7_899.995, shape) / 2)
    assert isinstance(found, Weibull)
    # Four standard errors: 0.78 / sqrt(n) of the shape, 1.05 / (shape sqrt(n)) of the scale.
    assert found.shape == pytest.approx(shape, rel=4 * 0.78 / 16)
    assert found.scale_s == pytest.approx(7_899.995, rel=4 * 1.05 / (16 * shape))


def test_a_very_long_stretch_that_lasts_moves_a_weibull() -> None:
    rng = Random(3)
    lengths = [rng.weibullvariate(1000.0, 0.7) for _ in range(30)]
    young, old = fitted(*lengths), fitted(*lengths, age_s=100_000.0)
    assert isinstance(young, Weibull)
    assert isinstance(old, Weibull)
    assert old.mean_s > 1.5 * young.mean_s
    assert old.shape < young.shape


def test_the_likeliest_weibull_solves_its_equations() -> None:
    """The derivatives of the censored log-likelihood by shape and by scale are zero."""
    rng = Random(11)
    ends, age_s = [max(1.0, rng.weibullvariate(500.0, 0.6)) for _ in range(40)], 900.0
    found = fitted(*ends, age_s=age_s)
    assert isinstance(found, Weibull)

    def likelihood(scale_s: float, shape: float) -> float:
        ended = sum(math.log(shape / scale_s) + (shape - 1) * math.log(x / scale_s) for x in ends)
        return ended - sum((x / scale_s) ** shape for x in [*ends, age_s])

    best = likelihood(found.scale_s, found.shape)
    for scale, shape in ((1.001, 1.0), (0.999, 1.0), (1.0, 1.001), (1.0, 0.999)):
        assert likelihood(found.scale_s * scale, found.shape * shape) < best


# Which of the two.


def test_a_sample_of_exponential_stretches_is_seldom_taken_for_a_weibull() -> None:
    """Akaike lets chance pass for a shape in one of six samples, and its shape is then not far from 1."""
    rng, taken = Random(5), []
    for _ in range(200):
        found = fitted(*[rng.expovariate(1e-3) for _ in range(40)])
        if isinstance(found, Weibull):
            taken.append(found.shape)
    assert len(taken) < 50
    assert all(0.5 < shape < 2 for shape in taken)


def test_with_few_ends_nothing_is_said_of_a_shape() -> None:
    punctual = [8 * HOUR_S + minute * 60 for minute in range(SHAPE_ENDS_MIN)]
    assert isinstance(fitted(*punctual[:-1]), Exponential)
    assert isinstance(fitted(*punctual), Weibull)


def test_a_machine_that_is_switched_off_every_evening_does_not_survive_it() -> None:
    rng = Random(1)
    lifetime = fitted(*[rng.gauss(8 * HOUR_S, HOUR_S) for _ in range(60)])
    assert survival_score(lifetime, HOUR_S, HOUR_S) > 0.95, "in the morning"
    assert survival_score(lifetime, HOUR_S, 8 * HOUR_S) < 0.6, "in the evening"


# What a log may hold.


@pytest.mark.parametrize(
    "lengths",
    [
        [28_800.0] * 12,
        [0.0] * 12,
        [0.0] * 11 + [1e-12],
        [1e300] * 12,
        [1e-300, 1e300] * 6,
        [1e308] * ONLINE_STRETCHES_MAX,
        [5e-324] * 5,
        [1.0, 1e15, 0.0, 30.0],
    ],
)
@pytest.mark.parametrize("age_s", [0.0, 1e-300, 20.0, 1e300])
def test_equal_tiny_and_huge_stretches_break_nothing(lengths: list[float], age_s: float) -> None:
    found = reliability_of(log_of(*lengths), 0.0, age_s)
    assert found.is_known
    scores = [survival_score(found.lifetime, length_s, age_s) for length_s in (0.0, 1.0, 1e6, 1e308)]
    assert all(0 <= later <= earlier <= 1 for earlier, later in pairwise(scores))
    assert 0 <= fitness_score(found.lifetime, 60.0, age_s) <= MAX_SCORE


def test_equal_stretches_have_the_steepest_shape_that_there_is() -> None:
    found = fitted(*[28_800.0] * 12)
    assert isinstance(found, Weibull)
    assert found.shape == pytest.approx(SHAPE_MAX, rel=1e-6)
    assert found.scale_s == pytest.approx(28_800.0)


lifetimes = st.one_of(
    st.builds(Exponential, st.floats(1e-12, 1e3)), st.builds(Weibull, st.floats(1e-3, 1e12), st.floats(0.1, 10.0))
)


@given(lifetimes, SOME_LENGTHS, SOME_LENGTHS, SOME_LENGTHS)
def test_a_survival_is_a_chance_that_falls_with_length(
    lifetime: Lifetime, one: float, other: float, age: float
) -> None:
    short, long = sorted((one, other))
    assert 0 <= lifetime.survival(long, age) <= lifetime.survival(short, age) + 1e-9 <= 1 + 1e-9
    assert lifetime.survival(0.0, age) == 1


@given(st.floats(1e-9, 1e-2), st.floats(0, 1e6), st.floats(0, 1e9))
def test_an_exponential_has_no_memory_and_is_a_weibull_of_shape_1(rate: float, length: float, age: float) -> None:
    exponential, weibull = Exponential(rate), Weibull(1 / rate, 1.0)
    assert exponential.survival(length, age) == exponential.survival(length, 0.0)
    assert weibull.survival(length, age) == pytest.approx(exponential.survival(length, age), rel=1e-6, abs=1e-12)
    assert weibull.mean_s == pytest.approx(exponential.mean_s)


@given(lifetimes, st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_to_survive_two_elements_is_to_survive_one_and_then_the_other(
    lifetime: Lifetime, one: float, other: float, age: float
) -> None:
    both = lifetime.survival(one, age) * lifetime.survival(other, age + one)
    assert lifetime.survival(one + other, age) == pytest.approx(both, rel=1e-4, abs=1e-9)


@given(st.lists(st.floats(0, 1e8), min_size=KNOWN_ENDS_MIN, max_size=40), st.floats(0, 1e8))
def test_whatever_was_seen_is_fitted(lengths: list[float], age_s: float) -> None:
    found = reliability_of(log_of(*lengths), 0.0, age_s)
    assert found.is_known
    assert found.periods == len(lengths) + (age_s > 0)
    assert 0 < found.lifetime.mean_s < math.inf


@given(lifetimes, st.booleans())
def test_it_can_be_told_to_others(lifetime: Lifetime, known: bool) -> None:
    told = Reliability(lifetime, 3, is_known=known)
    assert decode(encode(told), Reliability) == told


def test_the_published_estimate_is_the_plain_mean_from_the_first_end_on() -> None:
    assert published_reliability(OnlineLog()).lifetime == Exponential(BOOTSTRAP_RATE)
    log = OnlineLog((Stretch(0.0, 100.0), Stretch(200.0, 500.0)))
    assert published_reliability(log).lifetime == Exponential(2 / 400.0)
    assert published_reliability(OnlineLog(log.stretches, 2, 600.0)).lifetime == Exponential(4 / 1000.0)
