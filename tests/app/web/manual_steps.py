"""Runs with manual steps, for the tests of what people do with them."""

from typing import Any

from roost.model.ids import RunId, TaskId, task_id
from roost.wire.values import CommandResult, encode_command_result
from tests.app.web.running_api import Answer, RunningApi

MEASURE: dict[str, Any] = {"name": "measure", "array": "1-3"}
FORM: dict[str, Any] = {
    "title": "Look at it",
    "instructions": "Say whether it is right.",
    "fields": [
        {"name": "verdict", "type": "choice", "choices": ["ok", "wrong"]},
        {"name": "weight", "type": "number", "required": False, "label": "in kg"},
    ],
    "show": ["value"],
    "who": ["anna", "ben"],
}


def manual(name: str = "check", **more: Any) -> dict[str, Any]:
    form = {**FORM, **more.pop("form", {})}
    edges = more.pop("edges", [{"source": "measure", "kind": "each", "port": "value"}])
    return {"name": name, "manual": form, "array": "1-3", "edges": edges, **more}


def submit_review(api: RunningApi, *more: dict[str, Any], **form: Any) -> RunId:
    """A run whose three measurements are done, so that three checks wait for people."""
    run = api.submit(MEASURE, manual(form=form), *more, name="review")
    for index in (1, 2, 3):
        result = encode_command_result(CommandResult(f"measured {index}\n".encode()))
        api.in_loop(api.service.finish, task_id(run, "measure"), index, result)
    return run


def check_of(run: RunId) -> TaskId:
    return task_id(run, "check")


def give(api: RunningApi, element: int | None = 1, verdict: Any = "ok", **more: Any) -> Answer:
    """Answer an element of the last run, as anna."""
    body = {"task": "check", "element": element, "values": {"verdict": verdict}, "who": "anna", **more}
    return api.post("/v1/runs/last/answer", body)
