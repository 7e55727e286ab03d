from pathlib import Path

import pytest

from tests.languages.flow.flow_texts import refused_tasks, tasks_of


def test_inputs_are_found_beside_the_flow_and_handed_over_as_full_paths(tmp_path: Path) -> None:
    (tmp_path / "make.py").write_text("")
    (tmp_path / "data").mkdir()
    task = tasks_of("t: {command: 'x {inputs.script} {inputs.all}/1', inputs: {script: make.py, all: data}}", tmp_path)[
        "t"
    ]
    assert task["command"]["argv"] == ["x", f"{tmp_path}/make.py", f"{tmp_path}/data/1"]


def test_a_function_gets_the_path_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("")
    task = tasks_of("t: {function: 'json:dumps', inputs: {d: a.csv}, arguments: ['{inputs.d}']}", tmp_path)["t"]
    assert task["function"]["arguments"] == [f"{tmp_path}/a.csv"]


def test_an_input_of_each_element_is_looked_for_when_it_runs(tmp_path: Path) -> None:
    task = tasks_of("t: {command: 'x {inputs.page}', array: 1-3, inputs: {page: 'p{i}.txt'}}", tmp_path)["t"]
    assert task["command"]["argv"] == ["x", f"{tmp_path}/p{{i}}.txt"]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ("{data: gone.csv}", "'gone.csv', the input 'data' of task 't', is not there"),
        ("{data: '{needs.a}'}", "the input 'data' of task 't' holds {needs.a}"),
        ("{data: '{item}'}", "uses {item}, but has no items"),
        ("[gone.csv]", "'inputs' of task 't' is a list; give a map, for example {data: data.csv}"),
    ],
)
def test_inputs_that_cannot_be_are_refused(tmp_path: Path, inputs: str, message: str) -> None:
    assert message in refused_tasks(f"t: {{command: 'x {{inputs.data}}', inputs: {inputs}}}", tmp_path)
