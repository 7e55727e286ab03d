"""Tokens are ordered field by field, also as bytes, and whatever others say there is a next one within the limits."""

import itertools

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roost.model.errors import InvariantViolated, PeerError
from roost.model.limits import ATTEMPT_MAX, BOOT_MAX, EDITION_MAX, ROUND_MAX
from roost.model.token import NO_TOKEN, Token, token_from_bytes
from roost.wire.codec import decode, encode

LIMITS = {"edition": EDITION_MAX, "life": BOOT_MAX, "round": ROUND_MAX, "attempt": ATTEMPT_MAX}
FIRST = Token(life=1, attempt=1)


def upto(limit: int) -> st.SearchStrategy[int]:
    """Numbers whose bytes differ in every place, and those next to the limits."""
    return st.integers(0, 3) | st.sampled_from([255, 256, limit - 1, limit]) | st.integers(0, limit)


any_tokens = st.builds(Token, **{name: upto(limit) for name, limit in LIMITS.items()})


def fields(token: Token) -> tuple[int, ...]:
    return msgspec.structs.astuple(token)


@given(any_tokens, any_tokens)
def test_tokens_are_compared_field_by_field(one: Token, other: Token) -> None:
    assert (one < other) == (fields(one) < fields(other))
    assert (one == other) == (fields(one) == fields(other)) == (hash(one) == hash(other))


def test_what_begins_later_is_above_all_that_came_before() -> None:
    in_order = [
        NO_TOKEN,
        FIRST,
        Token(life=1, attempt=ATTEMPT_MAX),
        Token(life=1, round=1),
        Token(life=1, round=ROUND_MAX, attempt=ATTEMPT_MAX),
        Token(life=2),
        Token(life=BOOT_MAX, round=ROUND_MAX, attempt=ATTEMPT_MAX),
        Token(edition=1),
    ]
    assert all(one < other for one, other in itertools.pairwise(in_order))


@given(any_tokens.filter(lambda token: token.attempt < ATTEMPT_MAX))
def test_the_next_token_is_the_next_attempt(token: Token) -> None:
    assert fields(token.following()) == (*fields(token)[:3], token.attempt + 1)


@given(any_tokens)
@example(Token(attempt=ATTEMPT_MAX))
@example(Token(life=4, round=ROUND_MAX, attempt=ATTEMPT_MAX))
@example(Token(edition=4, life=BOOT_MAX, round=ROUND_MAX, attempt=ATTEMPT_MAX))
def test_the_next_token_is_larger_and_within_the_limits_whatever_others_said(token: Token) -> None:
    if token == Token(**LIMITS):
        return
    following = token.following()
    assert following > token
    assert decode(encode(following), Token) == following


def test_the_last_token_of_all_has_no_next_one() -> None:
    with pytest.raises(InvariantViolated, match="no token is larger"):
        Token(**LIMITS).following()


@given(any_tokens, any_tokens)
def test_their_bytes_are_ordered_as_tokens_are(one: Token, other: Token) -> None:
    assert (one.to_bytes() < other.to_bytes()) == (one < other)
    assert len(one.to_bytes()) == len(other.to_bytes())


@given(any_tokens)
def test_bytes_are_read_as_they_were_written(token: Token) -> None:
    assert token_from_bytes(token.to_bytes()) == token


@pytest.mark.parametrize("damaged", [None, 7, 0.5, "x" * 16, b"", b"x" * 15, b"x" * 17, FIRST.to_bytes() + b"\0"])
def test_what_is_no_token_is_read_as_none(damaged: object) -> None:
    assert token_from_bytes(damaged) is NO_TOKEN


def test_a_life_beyond_the_limit_is_no_token() -> None:
    assert token_from_bytes(Token(life=BOOT_MAX + 1, attempt=1).to_bytes()) is NO_TOKEN


@pytest.mark.parametrize("name", LIMITS)
def test_a_field_beyond_its_limit_is_refused(name: str) -> None:
    at_limit = Token(**{name: LIMITS[name]})
    assert decode(encode(at_limit), Token) == at_limit
    for beyond in (-1, LIMITS[name] + 1):
        with pytest.raises(PeerError):
            decode(encode(Token(**{name: beyond})), Token)


def test_a_token_is_told_with_all_its_fields() -> None:
    assert str(Token(edition=1, life=12, round=2, attempt=30)) == "1.12.2.30"
