import pytest

from roost.app.client.failures import TaskFailed
from roost.app.client.flow_run import submit_flow
from roost.app.client.pool import Pool
from roost.app.client.workflow import Workflow, task, workflow
from roost.core.events import Submitted
from roost.model.errors import InvalidInput
from roost.model.task import RunKind
from tests.app.client.functions import add, double, fail_at
from tests.app.client.small_node import SmallNode

DOUBLE, ADD, SUM, FAIL_AT = task(double), task(add), task(sum), task(fail_at)


def test_a_workflow_runs_whole_in_one_run_of_its_own(node: SmallNode, pool: Pool) -> None:
    with workflow("sums") as flow:
        offset = DOUBLE(5)
        doubled = DOUBLE.map(range(100))
        moved = ADD.map(doubled, offset)
        total = SUM(moved)
    run = flow.run(pool, timeout=10)
    assert run.state == "done"
    assert run.counts == {"done": 202}
    assert run.result(total, timeout=10) == 2 * sum(range(100)) + 1000
    assert run.result(moved, timeout=10) == [2 * number + 10 for number in range(100)]
    assert run.result(offset, timeout=10) == 10
    submitted = [request for request in node.service.asked if isinstance(request, Submitted)]
    assert [(request.run.id, request.run.kind, request.open) for request in submitted] == [
        (run.id, RunKind.FLOW, False)
    ]


def test_a_workflow_may_run_several_times(pool: Pool) -> None:
    with workflow("again") as flow:
        doubled = DOUBLE(21)
    first, second = flow.submit(pool), flow.submit(pool)
    assert first.id != second.id
    assert (first.result(doubled, 10), second.result(doubled, 10)) == (42, 42)


def test_a_failed_element_fails_what_needs_it(pool: Pool) -> None:
    with workflow("unlucky") as flow:
        numbers = FAIL_AT.map(range(5), [3] * 5)
        total = SUM(numbers)
    run = flow.submit(pool)
    assert run.wait(10) == "failed"
    assert run.counts == {"done": 4, "failed": 1, "aborted": 1}
    with pytest.raises(LookupError, match="no 3"):
        run.result(numbers, timeout=10)
    with pytest.raises(TaskFailed, match="never ran"):
        run.result(total, timeout=10)


def test_a_run_can_be_waited_for_and_cancelled(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    with workflow("long") as flow:
        DOUBLE.map(range(10))
    run = submit_flow(flow, pool)
    with pytest.raises(TimeoutError):
        run.wait(0.01)
    assert run.cancel() == 10
    assert run.state == "cancelled"


def test_waiting_shows_a_bar_if_asked_to(pool: Pool, capfd: pytest.CaptureFixture[str]) -> None:
    with workflow("shown") as flow:
        DOUBLE.map(range(10))
    assert flow.submit(pool).wait(10, progress=True) == "done"
    assert "10/10" in capfd.readouterr().err


def test_many_items_travel_in_several_segments(node: SmallNode, pool: Pool) -> None:
    with workflow("wide") as flow:
        wide = DOUBLE.map(range(12_000))
    assert flow.submit(pool).result(wide, timeout=20) == [2 * number for number in range(12_000)]
    submitted = next(request for request in node.service.asked if isinstance(request, Submitted))
    assert [segment.count for _, segment in submitted.items] == [5000, 5000, 2000]


def test_what_cannot_be_is_refused_with_a_sentence(pool: Pool) -> None:
    with pytest.raises(InvalidInput, match="has no steps"):
        Workflow("empty").submit(pool)
    with workflow("a") as flow:
        DOUBLE(1)
    with workflow("b"):
        foreign = DOUBLE(1)
    with pytest.raises(InvalidInput, match="not a step"):
        flow.submit(pool).result(foreign)
