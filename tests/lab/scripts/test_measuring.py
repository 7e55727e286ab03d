"""What is measured of one engine, with an engine whose times are invented."""

import threading

import msgspec
import pytest

from roost.lab.scripts import measuring
from roost.lab.scripts.jobs import Job
from roost.lab.scripts.measuring import Attained, Measure, alone, attain, measure, probe
from tests.lab.scripts.invented import QUICK, Invented, measured


def test_the_probe_takes_the_best_of_its_repetitions() -> None:
    # The invented engine is slow to start every second job, and every round begins with a quick one.
    probed, ends, _ = probe(Invented(0.1, 1e-7), Job.PI, QUICK)
    assert [one.size for one in probed] == [100_000, 500_000, 1_000_000, 5_000_000, 10_000_000]
    assert [one.seconds for one in probed] == pytest.approx([0.11, 0.15, 0.2, 0.6, 1.1])
    assert {one.repetitions for one in probed} == {2}
    assert ends == ""


def test_the_probe_ends_where_a_job_would_take_too_long_and_says_so() -> None:
    short = msgspec.structs.replace(QUICK, limit_s=0.5)
    probed, ends, _ = probe(Invented(0.1, 1e-7), Job.PI, short)
    assert probed[-1].size == 1_000_000
    assert ends == "5,000,000 samples would take 0.6 s, and a job may take 0.5 s here"


def test_the_smallest_sizes_are_measured_however_long_they_take() -> None:
    slow = msgspec.structs.replace(QUICK, limit_s=0.01)
    probed, _, _ = probe(Invented(1.0, 1e-6), Job.PI, slow)
    assert [(one.size, one.repetitions) for one in probed] == [(100_000, 1), (500_000, 1), (1_000_000, 1)]


def test_jobs_of_the_attained_performance_take_about_as_long_as_asked() -> None:
    session = Invented(0.1, 1e-8)
    one, two = attain(session, Job.FLOPS, 50_000_000, QUICK)
    assert (one.workers, len(one.laps)) == (1, 3)
    assert (two.workers, len(two.laps)) == (2, 6)
    # Three jobs of half a second, and starts of 0.1, 0.2 and 0.1 s.
    assert one.seconds == pytest.approx(1.9)
    assert one.flops == pytest.approx(3 * 5e8 / 1.9)
    assert two.flops == pytest.approx(2 * one.flops)
    assert one.share == pytest.approx(two.share) == pytest.approx(1.5 / 1.9)


def test_all_of_an_engine_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(monkeypatch, Invented(0.1, 2e-8))
    assert found.title == "Invented 1.0"
    assert found.missing == ""
    assert found.full_turn_s == pytest.approx(2e-8)
    assert found.printed_turn_s == found.random_s == found.full_turn_s
    assert [type(one) for one in found.attained] == [Attained, Attained]
    assert min(lap.busy_s for lap in found.attained[0].laps) == pytest.approx(QUICK.job_s, rel=0.01)
    assert found.processors >= 1


def test_graphics_do_the_approximation_of_pi_only(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Invented()
    found = measured(monkeypatch, session, pi=Job.PI_GPU)
    assert {order.source for order in session.rounds} == {Job.PI_GPU.source}
    assert found.adapter == "an adapter"
    assert found.full_turn_s == 0.0


def test_an_engine_that_is_not_there_is_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(monkeypatch, None)
    assert found.missing == "there is no invented here"
    assert found.probed == ()


def test_an_engine_that_leaves_the_work_out_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "are right" in measured(monkeypatch, Invented(lies=True)).missing


def test_what_is_measured_can_be_kept_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(monkeypatch, Invented())
    assert msgspec.json.decode(msgspec.json.encode(found), type=measuring.Measured) == found


def test_measurements_take_turns() -> None:
    is_waiting, has_begun = threading.Event(), threading.Event()

    def measure_as_well() -> None:
        is_waiting.set()
        with alone():
            has_begun.set()

    other = threading.Thread(target=measure_as_well)
    with alone():
        other.start()
        assert is_waiting.wait(30)
        assert not has_begun.wait(0.05)
    assert has_begun.wait(30)
    other.join(30)


@pytest.mark.parametrize("name", ["roost", "roost-living"])
def test_roosts_own_worker_is_measured(name: str) -> None:
    found = measure(Measure(name, largest=500_000, limit_s=0.01, repetitions=1, job_s=0.001, jobs=1))
    assert found.missing == ""
    assert [one.size for one in found.probed] == [100_000, 500_000]
    assert all(0 < one.busy_s < one.seconds for one in found.probed)
