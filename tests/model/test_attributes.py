"""What a task requires of a node's attributes: only what is there, and of the same type, satisfies."""

from typing import Any

import pytest

from roost.model.attributes import Attribute, Relation, Requirement
from roost.model.errors import PeerError
from roost.model.limits import ATTRIBUTE_NAME_LENGTH_MAX, ATTRIBUTE_TEXT_LENGTH_MAX
from roost.wire.codec import decode, encode

EQUALS, AT_LEAST, CONTAINS = Relation.EQUALS, Relation.AT_LEAST, Relation.CONTAINS


@pytest.mark.parametrize(
    ("has", "relation", "value"),
    [
        ("linux", EQUALS, "linux"),
        (True, EQUALS, True),
        (8, EQUALS, 8.0),
        (8, AT_LEAST, 8),
        (8.5, AT_LEAST, 8),
        (("avx", "sse"), CONTAINS, "sse"),
    ],
)
def test_what_is_there_satisfies(has: Attribute, relation: Relation, value: Any) -> None:
    assert Requirement("a", relation, value).is_met_by({"a": has})


@pytest.mark.parametrize(
    ("has", "relation", "value"),
    [
        ("linux", EQUALS, "windows"),
        (1, EQUALS, True),
        (True, EQUALS, 1),
        (("linux",), EQUALS, "linux"),
        (7.9, AT_LEAST, 8),
        ("9", AT_LEAST, 8),
        (9, AT_LEAST, "8"),
        (True, AT_LEAST, 0),
        (9, AT_LEAST, False),
        (float("nan"), AT_LEAST, 0),
        (("avx",), CONTAINS, "sse"),
        ("sse2", CONTAINS, "sse"),
    ],
)
def test_what_is_less_or_of_another_type_does_not(has: Attribute, relation: Relation, value: Any) -> None:
    assert not Requirement("a", relation, value).is_met_by({"a": has})


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("value", ["", 0, False])
def test_an_attribute_that_a_node_does_not_have_satisfies_nothing(relation: Relation, value: Any) -> None:
    assert not Requirement("a", relation, value).is_met_by({"b": value})


@pytest.mark.parametrize(("relation", "value"), [(EQUALS, True), (AT_LEAST, 1.5), (CONTAINS, "x")])
def test_requirements_travel_as_they_are(relation: Relation, value: Any) -> None:
    requirement = Requirement("a", relation, value)
    assert decode(encode(requirement), Requirement) == requirement


@pytest.mark.parametrize(
    "said",
    [
        ["", "equals", 1],
        ["x" * (ATTRIBUTE_NAME_LENGTH_MAX + 1), "equals", 1],
        ["os", "equals", "x" * (ATTRIBUTE_TEXT_LENGTH_MAX + 1)],
        ["os", "is like", "x"],
        ["os", "equals", ["x"]],
    ],
)
def test_what_another_node_says_a_task_requires_is_bounded(said: list[Any]) -> None:
    with pytest.raises(PeerError):
        decode(encode(said), Requirement)
