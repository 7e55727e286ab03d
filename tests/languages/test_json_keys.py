import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.json_keys import doubled_key


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


_VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
)


@given(_VALUES, st.booleans())
def test_what_a_program_writes_has_no_doubled_keys(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=ascii_only)
    assert doubled_key(text) is None
    assert doubled_key(f'{{"k": {text},\n"k": 1}}') == ("k", text.count("\n") + 2, 1)
