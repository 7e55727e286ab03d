"""How something that waits for a person looks."""

import base64
import pickle
import time
from typing import Any

from roost.app.cli.todo_text import LINES_SHOWN, lateness, place_text, terms_text, todo_lines
from tests.app.cli.manual_runs import port, todo


def lines(how: bool = False, **more: Any) -> list[str]:
    return [line.plain for line in todo_lines(todo(**more), how=how)]


def shown(*values: dict[str, Any], **more: Any) -> list[str]:
    """Return the lines about what there is to look at."""
    return lines(show=[port(*values, **more)], instructions="")[2:]


def test_what_is_asked_is_shown_with_the_command_that_answers() -> None:
    told = lines(how=True)
    assert told[0] == "5-kedova/check/1  Look at it"
    assert told[1].startswith("  for anna or ben, since ")
    assert told[2:] == [
        "  Say whether",
        "  it is right.",
        "  value: measured 1",
        "  weight: weight in kg (number; may stay empty)",
        "  roost complete 5-kedova/check/1 verdict=ok|wrong [weight=NUMBER]",
    ]
    assert lines(how=False) == told[:-2]


def test_the_only_element_needs_no_number() -> None:
    assert place_text(todo(0, elements=1)) == "5-kedova/check"


def test_terms_say_who_since_when_and_until_when() -> None:
    assert terms_text(todo(who=[], since=None)) == "for anybody"
    assert terms_text(todo(who=["anna"], since=None, deadline_s=90.0)) == "for anna, expected within 1 min 30 s"
    assert ", expected by " in terms_text(todo(deadline=1_700_000_060.0, deadline_s=60.0))


def test_what_is_late_says_by_how_much() -> None:
    now = time.time()
    assert lateness(todo(deadline=now + 60)) == ""
    late = todo(deadline=now - 90.4, late=True)
    assert lateness(late).startswith("late by 1 min 30 s")
    assert "late by" in lines(deadline=now - 90.4, late=True)[0]


def test_values_are_shown_as_text_json_or_python() -> None:
    assert shown({"value": {"a": [1]}}) == ['  value: {"a":[1]}']
    assert shown({"value": None}) == ["  value: null"]
    assert shown({"value": "beginning", "cut": True}) == ["  value: beginning..."]
    assert shown({"value": "PROGRESS 10", "datasets": ["7", "8"]}) == ["  value: datasets 7, 8"]
    assert shown({"problem": "it is on elm, which is away"}) == ["  value: (it is on elm, which is away)"]
    pickled = base64.b64encode(pickle.dumps({"a": ["x"]})).decode()
    assert shown({"value": None, "pickle": pickled}) == ["  value: {'a': ['x']}"]
    assert shown({"value": None, "pickle": pickled}, pick="a") == ["  value: ['x']"]
    assert "has none" in shown({"value": None, "pickle": pickled}, pick="b")[0]


def test_an_item_of_a_python_list_is_that_of_the_element() -> None:
    pickled = base64.b64encode(pickle.dumps(["a", "b"])).decode()
    assert shown({"value": None, "pickle": pickled}, kind="spread") == ["  value: 'b'"]


def test_a_python_value_that_cannot_be_loaded_is_named() -> None:
    broken = base64.b64encode(b"\x80\x04broken").decode()
    assert "cannot be loaded here" in shown({"value": None, "pickle": broken}, pick="a")[0]


def test_many_lines_are_cut_and_several_values_have_their_numbers() -> None:
    told = shown({"value": "\n".join(map(str, range(40)))})
    assert told[:2] == ["  value:", "    0"]
    assert told[-1] == f"    ... {40 - LINES_SHOWN} more lines; --json has them"
    assert shown({}, {"index": 2, "path": "2", "value": "measured 2"}, more=3) == [
        "  value 1: measured 1",
        "  value 2: measured 2",
        "  value: and 3 more",
    ]


def test_files_say_how_to_fetch_them() -> None:
    file = {"bytes": 2048, "hash": "beef", "path": "/v1/runs/5-kedova/files?task=measure&element=1&name=table"}
    assert shown({"value": None, "files": {"table": file}}) == [
        "  value:",
        "    file table, 2.0 KiB: 'roost get 5-kedova --task measure --elements 1 -o DIR' fetches it",
    ]
