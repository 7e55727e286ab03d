"""Does a condition hold of a node? Three answers, and what is not known is never a yes."""

import operator
from typing import Any

import pytest
from hypothesis import given

from roost.model.attributes import Attribute as Value
from roost.policy.conditions.evaluation import has_word, holds, said_of
from roost.policy.conditions.parsing import parse_condition
from roost.policy.conditions.tree import (
    And,
    Attribute,
    Comparison,
    Condition,
    Literal,
    Membership,
    Not,
    Or,
    Statement,
    VersionOf,
)
from tests.policy.conditions.trees import conditions, said_by_node

NODE: dict[str, Value] = {
    "os": "linux", "cores": 8, "mem": 16 * 2**30, "python": "3.12", "javascript": True, "programs": ("ffmpeg", "sh"),
    "processor": "AMD Ryzen 7", "gpu": (), "tags": ("lab",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('os == "linux"', True),
        ('os != "linux"', False),
        ("cores > 8", False),
        ("cores >= 8 and cores <= 8 and cores < 9", True),
        ("16GiB == mem", True),
        ('"ffmpeg" in programs', True),
        ('"FFMPEG" in programs', False),
        ('"laptop" not in tags', True),
        ('not "lab" in tags', False),
        ('"Ryzen" in processor', True),
        ("os in tags", False),
        ('version(python) >= "3.9"', True),
        ('"3.9" < version(python)', True),
        ('version(python) == version("3.12.0")', True),
        ('version(os) >= "1"', None),
        ("gpu", False),
        ("tags", True),
        ("javascript == true", True),
        ("not javascript", False),
        ("true", True),
        ('arch == "arm64"', None),
        ('not arch == "arm64"', None),
        ('arch == "arm64" or gpu', None),
        ('arch == "arm64" or tags', True),
        ('arch == "arm64" and gpu', False),
        ('arch == "arm64" and tags', None),
        ('"numpy" in libraries', None),
        ('"numpy" not in libraries', None),
    ],
)
def test_a_condition_holds_or_not_or_nobody_knows(text: str, answer: bool | None) -> None:
    assert holds(parse_condition(text), NODE) is answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cores == 1", {"cores": True}),
        ("javascript == true", {"javascript": 1}),
        ('os == "1"', {"os": 1}),
        ('"a" in tags', {"tags": "a"}),
        ("mem > 1b", {"mem": "9"}),
    ],
)
def test_what_a_node_says_in_another_kind_is_not_known(text: str, said: dict[str, Value]) -> None:
    assert holds(parse_condition(text), said) is None


def test_what_a_word_stands_for_is_what_the_node_says() -> None:
    assert said_of(VersionOf(Attribute("python")), NODE) == "3.12"
    assert said_of(Attribute("disk"), NODE) is None


def test_a_word_is_found_in_a_set_of_any_length() -> None:
    words = tuple(f"w{number:04}" for number in range(3_000))
    assert all(has_word(words, word) for word in words)
    assert not any(has_word(words, word) for word in ("", "w", "w00001", "w3000", "x"))
    assert not has_word((), "w")


_NUMBERS = {"3.9": (3, 9, 0), "3.12": (3, 12, 0), "3.12rc1": (3, 11.5, 1), "4": (4, 0, 0)}
_SIGNS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _value(operand: Any, said: dict[str, Value]) -> Any:
    match operand:
        case Literal(value=value):
            return value
        case Attribute(name=name):
            return said.get(name)
        case VersionOf(of=of):
            return _value(of, said)


def _oracle(tree: Condition, said: dict[str, Value]) -> float:
    """The same in numbers: 1 is yes, 0 is no, a half is not known; and is the least, or is the most."""
    match tree:
        case And(parts=parts):
            return min(_oracle(part, said) for part in parts)
        case Or(parts=parts):
            return max(_oracle(part, said) for part in parts)
        case Not(part=part):
            return 1 - _oracle(part, said)
        case Statement(of=of):
            value = _value(of, said)
            return 0.5 if value is None else float(bool(value))
        case Membership(member=member, within=within, wanted=wanted):
            word, among = _value(member, said), _value(within, said)
            return 0.5 if word is None or among is None else float((word in among) is wanted)
        case Comparison(left=left, relation=relation, right=right):
            one, other = _value(left, said), _value(right, said)
            if isinstance(left, VersionOf) or isinstance(right, VersionOf):
                one, other = _NUMBERS.get(one), _NUMBERS.get(other)
            return 0.5 if one is None or other is None else float(_SIGNS[relation](one, other))


@given(conditions, said_by_node)
def test_the_answer_is_that_of_plain_three_valued_logic(tree: Condition, said: dict[str, Value]) -> None:
    assert holds(tree, said) == {1.0: True, 0.0: False, 0.5: None}[_oracle(tree, said)]


@given(conditions, said_by_node, said_by_node)
def test_who_says_more_takes_no_answer_back(tree: Condition, said: dict[str, Value], more: dict[str, Value]) -> None:
    answer = holds(tree, said)
    assert answer is None or holds(tree, more | said) is answer
