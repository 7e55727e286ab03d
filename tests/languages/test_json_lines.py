import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.json_lines import JsonPath, doubled_key, lines_of

TEXT = """{
  "a": 1,
  "b": [
    {"x": [10,
      20, {"deep":
        true}]},
    "text with \\"a\\": { [ , and more"
  ],
  "c": {"a": {}, "\\u0064": []
  }
}"""

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def test_lines_of_keys_and_items() -> None:
    expected: dict[JsonPath, int] = {
        (): 1, ("a",): 2, ("b",): 3, ("b", 0): 4, ("b", 0, "x"): 4, ("b", 0, "x", 0): 4, ("b", 0, "x", 1): 5,
        ("b", 0, "x", 2): 5, ("b", 0, "x", 2, "deep"): 5, ("b", 1): 7, ("c", "a"): 9, ("c", "d"): 9,
    }  # fmt: skip
    assert lines_of(TEXT, expected) == expected


def test_what_is_not_there_has_the_line_of_what_holds_it() -> None:
    assert lines_of(TEXT, [("c", "z", "y"), ("z",), ("b", 0, "y")]) == {("c", "z", "y"): 9, ("z",): 1, ("b", 0, "y"): 4}


def _paths(value: Any, path: JsonPath = ()) -> list[JsonPath]:
    match value:
        case dict():
            return [path, *(inner for key, item in value.items() for inner in _paths(item, (*path, key)))]
        case list():
            return [path, *(inner for at, item in enumerate(value) for inner in _paths(item, (*path, at)))]
    return [path]


@given(_JSON)
def test_every_path_is_found_where_it_was_written(value: Any) -> None:
    """Written with a line for every value, what comes later in the document stands on a later line."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=1).decode()
    paths = _paths(value)
    found = [lines_of(text, paths)[path] for path in paths]
    closing = {number for number, line in enumerate(text.split("\n"), start=1) if line.strip(" ,") in {"]", "}"}}
    assert found == sorted(set(found))
    assert set(range(1, max(found) + 1)) - set(found) <= closing


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1, "a": 2}', ("a", 1, 1)),
        ('{"x": [{}, {"b": [1, {"c": 0}],\n"a": 2,\n"b": 3}]}', ("b", 3, 1)),
        ('{"a": 1, "\\u0061": 2}', ("a", 1, 1)),
        ('{"a": {"a": ["a", "a"]}, "b": [{"a": 1}, {"a": 2}]}', None),
        ('["a", "a"]', None),
        ("", None),
        ('{"a": 1, "a": ', None),
        ("[" * 100_000, None),
    ],
)
def test_the_first_key_that_stands_twice_is_found(text: str, found: tuple[str, int, int] | None) -> None:
    assert doubled_key(text) == found


@given(_JSON, st.booleans())
def test_what_a_program_writes_has_no_doubled_keys(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=ascii_only)
    assert doubled_key(text) is None
    assert doubled_key(f'{{"k": {text},\n"k": 1}}') == ("k", text.count("\n") + 2, 1)
