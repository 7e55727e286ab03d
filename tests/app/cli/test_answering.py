"""Values from words and files; questions at a terminal are in test_complete.py and test_amend.py."""

from pathlib import Path
from typing import Any

import pytest

from roost.app.cli.answering import ask_for, read_values, type_words, typed
from roost.model.errors import InvalidInput
from tests.app.cli.manual_runs import FIELDS


def field(kind: str, **more: Any) -> dict[str, Any]:
    return {"name": "x", "type": kind, "label": "", "required": True, "choices": [], **more}


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("text", " as it is ", " as it is "),
        ("choice", "ok", "ok"),
        ("number", "12", 12),
        ("number", "-2.5e3", -2500.0),
        ("boolean", "Yes", True),
        ("boolean", "0", False),
        ("boolean", "false", False),
    ],
)
def test_words_become_values_of_the_fields_type(kind: str, text: str, value: object) -> None:
    found = typed(field(kind), text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        ("number", "two", "the field 'x' takes a number, not 'two'"),
        ("number", "inf", "the field 'x' takes a number, not 'inf'"),
        ("number", "", "the field 'x' takes a number, not ''"),
        ("boolean", "maybe", "the field 'x' takes yes or no, not 'maybe'"),
    ],
)
def test_words_that_are_none_are_refused(kind: str, text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        typed(field(kind), text)
    assert str(refused.value) == sentence


def test_what_is_typed_wins_over_the_file_and_unknown_names_pass(tmp_path: Path) -> None:
    source = tmp_path / "answer.json"
    source.write_text('{"verdict": "ok", "weight": 1}')
    assert read_values(FIELDS, {"weight": "2", "other": "x"}, str(source)) == {
        "verdict": "ok",
        "weight": 2,
        "other": "x",
    }


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[1]", 'FILE holds no map; write the fields by their names, as in {"verdict": "ok"}'),
        ("{", "FILE is not JSON: "),
        ("[" * 100_000, "FILE is not JSON: "),
    ],
)
def test_a_file_without_fields_is_refused(tmp_path: Path, content: str, sentence: str) -> None:
    source = tmp_path / "answer.json"
    source.write_text(content)
    with pytest.raises(InvalidInput) as refused:
        read_values(FIELDS, {}, str(source))
    assert str(refused.value).replace(str(source), "FILE").startswith(sentence)


def test_nobody_is_asked_where_there_is_no_terminal() -> None:
    assert ask_for(FIELDS, {"weight": 1}, {}) == {"weight": 1}


def test_a_field_says_what_it_takes() -> None:
    assert [type_words(one) for one in FIELDS] == ["ok, wrong", "number; may stay empty"]
    assert type_words(field("boolean")) == "yes or no"
