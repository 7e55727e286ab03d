"""JSON and its looser relatives: what is read, what is refused, and that nothing else happens."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.weevil.literals import NoLiteral, read_literal, read_number
from roost.model.limits import VALUE_DEPTH_MAX

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("44", 44),
        (" [1, 2.5, -3e2] ", [1, 2.5, -300]),
        ("['a', \"b\",]", ["a", "b"]),
        ("{size: 3, 'two words': [], 7: null,}", {"size": 3, "two words": [], "7": None}),
        ("[true, false, null, undefined]", [True, False, None, None]),
        (r"'it\'s \u00e9 \x41\n'", "it's é A\n"),
        ("[1, // one\n 2 /* two */];", [1, 2]),
        ("[0x1F, .5, 5., +7]", [31, 0.5, 5, 7]),
        ("9007199254740993", 9007199254740992),
        ("1e300", 1e300),
    ],
)
def test_values_are_read_as_javascript_writes_them(text: str, value: Any) -> None:
    assert read_literal(text) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is cut off"),
        ("[1, 2", "it is cut off"),
        ("[1 2]", "a comma is missing before '2'"),
        ("[1,,2]", "',' is not a value; put text in quotes"),
        ("hello", "'hello' is not a value; put text in quotes"),
        ("{a}", "an entry of an object is not written as key: value"),
        ("{:1}", "an entry of an object is not written as key: value"),
        ("[1] 2", "'2' follows after its end"),
        ("[1, @]", "'@]' is no part of a value"),
        ("NaN", "NaN cannot travel between nodes"),
        ("[1e999]", "'1e999' is too large a number"),
        (r"['\ud800']", "it holds half a character"),
        (r'["\ud800"]', "it holds half a character"),
        ("[" * 200, f"it is nested more than {VALUE_DEPTH_MAX} deep"),
        ("[" * 200 + "]" * 200, f"it is nested more than {VALUE_DEPTH_MAX} deep"),
        ("[" * 100_000, f"it is nested more than {VALUE_DEPTH_MAX} deep"),
        ("/*" * 1000, f"'{'/*' * 9}/…' is no part of a value"),
    ],
)
def test_what_is_no_value_is_told(text: str, reason: str) -> None:
    with pytest.raises(NoLiteral) as caught:
        read_literal(text)
    assert str(caught.value) == reason


def test_many_comments_before_a_mistake_take_no_time() -> None:
    with pytest.raises(NoLiteral):
        read_literal("/* */ " * 10_000 + "@")


@pytest.mark.parametrize("text", ["", "abc", "1 2", "0x", "1_000", "1,5", "--1", "9" * 400, "Infinity", "true", "e5"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(NoLiteral):
        read_number(text)


@given(JSON)
def test_json_is_read_as_it_is(value: Any) -> None:
    assert read_literal(json.dumps(value)) == value


@given(st.text(max_size=60) | st.text(alphabet="[]{}'\",:/*\\01ae. ", max_size=40))
def test_any_text_is_a_value_or_is_refused(text: str) -> None:
    try:
        value = read_literal(text)
    except NoLiteral:
        return
    json.dumps(value, allow_nan=False).encode()
