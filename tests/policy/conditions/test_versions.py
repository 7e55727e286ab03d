"""The order of versions."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.policy.conditions.versions import is_version, order_of, parse_version


def order(left: str, right: str) -> int:
    one, other = parse_version(left), parse_version(right)
    assert one is not None
    assert other is not None
    return order_of(one, other)


def test_versions_stand_in_their_order() -> None:
    ordered = ["0.9", "3.9", "3.12a1", "3.12rc1", "3.12rc2", "3.12", "3.12.1", "3.13", "10"]
    assert all(order(before, after) < 0 < order(after, before) for before, after in pairwise(ordered))


@pytest.mark.parametrize(
    ("one", "other"), [("3.12", "3.12.0"), ("v3.12", "3.12"), ("1-2", "1.2"), ("1.0RC1", "1.0rc1")]
)
def test_the_same_version_may_be_written_in_several_ways(one: str, other: str) -> None:
    assert order(one, other) == 0


@pytest.mark.parametrize("text", ["", "linux", "3.", ".3", "3..1", "3 1", "v", "3.1!"])
def test_what_is_no_version_is_none(text: str) -> None:
    assert (is_version(text), parse_version(text)) == (False, None)


def test_a_long_text_is_judged_at_once() -> None:
    assert not is_version("1" * 100_000 + "!")
    assert not is_version("a1" * 50_000)


@given(*[st.from_regex(r"\A[0-9]{1,3}([.][0-9]{1,3}|rc[0-9]){0,3}\Z")] * 3)
def test_the_order_is_total(one: str, two: str, three: str) -> None:
    assert order(one, two) == -order(two, one)
    if order(one, two) <= 0 and order(two, three) <= 0:
        assert order(one, three) <= 0
