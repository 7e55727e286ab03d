from typing import Any

import pytest

from roost.languages.weevil.literals import NoLiteral
from roost.languages.weevil.values import read_value


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (" 44 ", "Number", 44),
        ("4.5", "Number", 4.5),
        (" hello ", "String", " hello "),
        ("44", "String", "44"),
        ("True ", "Boolean", True),
        ("false", "Boolean", False),
        ("[1, 'a']", "Array", [1, "a"]),
        ("1, 2, 3", "Array", [1, 2, 3]),
        ("10\n20\n\n30,\n", "Array", [10, 20, 30]),
        ("", "Array", []),
        ("{a: 1}", "Object", {"a": 1}),
        ("", "null", None),
        ("null", "null", None),
        ("undefined", "undefined", None),
        ("44", "", 44),
        ("[1]", "", [1]),
        ("hello", "", "hello"),
    ],
)
def test_a_value_is_read_as_its_type_says(text: str, kind: str, value: Any) -> None:
    assert read_value(text, kind) == value


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("abc", "Number", "'abc' is not a number"),
        ("", "Number", "'' is not a number"),
        ("yes", "Boolean", "'yes' is neither true nor false"),
        ("{a: 1}", "Array", "it is of type Object"),
        ("one two", "Array", "'one' is not a value; put text in quotes"),
        ("[1]", "Object", "it is of type Array"),
        ("0", "null", "'0' is not null"),
    ],
)
def test_a_value_of_another_type_is_refused(text: str, kind: str, reason: str) -> None:
    with pytest.raises(NoLiteral) as caught:
        read_value(text, kind)
    assert str(caught.value) == reason
