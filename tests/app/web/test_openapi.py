"""The description of the API is what the API does."""

import re
from typing import Any

import msgspec
import pytest

from roost.app.web.door import Door
from roost.app.web.routes import ROUTES
from roost.app.web.server import make_app
from roost.core.actions import ProgressChanged, RunChanged, TaskChanged
from roost.model.ids import task_id
from roost.model.ranges import RangeSet
from roost.model.task import Failure
from roost.wire.values import CommandResult, encode_command_result
from tests.app.web.manual_steps import submit_review
from tests.app.web.running_api import TIMEOUT_S, RunningApi
from tests.app.web.schema_check import SchemaChecker, SchemaMismatch


@pytest.fixture
def described(api: RunningApi) -> Any:
    return api.get("/v1/openapi.json").json()


def closed(schemas: dict[str, Any]) -> dict[str, Any]:
    """Forbid what is not described, so that an answer with a field too many does not pass."""
    return {
        name: {**schema, "additionalProperties": False} if "properties" in schema else schema
        for name, schema in schemas.items()
    }


def test_every_route_is_described_and_nothing_else(api: RunningApi, described: Any) -> None:
    app = make_app(api.service, "token", api.server.address, Door())
    routed = {(route.method, route.resource.canonical) for route in app.router.routes() if route.resource}
    told = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert told == routed == {(route.method, route.path) for route in ROUTES}
    assert described["openapi"].startswith("3.1")


def test_every_reference_leads_somewhere(described: Any) -> None:
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', msgspec.json.encode(described).decode()))
    assert named <= set(described["components"]["schemas"])
    assert {"Submission", "TaskAsked", "RunDetail", "ErrorAnswer", "ElementResult"} <= named


def test_parameters_of_the_query_and_the_path_are_described(described: Any) -> None:
    parameters = described["paths"]["/v1/runs/{run}/logs"]["get"]["parameters"]
    assert [(one["name"], one["in"], one["required"]) for one in parameters] == [
        ("run", "path", True),
        ("task", "query", False),
        ("element", "query", False),
        ("stream", "query", False),
        ("offset", "query", False),
        ("limit", "query", False),
    ]
    assert parameters[3]["schema"]["enum"] == ["stderr", "stdout"]


def prepare_runs(api: RunningApi) -> None:
    """A run in which something is done, something failed and something runs, and another with a function."""
    edge = {"source": "a", "kind": "all", "port": "x"}
    run = api.submit({"name": "a", "array": "1-5"}, {"name": "b", "edges": [edge]}, final=["a"])
    task = task_id(run, "a")
    done = CommandResult(b"out\n", b"", duration_s=1.0, datasets=("d",), files={"f": ("cafe", 3)})
    api.in_loop(api.service.finish, task, 1, encode_command_result(done))
    api.in_loop(api.service.fail, task, 2, Failure("exit code 3", 3))
    api.in_loop(api.service.run_element, task, 3)
    submit_review(api)


def test_real_answers_fit_their_description(api: RunningApi, described: Any) -> None:
    checker = SchemaChecker(closed(described["components"]["schemas"]))
    prepare_runs(api)
    submission = {"tasks": [{"name": "x", "command": {"argv": ["true"]}, "edges": [{"source": "1", "kind": "after"}]}]}
    checked = 0
    bodies = {
        "/v1/runs": submission,
        "/v1/leave": {"force": True},
        "/v1/fitting": {"needs": [{"require": "gpu"}]},
        "/v1/forget": {"select": "all", "dry_run": True},
        "/v1/runs/2/answer": {"task": "check", "element": 1, "values": {"verdict": "ok"}, "who": "anna"},
        "/v1/runs/2/reject": {"task": "check", "element": 2, "to": "measure", "why": "not level", "who": "anna"},
    }
    for route in sorted(ROUTES, key=lambda route: route.path == "/v1/shutdown"):
        operation = described["paths"][route.path][route.method.lower()]
        good = operation["responses"].get(str(route.status), {})
        schema = good.get("content", {}).get("application/json", {}).get("schema")
        if schema is None:
            continue
        path = route.path.replace("{run}", "2" if route.path.endswith(("/answer", "/reject")) else "1")
        body = bodies.get(path, {})
        if route.method == "POST":
            asked = operation["requestBody"]["content"]
            assert len(asked) == 1
            if "application/octet-stream" not in asked:
                checker.check(body, asked["application/json"]["schema"])
        answer = api.post(path, body) if route.method == "POST" else api.get(path)
        assert answer.status == route.status, (path, answer.body)
        checker.check(answer.json(), schema)
        checked += 1
    assert checked == len(ROUTES) - 6


def test_real_errors_fit_their_description(api: RunningApi, described: Any) -> None:
    checker = SchemaChecker(closed(described["components"]["schemas"]))
    operation = described["paths"]["/v1/runs/{run}"]["get"]
    answer = api.get("/v1/runs/99")
    checker.check(answer.json(), operation["responses"][str(answer.status)]["content"]["application/json"]["schema"])


def test_real_events_fit_their_description(api: RunningApi, described: Any) -> None:
    schemas = closed(described["components"]["schemas"])
    checker = SchemaChecker(schemas)
    task = api.submit_one()
    run = api.service.run_ids()[0]
    with api.listen() as listener:
        changes = (
            TaskChanged(task, "done", RangeSet.of([0])),
            RunChanged(run, "finished"),
            ProgressChanged(task, 0, 1.0),
        )
        for change in changes:
            api.in_loop(api.service.notify, change)
        for name in ("HelloEvent", "TaskEvent", "RunEvent", "ProgressEvent"):
            checker.check(msgspec.json.decode(listener.recv(TIMEOUT_S)), schemas[name])


def test_the_checker_of_this_test_can_say_no(described: Any) -> None:
    checker = SchemaChecker(closed(described["components"]["schemas"]))
    touched = {"$ref": "#/components/schemas/Touched"}
    checker.check({"elements": 1}, touched)
    wrongs: tuple[Any, ...] = ({}, {"elements": "1"}, {"elements": True}, {"elements": 1, "more": 1}, [])
    for wrong in wrongs:
        with pytest.raises(SchemaMismatch):
            checker.check(wrong, touched)
