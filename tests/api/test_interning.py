"""Submissions as they travel."""

from typing import Any

import msgspec

from roost.api.interning import said_once
from roost.api.requests import Submission
from roost.app.intake.reading import read_body
from roost.app.intake.shared import Shared


def command(name: str, **env: str) -> dict[str, Any]:
    return {"name": name, "command": {"argv": ["true"], "env": env}}


def script(name: str, code: str) -> dict[str, Any]:
    return {"name": name, "script": {"code": code}}


def test_an_environment_that_several_tasks_have_is_said_once() -> None:
    tasks = [command("a", LANG="C"), command("b", LANG="C"), command("c", LANG="de"), command("d")]
    said = said_once({"name": "x", "tasks": tasks})
    assert said["environments"] == [{"LANG": "C"}]
    assert [task["command"]["env"] for task in said["tasks"]] == [0, 0, {"LANG": "de"}, {}]
    assert tasks[0]["command"]["env"] == {"LANG": "C"}, "what was read stays as it is"


def test_commands_and_functions_share_environments() -> None:
    function = {"name": "f", "function": {"call": "m:f", "env": {"LANG": "C"}}}
    said = said_once({"tasks": [command("a", LANG="C"), function]})
    assert said["environments"] == [{"LANG": "C"}]
    assert said["tasks"][1]["function"] == {"call": "m:f", "env": 0}


def test_the_source_of_scripts_is_said_once() -> None:
    said = said_once({"tasks": [script("a", "f"), script("b", "g"), script("c", "f")]})
    assert said["codes"] == ["f"]
    assert [task["script"]["code"] for task in said["tasks"]] == [0, "g", 0]


def test_what_shares_nothing_travels_as_it_is() -> None:
    submission = {"name": "x", "tasks": [command("a", A="1"), script("b", "f")], "final": ["a"]}
    assert said_once(submission) == submission


def test_the_node_reads_what_was_meant() -> None:
    tasks = [command(f"t{at}", LANG="C") for at in range(3)]
    read = read_body(msgspec.json.encode(said_once({"tasks": tasks})), Submission)
    shared = Shared(read)
    for task in read.tasks:
        assert task.command is not None
        assert shared.variables(task.command.env).env == {"LANG": "C"}
