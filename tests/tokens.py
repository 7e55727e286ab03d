"""Tokens of tests: what matters of most is which attempt they are."""

import msgspec

from roost.model.token import NO_TOKEN, Token


def attempt(number: int, *, life: int = 1) -> Token:
    """Return the token of an attempt at an element that was neither sent back nor retried; 0 is none at all."""
    return Token(life=life, attempt=number) if number else NO_TOKEN


def later(token: Token, by: int) -> Token:
    """Return the token of so many attempts later."""
    return msgspec.structs.replace(token, attempt=token.attempt + by)
