"""Workers that ask for jobs now and then, beside what can be reckoned by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from roost.lab.scripts.polling import Office, Way, attained

WEB = Office("clock", workers=72, jobs=1000, job_s=47.0, spread=0.1, period_s=5.0, seed=1)
LONG = Office("clock", workers=10, jobs=5000, job_s=47.0, spread=0.3, period_s=5.0, seed=1)


def test_a_clock_costs_half_a_period() -> None:
    assert attained(LONG).steady == pytest.approx(47 / 49.5, abs=0.003)


def test_a_timer_costs_a_period() -> None:
    assert attained(replace(LONG, way="timer")).steady == pytest.approx(47 / 52, abs=0.003)


def test_asking_before_the_end_costs_nothing() -> None:
    assert attained(replace(LONG, way="prefetch")).steady == pytest.approx(1.0)


def test_a_batch_costs_its_wait_once() -> None:
    found = attained(replace(LONG, way="timer", batch=10, jobs=50_000))
    assert found.steady == pytest.approx(470 / 475, abs=0.003)


def test_equal_jobs_on_a_clock_end_between_beats() -> None:
    # Jobs of exactly 47 s begin on a beat and wait for the one at 50 s.
    assert attained(replace(LONG, spread=0.0)).steady == pytest.approx(47 / 50, abs=0.003)


def test_polling_does_not_explain_the_documents_80_percent() -> None:
    for way in ("clock", "timer"):
        found = attained(replace(WEB, way=way))
        assert found.whole > 0.85
        assert found.steady > 0.90


@given(
    st.sampled_from(["clock", "timer", "prefetch"]),
    st.integers(1, 20),
    st.integers(1, 60),
    st.floats(0.1, 50),
    st.floats(0, 0.4),
    st.floats(0.5, 20),
    st.integers(1, 5),
)
def test_no_worker_does_two_jobs_at_a_time_and_all_are_done(
    way: Way, workers: int, jobs: int, job_s: float, spread: float, period_s: float, batch: int
) -> None:
    found = attained(Office(way, workers, jobs, job_s, spread, period_s, batch))
    assert 0 < found.whole <= 1 + 1e-9
    assert 0 < found.steady <= 1 + 1e-9
    assert 0 <= min(found.working) <= max(found.working) <= workers
    assert found.working[-1] == 0
    assert list(found.times) == sorted(set(found.times))


def test_the_same_question_has_the_same_answer() -> None:
    assert attained(WEB) == attained(replace(WEB))
    assert attained(WEB) != attained(replace(WEB, seed=2))
