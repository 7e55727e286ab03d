"""Node.js and Deno, where they are: a test of one that is not here is skipped, and says so."""

import shutil

import pytest

from roost.lab.scripts import jobs
from roost.lab.scripts.engine import NotMeasured, Round
from roost.lab.scripts.finding import program
from roost.lab.scripts.host import open_host
from roost.lab.scripts.jobs import Job


@pytest.fixture(params=["node", "deno"])
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    try:
        program(name)
    except NotMeasured as reason:
        pytest.skip(f"NOT TESTED: {reason}")
    return name


def test_jobs_run_side_by_side_each_in_a_worker_of_its_own(engine: str) -> None:
    counting = Job.PI.source.replace("function", "globalThis.times = (globalThis.times ?? 0) + 1; function", 1)
    counted = counting.replace("value: inside", "value: globalThis.times")
    with open_host(engine) as session:
        laps = session.run(Round(counted, 1000, workers=2, jobs=5))
        assert session.title.startswith({"node": "Node.js ", "deno": "Deno "}[engine])
    assert [lap.result.value for lap in laps] == [1] * 5
    assert {lap.worker for lap in laps} == {0, 1}
    assert all(0 <= lap.begun_s <= lap.ended_s and lap.busy_s >= 0 for lap in laps)


def test_what_a_job_does_is_checked_and_right(engine: str) -> None:
    with open_host(engine) as session:
        for job in (Job.FLOPS, Job.PRINTED, Job.PI, Job.RANDOM):
            (lap,) = session.run(Round(job.source, 20_000))
            jobs.check(job, 20_000, lap.result)


@pytest.mark.parametrize("code", ["function weevil_main() { throw new Error('bad') }", "function weevil_main( {"])
def test_a_job_that_throws_or_cannot_be_read_is_told_and_the_next_one_runs(engine: str, code: str) -> None:
    with open_host(engine) as session:
        with pytest.raises(NotMeasured, match="its job failed"):
            session.run(Round(code, 1))
        assert len(session.run(Round(Job.PI.source, 10))) == 1


def test_what_takes_too_long_is_given_up(engine: str) -> None:
    with open_host(engine) as session, pytest.raises(NotMeasured, match="took longer"):
        session.run(Round("function weevil_main() { for (;;); }", 1, limit_s=0.3))


def test_a_program_that_is_no_engine_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_LAB_NODE", str(shutil.which("true")))
    with pytest.raises(NotMeasured, match="it has ended"), open_host("node"):
        pass
