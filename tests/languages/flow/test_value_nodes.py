from pathlib import Path
from typing import Any

import pytest

from tests.languages.flow.flow_texts import accepted, refused, refused_tasks, tasks_of


def value(text: str, folder: Path | None = None) -> Any:
    return tasks_of(f"v: {{{text}}}", folder)["v"]["value"]["json"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("42", 42), ("[1, two, 3.5]", [1, "two", 3.5]), ("{a: {b: true}}", {"a": {"b": True}}), ("~", None),
        ("no", "no"), ("'{i}'", "{i}"),
    ],
)  # fmt: skip
def test_a_value_is_what_stands_there(text: str, found: Any) -> None:
    assert value(f"value: {text}") == found


def test_a_value_may_hold_constants() -> None:
    submission = accepted("values: {n: [1, 2]}\ntasks:\n  v: {value: {list: '{values.n}'}}\n", None)
    assert submission["tasks"][0]["value"] == {"json": {"list": [1, 2]}}


def test_a_value_has_no_elements_and_no_requirements_of_its_own() -> None:
    submission = accepted("defaults: {retries: 2, env: {A: b}}\ntasks:\n  v: {value: 1}\n  t: {command: x, needs: v}\n")
    found = submission["tasks"][0]
    assert found == {"name": "v", "value": {"json": 1}, "array": None, "items": None, "edges": []}


def test_values_come_from_files(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"n": [1, 2]}')
    (tmp_path / "b.jsonl").write_text('1\n\n"x"\n')
    (tmp_path / "c.txt").write_text("one\ntwo\n")
    assert value("value_from: a.json", tmp_path) == {"n": [1, 2]}
    assert value("value_from: b.jsonl", tmp_path) == [1, "x"]
    assert value("value_from: c.txt", tmp_path) == "one\ntwo\n"


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("value: {item}", "{item} in 'value' of task 'v' is only known when something runs"),
        ("value_from: gone.json", "'value_from' of task 'v': there is no file 'gone.json'"),
        ("value_from: ../x.json", "leads out of the flow's folder"),
        ("value_from: /x.json", "leads out of the flow's folder"),
        ("value_from: bad.json", "'bad.json' is not JSON"),
        ("value_from: bad.jsonl", "line 2 of 'bad.jsonl' is not JSON"),
        ("value_from: deep.json", "is nested more than 100 deep"),
        ("value_from: [a]", "'value_from' of task 'v' is a list; give a file's name"),
        ("value: 1, value_from: x.json", "task 'v' has both 'value' and 'value_from'"),
        ("value: 1, array: 1-3", "'array' is for what runs, and task 'v' is a value; remove it"),
        ("value: 1, retries: 3", "'retries' is for what runs"),
        ("value: 1, needs: w", "'needs' is for what runs"),
    ],
)
def test_a_value_that_cannot_be_is_refused(task: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "bad.jsonl").write_text("1\n{\n")
    (tmp_path / "deep.json").write_text("[" * 200 + "]" * 200)
    told = refused_tasks(f"w: {{command: x}}\nv: {{{task}}}", tmp_path)
    assert told.startswith("flow.yaml:3: ")
    assert message in told


def test_values_from_files_have_a_limit_together(tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_text("x" * (60 * 1024 * 1024))
    told = refused("tasks:\n  a: {value_from: big.txt}\n  b: {value_from: big.txt}\n", tmp_path)
    assert "64 MiB of them; split it" in told
