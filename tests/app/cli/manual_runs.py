"""What a node tells of runs with manual steps, for the tests of the commands."""

from typing import Any

from tests.app.cli.fake_node import FakeNode, error, run, step

FIELDS: list[dict[str, Any]] = [
    {"name": "verdict", "type": "choice", "label": "", "required": True, "choices": ["ok", "wrong"]},
    {"name": "weight", "type": "number", "label": "weight in kg", "required": False, "choices": []},
]
FORM: dict[str, Any] = {
    "title": "Look at it",
    "instructions": "Say whether\nit is right.",
    "fields": FIELDS,
    "who": ["anna", "ben"],
    "deadline_s": None,
}
VALUE: dict[str, Any] = {
    "index": 1,
    "path": "1",
    "value": "measured 1",
    "cut": False,
    "pickle": None,
    "datasets": [],
    "files": {},
    "problem": "",
}


def port(*values: dict[str, Any], **more: Any) -> dict[str, Any]:
    shown = [VALUE | value for value in values]
    about = {"port": "value", "source": "5-kedova/measure", "kind": "each", "pick": "", "more": 0}
    return {**about, "values": shown, **more}


def todo(element: int = 1, **more: Any) -> dict[str, Any]:
    return {
        **FORM,
        "run": "5-kedova",
        "number": 5,
        "run_name": "review",
        "task": "5-kedova/check",
        "name": "check",
        "element": element,
        "path": str(element),
        "elements": 3,
        "show": [port({})],
        "since": 1_700_000_000.0,
        "deadline": None,
        "late": False,
        **more,
    }


def serve_todo(node: FakeNode, *elements: dict[str, Any], more: int = 0) -> None:
    node.answers["GET /v1/todo"] = {"todo": list(elements), "more": more}


def manual_step(**counts: int) -> dict[str, Any]:
    return step("check", **counts) | {"kind": "manual", "what": "Look at it", "form": FORM}


def manual_run(**counts: int) -> dict[str, Any]:
    return run(5, "kedova", **counts) | {"steps": [manual_step(**counts)], "for_people": counts.get("ready", 0)}


def serve_answer(node: FakeNode, *, amended: bool = False) -> None:
    node.answers["POST /v1/runs/5-kedova/answer"] = lambda asked: {
        "run": "5-kedova",
        "task": f"5-kedova/{asked.body['task']}",
        "element": asked.body["element"],
        "path": str(asked.body["element"]),
        "amended": amended,
        "values": asked.body["values"],
    }


def refuse(node: FakeNode, path: str, message: str) -> None:
    node.answers[f"POST {path}"] = (400, error("invalid", message))
