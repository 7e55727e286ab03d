"""A submission becomes exactly the event that was meant, or one sentence."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.api.requests import Submission
from roost.app.intake.reading import read_body
from roost.app.intake.submission import segments_of, to_event
from roost.core.events import Submitted
from roost.model.errors import InvalidInput
from roost.model.ids import task_id
from roost.model.limits import SAFE_MAX
from roost.model.ranges import RangeSet
from roost.model.task import Command, Edge, EdgeKind, Needs, Priority, Reuse, RunKind
from tests.app.web.plain_service import PlainService

WORK = {"command": {"argv": ["true"]}}


@pytest.fixture
def service(tmp_path: Any) -> PlainService:
    return PlainService(tmp_path)


def event_of(service: PlainService, **fields: Any) -> Submitted:
    return to_event(read_body(msgspec.json.encode(fields), Submission), service)


def refusal_of(service: PlainService, **fields: Any) -> str:
    """Return the sentence of the refusal; nothing may have changed."""
    before = service.snapshot()
    with pytest.raises(InvalidInput) as caught:
        event_of(service, **fields)
    assert service.snapshot() == before
    return str(caught.value)


def test_a_name_and_a_command_are_enough(service: PlainService) -> None:
    event = event_of(service, tasks=[{"name": "draw", **WORK}])
    (task,) = event.tasks
    run = event.run
    assert (run.id[:2], run.name, run.kind, run.final, event.open) == ("1-", "draw", RunKind.COMMAND, (), False)
    assert event.cause.startswith("submit")
    assert (task.id, task.run, task.work) == (task_id(run.id, "draw"), run.id, Command(("true",)))
    assert (task.elements, task.needs, task.retries) == (RangeSet.of([0]), Needs(), 0)
    assert (task.priority, task.has_items, task.edges) == (Priority.LOW, False, ())
    assert task.submitted == run.submitted
    assert (event.items, event.blobs, event.safe, event.quorum) == ((), (), 0, False)


def test_everything_that_can_be_said_arrives(service: PlainService) -> None:
    first = {"name": "a", "array": "1-9", **WORK}
    second = {
        "name": "b",
        "array": "2-9:2",
        "edges": [{"source": "a", "kind": "each", "port": "x"}],
        "cpus": 0.5,
        "memory_bytes": 1024,
        "require": " cores >= 4 ",
        "time_limit_s": 60,
        "length_s": 9,
        "retries": 2,
        "priority": "interactive",
        **WORK,
    }
    event = event_of(service, name="my flow", kind="flow", final=["b", "b"], tasks=[first, second], safe=3, quorum=True)
    run, task = event.run, event.tasks[1]
    assert (run.name, run.kind, run.final) == ("my flow", RunKind.FLOW, (task_id(run.id, "b"),))
    assert (event.safe, event.quorum) == (3, True)
    assert str(task.elements) == "2,4,6,8"
    assert task.edges == (Edge(task_id(run.id, "a"), EdgeKind.EACH, "x"),)
    assert task.needs == Needs.of(0.5, 1024, 60.0, "cores >= 4")
    assert (task.retries, task.priority, task.stated_s) == (2, Priority.INTERACTIVE, 9.0)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ({}, [Reuse.OFF, Reuse.OFF, Reuse.PURE]),
        ({"workflow": "w"}, [Reuse.KEPT, Reuse.NEVER, Reuse.PURE]),
        ({"workflow": "w", "resume": True}, [Reuse.RESUMED, Reuse.NEVER, Reuse.PURE]),
        ({"workflow": "w", "fresh": True}, [Reuse.KEPT, Reuse.NEVER, Reuse.FRESH]),
    ],
)
def test_reuse_is_what_the_run_and_the_task_say(
    service: PlainService, asked: dict[str, Any], wanted: list[Reuse]
) -> None:
    tasks = [{"name": f"t{at}", "reuse": own, **WORK} for at, own in enumerate((None, False, True))]
    event = event_of(service, tasks=tasks, **asked)
    assert [task.reuse for task in event.tasks] == wanted
    assert event.run.workflow == asked.get("workflow", "")


@pytest.mark.parametrize("asked", [{"resume": True}, {"resume": True, "fresh": True, "workflow": "w"}])
def test_what_cannot_be_resumed_is_refused(service: PlainService, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="resume"):
        event_of(service, tasks=[{"name": "a", **WORK}], **asked)


def test_items_number_the_elements_or_fill_the_array_that_was_given(service: PlainService) -> None:
    event = event_of(
        service,
        tasks=[{"name": "a", "items": ["x", 1, None], **WORK}, {"name": "b", "items": [5, 6], "array": "3,7", **WORK}],
    )
    assert [str(task.elements) for task in event.tasks] == ["0-2", "3,7"]
    assert all(task.has_items for task in event.tasks)
    stored = {(task, segment.start): segment.values() for task, segment in event.items}
    a, b = (task.id for task in event.tasks)
    assert stored == {(a, 0): [b'"x"', b"1", b"null"], (b, 3): [b"5"], (b, 7): [b"6"]}


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ({"items": []}, "task 'a', field 'items': it is empty; an array needs at least one"),
        ({"items": [1], "array": "1-2"}, "task 'a', field 'items': there are 1, but the array has 2 elements"),
        ({"array": "5-1"}, "task 'a', field 'array': '5-1' counts downwards; write the smaller number first"),
        (
            {"array": str(2**50)},
            "task 'a', field 'array': the index 1125899906842624 is too large; the largest is 1,099,511,627,776",
        ),
        ({"command": None}, "task 'a': give it just one of 'command', 'function', 'script', 'value' and 'manual'"),
        (
            {"function": {"call": "a:b"}},
            "task 'a': give it just one of 'command', 'function', 'script', 'value' and 'manual'",
        ),
        (
            {"script": {"code": ""}},
            "task 'a': give it just one of 'command', 'function', 'script', 'value' and 'manual'",
        ),
    ],
)
def test_a_task_that_cannot_be_is_refused_by_name(service: PlainService, task: dict[str, Any], sentence: str) -> None:
    assert refusal_of(service, tasks=[{"name": "a", **WORK, **task}]) == sentence


@pytest.mark.parametrize("safe", [-1, 0, 1, SAFE_MAX + 1, 2.5, "2"])
def test_a_number_of_disks_that_cannot_be_is_refused(service: PlainService, safe: Any) -> None:
    assert "safe" in refusal_of(service, tasks=[{"name": "a", **WORK}], safe=safe)


def test_a_final_task_must_be_one_of_the_submission(service: PlainService) -> None:
    refusal = refusal_of(service, tasks=[{"name": "a", **WORK}], final=["b"])
    assert refusal == "field 'final': 'b' is not a task of this submission"


def test_a_runs_name_is_one_printable_line(service: PlainService) -> None:
    refusal = refusal_of(service, tasks=[{"name": "a", **WORK}], name="a\nb")
    assert refusal == "field 'name': 'a?b' must be one line of printable text"


def test_the_folder_of_a_submission_must_be_a_full_path(service: PlainService) -> None:
    refusal = refusal_of(service, tasks=[{"name": "a", **WORK}], cwd="here")
    assert refusal == "field 'cwd': 'here' is not a full path; begin it with /"


@given(st.sets(st.integers(0, 5_000), min_size=1, max_size=50).map(RangeSet.of), st.data())
def test_segments_hold_every_value_at_its_place(elements: RangeSet, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.binary(max_size=3), min_size=len(elements), max_size=len(elements)))
    segments = list(segments_of(elements, values))
    indices = [index for segment in segments for index in segment.ranges]
    assert indices == list(elements)
    assert [value for segment in segments for value in segment.values()] == values


def test_segments_stay_small_in_count_and_in_bytes() -> None:
    many = list(segments_of(RangeSet.span(0, 2_500), [b"x"] * 2_500))
    assert [segment.count for segment in many] == [1_000, 1_000, 500]
    large = list(segments_of(RangeSet.span(0, 4), [bytes(200_000)] * 4))
    assert [segment.count for segment in large] == [2, 2]


def test_ports_that_edges_repeat_become_one_object(service: PlainService) -> None:
    tasks = [{"name": "a", **WORK}, *({"name": name, "edges": [_PORT], **WORK} for name in ("b", "c"))]
    _, second, third = event_of(service, tasks=tasks).tasks
    assert second.edges[0].port is third.edges[0].port


_PORT = {"source": "a", "kind": "broadcast", "port": "a port"}


def test_a_run_has_the_policy_that_it_names_else_that_of_the_node(service: PlainService) -> None:
    def recorded(**asked: str) -> str:
        (task,) = event_of(service, tasks=[{"name": "draw", **WORK}], **asked).tasks
        return task.policy

    assert [recorded(), recorded(policy="bfgc"), recorded(policy="fcfs")] == ["", "bfgc", "fcfs"]
    service.policy = "ec"
    assert [recorded(), recorded(policy="bfgc"), recorded(policy="fcfs")] == ["ec", "bfgc", "fcfs"]
    with pytest.raises(InvalidInput, match=r"field 'policy': there is no policy 'best'; there are fcfs, ec"):
        recorded(policy="best")
