"""Flows in JSON are read quickly as the careful reader reads them, which takes them for YAML."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.flow.flow import open_carefully, open_flow
from roost.languages.flow.straight_json import read_straight_json
from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_BYTES_MAX

STRAIGHT: dict[str, Any] = {
    "name": "many small steps",
    "defaults": {"retries": 2, "env": {"LANG": "C"}},
    "x-own": [1, 2.5, None, True],
    "tasks": {
        "fetch": {"command": "curl -O http://host/x.png"},
        "shrink": {"command": ["convert", "x.png", "a | b", ""], "after": "fetch", "cpus": 0.5},
        "send": {"after": ["fetch", "shrink"], "command": "mail me", "retries": 0, "mem": "1GiB"},
        "count": {"command": ["wc", "-w{needs.send}"], "needs": ["send"], "reuse": False},
        "first": {"after": [], "command": "true"},
    },
}


def straight(text: str) -> dict[str, Any] | None:
    return read_straight_json(text, open_carefully)


@pytest.mark.parametrize("layout", [{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}], ids=str)
def test_a_straight_flow_in_json_is_read_as_the_careful_reader_reads_it(layout: dict[str, Any]) -> None:
    text = json.dumps(STRAIGHT, **layout)
    found = straight(text)
    assert found is not None
    reading = open_flow(text)
    assert found == open_carefully(text).submission == reading.submission
    assert reading.outline == open_carefully(text).outline
    assert [task["retries"] for task in found["tasks"]] == [2, 2, 0, 2, 2]


def test_tasks_may_stand_above_those_that_they_wait_for_in_json_too() -> None:
    flow = {"tasks": {"a": {"command": "x", "after": "b"}, "b": {"command": "x"}}}
    assert straight(json.dumps(flow)) == open_carefully(json.dumps(flow)).submission


@pytest.mark.parametrize(
    "task",
    [
        "1", "{}", '{"command": 1}', '{"command": []}', '{"command": [""]}', '{"command": ["x", 1]}',
        '{"command": "a | b"}', '{"command": "a {i}"}', '{"command": ["x", "{i}"]}', '{"command": ["x", "{{"]}',
        '{"command": "x", "after": "c"}', '{"command": "x", "after": ["a", "a"]}', '{"command": "x", "after": [1]}',
        '{"command": "x", "after": null}', '{"command": "x", "after": "a", "needs": "a"}',
        '{"command": "x", "needs": {"n": "a"}}', '{"command": "x", "cpus": 1e2}', '{"command": "x", "cpus": NaN}',
        '{"command": "x", "cpus": 0.00001}', '{"command": "x", "env": {}}',
        '{"command": "x", "retries": 1, "retries": 2}',
        '{"command": "x\\\\ny"}', '{"command": ["\\u00e4"]}', '{"command": "ä"}', '{"command": "x", "retries": -1}',
        f'{{"command": "{"x" * (COMMAND_BYTES_MAX + 1)}"}}', f'{{"command": ["{"x" * (COMMAND_BYTES_MAX + 1)}"]}}',
    ],
)  # fmt: skip
def test_anything_else_in_json_is_left_to_the_careful_reader(task: str) -> None:
    assert straight('{"tasks": {"a": {"command": "x"}}}') is not None
    assert straight(f'{{"tasks": {{"a": {{"command": "x"}}, "b": {task}}}}}') is None


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "{}", '{"tasks": []}', '{"tasks": {}}', '{"tasks": {"a.b": {"command": "x"}}}', "{tasks: {}}"],
)
def test_what_is_no_flow_in_json_is_left_to_the_careful_reader(text: str) -> None:
    assert straight(text) is None


_NAMES = st.sampled_from(["a", "b", "c-d", "_e", "null", "f.g"])
_WORDS = st.sampled_from(["x", "two words", "a:b", "", "|", "{needs.a}", "{i}", "null", "-x", "7", "}}", "{{x}}"])
_COMMANDS = st.one_of(_WORDS, st.lists(_WORDS, max_size=3), st.none(), st.integers())
_TAKES = st.one_of(
    st.integers(0, 3), st.floats(0, 9), st.booleans(), st.none(), st.sampled_from(["1GiB", "low", "90s"])
)
_TASKS = st.fixed_dictionaries(
    {"command": _COMMANDS},
    optional={
        "after": st.lists(_NAMES, max_size=2) | _NAMES,
        "needs": st.lists(_NAMES, max_size=2) | _NAMES,
        **dict.fromkeys(["cpus", "mem", "time", "retries", "priority", "reuse", "env"], _TAKES),
    },
)
_PLAIN_TASKS = st.fixed_dictionaries(
    {"command": st.sampled_from(["x", "a {needs.a}", ["x", "{needs.b} z"]])},
    optional={"after": st.lists(_NAMES, max_size=2), "needs": st.sampled_from([["a"], ["a", "b"]]), "retries": _TAKES},
)
_HEADS = st.sampled_from([{}, {"name": "x"}, {"result": "a"}, {"values": {"n": 1.5}}, {"x-y": [1e3]}, {"z": 1}])


@given(_HEADS, st.dictionaries(_NAMES, _PLAIN_TASKS | _TASKS, max_size=3), st.sampled_from([None, 1]))
def test_what_is_read_quickly_from_json_the_careful_reader_reads_the_same(
    head: dict[str, Any], tasks: dict[str, Any], indent: int | None
) -> None:
    text = json.dumps({**head, "tasks": tasks}, indent=indent)
    try:
        careful = open_carefully(text)
    except InvalidInput:
        assert straight(text) is None
    else:
        assert straight(text) in (None, careful.submission)
        assert open_flow(text).warnings == careful.warnings
