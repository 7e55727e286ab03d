"""Roost's own worker processes, measured: real ones."""

import pytest

from roost.lab.scripts import jobs, product
from roost.lab.scripts.engine import NotMeasured, Round
from roost.lab.scripts.jobs import Job
from roost.lab.scripts.product import open_product


@pytest.mark.parametrize("lives_on", [False, True])
def test_jobs_run_in_the_workers_that_a_node_has(lives_on: bool) -> None:
    with open_product(lives_on=lives_on) as session:
        laps = session.run(Round(Job.FLOPS.source, 5000, workers=2, jobs=4))
        assert session.title.startswith("QuickJS")
    assert len(laps) == 4
    assert {lap.worker for lap in laps} <= {0, 1}
    for lap in laps:
        jobs.check(Job.FLOPS, 5000, lap.result)
        assert 0 < lap.busy_s < lap.seconds


def test_a_worker_that_lives_on_starts_jobs_sooner() -> None:
    # A start of Python takes tens of milliseconds, a context of the engine a tenth of one.
    shortest = []
    for lives_on in (False, True):
        with open_product(lives_on=lives_on) as session:
            laps = session.run(Round(Job.PI.source, 10, jobs=5))
        shortest.append(min(lap.seconds - lap.busy_s for lap in laps))
    assert shortest[1] < shortest[0] / 2


def test_a_job_that_throws_is_told() -> None:
    with open_product(lives_on=False) as session, pytest.raises(NotMeasured, match="bad"):
        session.run(Round("function weevil_main() { throw new Error('bad') }", 1))


def test_a_job_that_takes_too_long_is_ended() -> None:
    with open_product(lives_on=True) as session, pytest.raises(NotMeasured, match="took longer than"):
        session.run(Round("function weevil_main() { for (;;); }", 1, limit_s=0.2))


def test_a_machine_without_the_engine_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product, "has_engine", lambda: False)
    with pytest.raises(NotMeasured, match="no QuickJS"), open_product(lives_on=True):
        pass
