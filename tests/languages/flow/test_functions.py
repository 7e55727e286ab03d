from pathlib import Path
from typing import Any

import pytest

from roost.languages.environment import INHERITED
from roost.languages.flow.flow import open_flow
from tests.languages.flow.flow_texts import check_flow, refused_tasks, tasks_of

OTHERS = "a: {command: x}\nmany: {command: x, array: 1-2, outputs: {text: t.txt}}\n"


def function(task: str) -> dict[str, Any]:
    found: dict[str, Any] = tasks_of(f"{OTHERS}t: {{function: 'json:dumps', {task}}}")["t"]["function"]
    return found


def test_placeholders_that_stand_alone_become_marks_and_the_rest_stays() -> None:
    written = "['{needs.a}', '{item}', '{i}', 5, text, ['{needs.a}', {deep: '{i}', n: null}], '{{i}}', '{x}', '{}']"
    assert function(f"needs: a, items: [1], arguments: {written}")["arguments"] == [
        {"port": "a"}, {"item": True}, {"index": True}, 5, "text",
        [{"port": "a"}, {"deep": {"index": True}, "n": None}], "{i}", "{x}", "{}",
    ]  # fmt: skip


def test_a_map_of_arguments_names_the_parameters() -> None:
    found = function("needs: a, arguments: {left: '{needs.a}', right: 2}")
    assert found["keywords"] == {"left": {"port": "a"}, "right": 2}
    assert "arguments" not in found


@pytest.mark.parametrize(
    ("task", "arguments"),
    [
        ("", []),
        ("array: 1-2", [{"index": True}]),
        ("items: [x]", [{"item": True}]),
        ("each: many", [{"port": "many"}]),
        ("items: [x], all: {every: many}, needs: a, after: many", [{"item": True}, {"port": "every"}, {"port": "a"}]),
    ],
)
def test_without_arguments_a_function_gets_its_element_and_then_the_results(task: str, arguments: list[object]) -> None:
    assert function(task)["arguments"] == arguments


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("arguments: ['n{i}']", "{i} in 'arguments' of task 't' cannot be put inside text"),
        ("arguments: [{i}]", "'arguments' of task 't' holds {i} without quotes; write \"{i}\""),
        ("arguments: {item}", "holds {item} without quotes"),
        ("arguments: 5", "'arguments' of task 't' is the number 5; give a list, or a map"),
        ("arguments: [{port: x}]", "a map with the only key 'port' means something else"),
        ("arguments: {a b: 1}", "'a b' in 'arguments' of task 't' cannot be a parameter's name"),
        ("arguments: ['{needs.a}']", "uses {needs.a} but does not wait for it"),
        ("arguments: ['{needs}']", "name what it needs"),
        ("each: many, arguments: ['{needs.many.text}']", "cannot get {needs.many.text}; give it {needs.many}"),
        ("items: [{k: 1}], arguments: ['{item.k}']", "cannot get {item.k}; give it {item}"),
        ("items: [1], arguments: [2]", "no argument of task 't' is its item; write \"{item}\" where it goes"),
        ("arguments: ['{run}']", "{run} in 'arguments' of task 't' cannot be put inside text"),
    ],
)
def test_arguments_that_cannot_be_are_refused(task: str, message: str) -> None:
    told = refused_tasks(f"{OTHERS}t: {{function: 'json:dumps', {task}}}")
    assert told.startswith("flow.yaml:4: ")
    assert message in told


def test_a_mistake_deep_in_the_arguments_has_its_own_line() -> None:
    told = refused_tasks("t:\n  function: json:dumps\n  arguments:\n    - 1\n    - [2, '{needs.b}']\n")
    assert told.startswith("flow.yaml:6: ")


def test_a_missing_function_is_told_with_its_line() -> None:
    told = refused_tasks("t:\n  array: 1-2\n  function: nowhere_at_all:f\n")
    assert told.startswith("flow.yaml:4: 'function' of task 't': there is no 'nowhere_at_all.py' beside the flow file")


def test_a_module_may_lie_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "far_steps.py").write_text("def f(): ...\n")
    task = "t: {function: 'far_steps:f', path: [lib, .]}"
    assert tasks_of(task, tmp_path)["t"]["function"]["path"] == [str(tmp_path / "lib"), str(tmp_path)]
    assert "there is no 'far_steps.py'" in refused_tasks("t: {function: 'far_steps:f', path: .}", tmp_path)
    assert "is not a folder" in refused_tasks("t: {function: 'json:dumps', path: gone}", tmp_path)
    assert "'path' is for functions" in refused_tasks("t: {command: x, path: lib}", tmp_path)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("function: 'calls:add'", "flow.yaml:4: task 't' cannot call 'calls:add' so: missing a required argument: 'a'"),
        ("needs: a, function: 'calls:add', arguments: ['{needs.a}', 2, 3]",
         "flow.yaml:4: task 't' cannot call 'calls:add' so: too many positional arguments; it is add(a, b=...)"),
        ("function: 'calls:add', arguments: {a: 1, c: 2}",
         "flow.yaml:4: task 't' cannot call 'calls:add' so: got an unexpected keyword argument 'c'; it is add("),
    ],
)  # fmt: skip
def test_arguments_that_the_function_does_not_take_are_refused(tmp_path: Path, task: str, message: str) -> None:
    (tmp_path / "calls.py").write_text("def add(a, b=2): ...\n")
    assert refused_tasks(f"{OTHERS}t: {{{task}}}", tmp_path).startswith(message)
    assert tasks_of("t: {function: 'calls:add', arguments: [1]}", tmp_path)["t"]["function"]["arguments"] == [1]


def test_a_function_has_the_variables_of_the_person_and_those_that_are_declared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in INHERITED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/opt/{x}")
    monkeypatch.setenv("SECRET", "hush")
    text = "env: {ALL: everywhere, MINE: no}\ntasks:\n  t: {function: 'json:dumps', env: {MINE: '{{2}}'}}\n"
    (task,) = check_flow(text)["tasks"]
    assert task["function"]["env"] == {"PATH": "/opt/{x}", "ALL": "everywhere", "MINE": "{2}"}


def test_a_variable_that_differs_between_elements_is_left_out_and_said() -> None:
    reading = open_flow("env: {WHO: '{run}'}\ntasks:\n  t: {function: 'json:dumps'}\n")
    assert "WHO" not in reading.submission["tasks"][0]["function"]["env"]
    assert ["holds a placeholder" in warning for warning in reading.warnings] == [True]
