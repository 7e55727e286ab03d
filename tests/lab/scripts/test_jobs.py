"""The jobs, run by the bare engine, beside the same arithmetic in Python."""

import re

import pytest
import quickjs

from roost.lab.scripts.engine import NotMeasured, Result
from roost.lab.scripts.jobs import Job, check


def call(job: Job, argument: int) -> tuple[int, float]:
    context = quickjs.Context()
    context.eval(job.source)
    context.eval(f"var result = weevil_main({argument})")
    return context.eval("result.operations"), context.eval("result.value")


def test_the_flops_job_does_all_that_it_counts() -> None:
    total, turn = 0.0, 0.5
    while turn < 1000:
        total = total + 13 - turn * 14 * 2 * 15 * 2 * 4 * 2 * 3.6 * 1.2
        turn += 1
    assert call(Job.FLOPS, 1000) == (10_000, total)


def test_the_printed_job_is_the_one_of_figure_4_2() -> None:
    total = 0.0
    for _ in range(1000):
        total = total + 13 - 10 * 14 * 2 * 15 * 2 * 4 * 2 * 3.6 * 1.2
    assert call(Job.PRINTED, 1000) == (10_000, total)


@pytest.mark.parametrize("job", [Job.FLOPS, Job.PRINTED])
def test_a_turn_has_as_many_operations_as_the_document_counts(job: Job) -> None:
    (expression,) = re.findall(r" = sum ([^;]*);", job.source)
    assert len(re.findall(r"[-+*]", expression)) == job.operations == 10


@pytest.mark.parametrize("job", [Job.FLOPS, Job.PRINTED, Job.PI, Job.RANDOM])
@pytest.mark.parametrize("argument", [1, 10, 20_000])
def test_what_a_job_returns_passes_its_check(job: Job, argument: int) -> None:
    operations, value = call(job, argument)
    check(job, argument, Result(operations, value))


@pytest.mark.parametrize("job", list(Job))
def test_work_that_was_not_done_is_noticed(job: Job) -> None:
    with pytest.raises(NotMeasured, match="are right"):
        check(job, 100_000, Result(job.operations * 100_000, 0.0))
    with pytest.raises(NotMeasured, match="are right"):
        check(job, 100_000, Result(0, float("nan")))
