import msgspec
import pytest

from roost.client.failures import TaskFailed
from roost.client.flow_run import submit_flow
from roost.client.pool import Pool
from roost.client.steps import manual, value
from roost.client.workflow import Workflow, task, workflow
from roost.core.events import Submitted
from roost.model.errors import InvalidInput
from roost.model.ids import name_of
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.task import EdgeKind, Reuse, RunKind
from tests.client.functions import add, double, fail_at
from tests.client.small_node import SmallNode

DOUBLE, ADD, SUM, FAIL_AT = task(double), task(add), task(sum), task(fail_at)


def test_a_workflow_runs_whole_in_one_run_of_its_own(node: SmallNode, pool: Pool) -> None:
    with workflow("sums") as flow:
        offset = DOUBLE(5)
        doubled = DOUBLE.map(range(100))
        moved = ADD.map(doubled, offset)
        total = SUM(moved)
    run = flow.run(pool, timeout=10, quorum=True, policy="wqr-2")
    assert run.state == "done"
    assert run.counts == {"done": 202}
    assert run.result(total, timeout=10) == 2 * sum(range(100)) + 1000
    assert run.result(moved, timeout=10) == [2 * number + 10 for number in range(100)]
    assert run.result(offset, timeout=10) == 10
    submitted = [request for request in node.service.asked if isinstance(request, Submitted)]
    assert [(request.run.id, request.run.kind, request.open, request.quorum) for request in submitted] == [
        (run.id, RunKind.FLOW, False, True)
    ]
    assert {task.policy for request in submitted for task in request.tasks} == {"wqr-2"}


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


def test_waiting_shows_a_bar_if_asked_to(
    pool: Pool, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
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


def test_final_results_come_without_naming_them(pool: Pool) -> None:
    with workflow("finals") as flow:
        first, second = DOUBLE(1), DOUBLE.map(range(3))
    with pytest.raises(InvalidInput, match="has named no final result"):
        flow.submit(pool).result()
    flow.final(first)
    assert flow.submit(pool).result(timeout=10) == 2
    flow.final(first, second)
    assert flow.submit(pool).result(timeout=10) == (2, [0, 2, 4])


def test_values_and_parts_arrive_and_can_be_asked_for(pool: Pool) -> None:
    with workflow("parts") as flow:
        table = value({"left": 4, "right": [1, 2]})
        total = ADD(table["left"], 3)
        rows = task(dict).map([[("a", 1)], [("a", 2)]])
    run = flow.submit(pool)
    assert run.result(total, timeout=10) == 7
    assert run.result(table["right"], timeout=10) == [1, 2]
    assert run.result(rows["a"], timeout=10) == [1, 2]


def test_a_pool_is_handed_in_with_its_mapper_and_its_blocks(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    with workflow("pool") as flow:
        numbers = value([1, 2])
        doubled = DOUBLE.map(numbers.spread())
        asked = manual("Look").map(n=doubled)
        gathered = SUM(doubled)
        flow.final(gathered)
    run = flow.submit(pool)
    submitted = next(request for request in node.service.asked if isinstance(request, Submitted))
    tasks = {name_of(spec.id): spec for spec in submitted.tasks}
    assert (tasks["value"].is_mapped, tasks["double"].mapper, tasks["double"].depth) == (True, f"{run.id}/value", 1)
    assert tasks["double"].elements == tasks["manual"].elements == RangeSet.span(0, POOL_BLOCK)
    # A task of a pool always waits for its mapper, whatever else it takes.
    assert [(edge.kind, edge.port) for edge in tasks["manual"].edges] == [(EdgeKind.EACH, "n"), (EdgeKind.SPREAD, "")]
    assert submitted.run.final == (tasks["sum"].id,)
    assert asked.mappers == ("value",)
    run.cancel()


def test_a_workflow_that_resumes_says_which_it_is(node: SmallNode, pool: Pool) -> None:
    pure, never = task(reuse=True)(double), task(reuse=False)(double)
    with workflow("again") as flow:
        DOUBLE(1), pure(1), never(1)
    for resume, wanted in (
        (False, [Reuse.OFF, Reuse.PURE, Reuse.OFF]),
        (True, [Reuse.RESUMED, Reuse.PURE, Reuse.NEVER]),
    ):
        run = flow.run(pool, timeout=10, resume=resume)
        submitted = next(request for request in reversed(node.service.asked) if isinstance(request, Submitted))
        assert [spec.reuse for spec in submitted.tasks] == wanted
        assert submitted.run.workflow.startswith("again of /") is resume
        assert run.taken_over == 0


def test_waiting_says_what_was_taken_over(
    node: SmallNode, pool: Pool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    look = node.service.run
    monkeypatch.setattr(node.service, "run", lambda run: msgspec.structs.replace(look(run), taken_over=3))
    with workflow("again") as flow:
        handle = DOUBLE.map(range(5))
    run = flow.run(pool, timeout=10, resume=True)
    assert run.taken_over == 3
    assert run.result(handle, timeout=10) == [0, 2, 4, 6, 8]
    assert [record.getMessage() for record in caplog.records if record.name == "roost"] == [
        f"run {run.id}: 3 of 5 taken over from earlier runs"
    ]
