"""How long silence may last, and suspicion."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.core.mesh.membership.suspicion import (
    HEARTBEAT_S,
    SAMPLES_MIN,
    SILENCE_MAX_S,
    Arrivals,
    silence_allowed_s,
    suspicion_lasts_s,
)

SILENCES = st.lists(st.floats(0.0, 100.0), max_size=60)


def history(*silences: float) -> Arrivals:
    arrivals = Arrivals()
    for silence_s in silences:
        arrivals = arrivals.after(silence_s)
    return arrivals


@pytest.mark.parametrize(
    ("silences", "allowed_s", "lasts_s"),
    [
        pytest.param([], 2.0, 0.75, id="of a stranger nothing is known"),
        pytest.param([0.5] * (SAMPLES_MIN - 1), 2.0, 0.75, id="a short history is not believed yet"),
        pytest.param([0.1, 3.0, 0.5], 2.0, 0.75, id="however irregular it was"),
        pytest.param([0.5] * SAMPLES_MIN, 1.25, 0.625, id="a calm node"),
        pytest.param([0.5] * 100, 1.25, 0.625, id="calm for long makes nobody more severe"),
        pytest.param([0.1] * 100, 1.25, 0.625, id="word that comes more often does not either"),
        pytest.param([0.4, 0.6] * 50, 1.26, 0.63, id="jitter of 100 ms is within the least deviation"),
        pytest.param([0.5, 0.5, 0.5, 1.0] * 30, 2.01, 0.75, id="one beat in four is lost"),
        pytest.param([2.0] * 200, 2.75, 0.75, id="a slow but regular node"),
        pytest.param([0.5, 9.0] * 30, 10.0, 0.75, id="there is a longest silence"),
    ],
)
def test_the_allowed_silence_follows_the_history(silences: list[float], allowed_s: float, lasts_s: float) -> None:
    arrivals = history(*silences)
    assert silence_allowed_s(arrivals) == pytest.approx(allowed_s, abs=0.05)
    assert suspicion_lasts_s(arrivals) == pytest.approx(lasts_s, abs=0.025)


def test_a_killed_node_of_a_calm_mesh_is_known_dead_within_two_seconds() -> None:
    calm = history(*[HEARTBEAT_S] * 20)
    assert silence_allowed_s(calm) + suspicion_lasts_s(calm) < 2.0


def test_a_newcomer_that_is_killed_is_known_dead_within_three_seconds() -> None:
    assert silence_allowed_s(Arrivals()) + suspicion_lasts_s(Arrivals()) < 2.8


def test_one_stall_makes_a_node_less_suspicious_and_is_forgotten_within_half_a_minute() -> None:
    calm = history(*[0.5] * 30)
    stalled = calm.after(1.5)
    assert silence_allowed_s(stalled) > silence_allowed_s(calm) + 0.5
    for _ in range(60):
        stalled = stalled.after(0.5)
    assert silence_allowed_s(stalled) == pytest.approx(silence_allowed_s(calm), abs=0.02)


def test_the_first_samples_are_averaged_evenly() -> None:
    silences = [0.3, 0.5, 0.9, 0.4]
    arrivals = history(*silences)
    assert arrivals.mean_s == pytest.approx(statistics.fmean(silences))
    assert arrivals.variance_s2 == pytest.approx(statistics.pvariance(silences))


@given(SILENCES)
def test_the_allowed_silence_is_always_between_two_beats_and_the_longest(silences: list[float]) -> None:
    allowed_s = silence_allowed_s(history(*silences))
    assert 2 * HEARTBEAT_S < allowed_s <= SILENCE_MAX_S
