"""What the rehearsal accepts, a real core accepts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.api.interning import said_once
from roost.api.requests import Submission
from roost.app.intake.reading import read_body
from roost.app.intake.rehearsal import rehearse
from roost.app.intake.submission import to_event
from roost.core.actions import Accepted, Refused
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Trace, TraceTask
from roost.languages.wfformat.reader import read_wfformat
from roost.languages.wfformat.writer import trace_document
from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_WORDS_MAX, REQUEST_BYTES_MAX
from tests.app.web.plain_service import PlainService
from tests.core.harness import Bench
from tests.languages.flow.flow_texts import check_flow
from tests.languages.flow.sound_flows import LARGE_FLOW, sound_flows
from tests.languages.recorded import traces

#: Pieces of flows that may come to stand anywhere in one.
WORDS = [
    "",
    "quorum: true\n",
    "0",
    "-1",
    "1e99",
    "{i}",
    "make",
    "all",
    "spread",
    "array: 1-3",
    "items: []",
    "null",
    "  ",
]


def submission(**task: Any) -> dict[str, Any]:
    return {"name": "w", "kind": "flow", "cwd": None, "final": [], "tasks": [{"name": "t", **task}]}


def refused(given_in: dict[str, Any]) -> str:
    with pytest.raises(InvalidInput) as caught:
        rehearse(given_in)
    return str(caught.value)


def core_answers(given_in: dict[str, Any]) -> Accepted | Refused | None:
    """Hand a submission to the API's types and then to a node's core, as a request would."""
    event = to_event(read_body(msgspec.json.encode(said_once(given_in)), Submission), PlainService(Path("/nowhere")))
    return Bench().ask(event)


def is_checked(read: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    """Return what 'roost check' finds to be in order; None of anything else."""
    try:
        checked = read()
        rehearse(checked)
    except InvalidInput:
        return None
    return checked


@given(sound_flows())
def test_whatever_is_sound_is_rehearsed_and_accepted(flow: dict[str, Any]) -> None:
    checked = is_checked(lambda: check_flow(json.dumps(flow)))
    assert checked is not None
    assert isinstance(core_answers(checked), Accepted)


@given(at=st.integers(0, len(LARGE_FLOW) - 1), gone=st.integers(0, 12), words=st.sampled_from(WORDS))
def test_whatever_is_left_of_a_damaged_flow_is_accepted_if_it_was_checked(at: int, gone: int, words: str) -> None:
    damaged = LARGE_FLOW[:at] + words + LARGE_FLOW[at + gone :]
    checked = is_checked(lambda: check_flow(damaged))
    if checked is not None:
        assert isinstance(core_answers(checked), Accepted)


@given(traces(recorded=True) | traces(recorded=False), st.sampled_from([None, Simulation()]))
def test_whatever_is_recorded_is_accepted_if_it_was_checked(trace: Trace, simulation: Simulation | None) -> None:
    document = msgspec.json.encode(trace_document(trace)).decode()
    reading = read_wfformat(document, "w.json", Path("/nowhere"), to_run=False)
    assert reading.replay is not None
    rehearse(reading.replay)
    checked = is_checked(lambda: read_wfformat(document, "w.json", Path("/nowhere"), simulation).submission)
    if checked is not None:
        assert isinstance(core_answers(checked), Accepted)
    assert checked is not None or simulation is None


@pytest.mark.parametrize("simulation", [None, Simulation()])
def test_a_task_with_more_files_than_a_command_has_words_is_accepted(simulation: Simulation | None) -> None:
    files = [f"diff.{number:06}.fits" for number in range(COMMAND_WORDS_MAX + 1)]
    tasks = [
        TraceTask("split", argv=["true"], outputs=files),
        TraceTask("add", argv=["true"], inputs=files, parents=["split"]),
    ]
    document = msgspec.json.encode(trace_document(Trace("montage", tasks, dict.fromkeys(files, 1)))).decode()
    checked = is_checked(lambda: read_wfformat(document, "w.json", Path("/nowhere"), simulation).submission)
    assert checked is not None
    assert isinstance(core_answers(checked), Accepted)


def test_answers_of_people_are_not_for_a_quorum() -> None:
    manual = {"manual": {"title": "look"}}
    rehearse(submission(**manual))
    wanted = submission(**manual) | {"quorum": True}
    assert refused(wanted).startswith("task 't' is done by people, whose answers no quorum decides; ")
    assert isinstance(core_answers(wanted), Refused)


def test_what_a_node_refuses_is_refused_here() -> None:
    assert refused(submission()).startswith("task 't'")
    assert refused(submission(command={"argv": ["x"]}, edges=[{"source": "1-bababa", "kind": "after"}])) == (
        "task 't', field 'edges': '1-bababa' is not a task of this submission, and no node was asked for earlier runs"
    )


def test_a_workflow_that_is_too_large_for_a_request_is_refused() -> None:
    large = [{"name": f"v{at}", "value": {"json": "x" * (REQUEST_BYTES_MAX // 4)}} for at in range(4)]
    assert refused(submission() | {"tasks": large}) == "the workflow takes more than 64 MiB; split it"
