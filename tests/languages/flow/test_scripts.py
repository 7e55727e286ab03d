from pathlib import Path
from typing import Any

import pytest

from tests.languages.flow.flow_texts import refused_tasks, tasks_of


def script(task: str, folder: Path | None = None) -> dict[str, Any]:
    found: dict[str, Any] = tasks_of(f"a: {{command: x}}\nt: {{{task}}}", folder)["t"]["script"]
    return found


def test_a_script_gets_its_item_and_then_the_results_if_nothing_is_said() -> None:
    assert script("script: 'function weevil_main(x) { return {x}; }', items: [1], needs: a") == {
        "code": "function weevil_main(x) { return {x}; }",
        "entry": "weevil_main",
        "arguments": [{"item": True}, {"port": "a"}],
    }


def test_a_script_may_have_another_entry_and_arguments() -> None:
    found = script("script: $main, entry: $main, needs: a, arguments: ['{needs.a}', {n: '{i}'}, 2]")
    assert (found["entry"], found["arguments"]) == ("$main", [{"port": "a"}, {"n": {"index": True}}, 2])


def test_a_script_may_say_the_type_of_what_it_returns() -> None:
    assert script("script: 'function weevil_main() {}', returns: Number")["returns"] == "Number"


def test_a_script_may_declare_what_it_returns_to_be_warned_only() -> None:
    found = script("script: 'function weevil_main() {}', declares: Number")
    assert found["declares"] == "Number"
    assert "returns" not in found
    assert "keep 'returns' to let other results fail" in refused_tasks(
        "t: {script: 'function weevil_main() {}', declares: Number, returns: Number}"
    )


def test_a_script_may_come_from_a_file_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "job.js").write_text("let weevil_main = {n: 1}; `{values.n} {i} {{x}}`")
    assert script("script_from: jobs/job.js", tmp_path)["code"] == "let weevil_main = {n: 1}; `{values.n} {i} {{x}}`"


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("script: ''", "'script' of task 't' is empty"),
        ("script: [x]", "'script' of task 't' is a list; give a script"),
        ("script_from: gone.js", "'script_from' of task 't': there is no file 'gone.js'"),
        ("script_from: ../job.js", "leads out of the flow's folder"),
        ("script_from: /job.js", "leads out of the flow's folder"),
        (
            "script: make test",
            "the script of task 't' has no function 'weevil_main'; add it, name another with 'entry'",
        ),
        (
            "script: 'function weevil_main() {'",
            "the script of task 't' is not JavaScript on line 1 (something is not closed); mend it",
        ),
        ("script: weevil_main, entry: other", "the script of task 't' has no function 'other'"),
        ("script: weevil_main, entry: a b", "'a b' cannot be the name of a function"),
        ("script: weevil_main, arguments: {a: 1}", "'arguments' of task 't' is a map; give a list"),
        ("script: weevil_main, items: [1], arguments: [2]", "no argument of task 't' is its item"),
        ("script: weevil_main, mem: 1kB", "'mem' of task 't' is too little for a script; give at least 1.0 MiB"),
        ("script: weevil_main, env: {A: b}", "'env' is for commands and functions, and task 't' runs a script"),
        ("script: weevil_main, items: [{k: 1}], arguments: ['{item.k}']", "runs a script, which cannot get {item.k}"),
        ("function: 'json:dumps', entry: x", "'entry' is for scripts, and task 't' calls a function"),
    ],
)
def test_a_script_that_cannot_be_is_refused(task: str, message: str, tmp_path: Path) -> None:
    told = refused_tasks(f"a: {{command: x}}\nt: {{{task}}}", tmp_path)
    assert told.startswith("flow.yaml:3: ")
    assert message in told


def test_a_mistake_in_the_memory_is_told_once() -> None:
    assert "\n" not in refused_tasks("t: {script: weevil_main, mem: much}")
