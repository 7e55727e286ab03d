"""Codes can be said, typed carelessly, and not guessed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.pretty import pretty_repr

from roost.model.errors import InvalidInput
from roost.wire.trust.invitations import CODES, new_code, read_code

entropies = st.integers(0, CODES - 1)


@given(entropies)
def test_a_code_is_read_as_it_was_made_however_it_is_typed(entropy: int) -> None:
    code = new_code(entropy)
    for typed in (str(code), f"  {str(code).upper()}\n", str(code).replace("-", " "), str(code).replace("-", " - ")):
        assert read_code(typed) == code


def test_a_code_is_short_and_its_words_have_at_least_forty_bits() -> None:
    assert str(new_code(0)) == "1000-babababa-babababa"
    assert str(new_code(CODES - 1)) == "9999-zuzuzuzu-zuzuzuzu"
    assert math.log2(CODES / 9_000) > 40


@given(entropies, entropies)
def test_different_numbers_make_different_codes(one: int, two: int) -> None:
    assert (new_code(one) == new_code(two)) == (one == two)


def test_showing_a_code_in_a_log_does_not_show_its_password() -> None:
    code = new_code(987_654_321_987_654)
    for shown in (repr(code), pretty_repr(code)):
        assert shown == f"InvitationCode(number={code.number})"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "4821",
        "4821-kedovami",
        "821-kedovami-ributano",
        "4821-kedovam-ributano",
        "4821-kedovami-ributanx",
        "x" * 9999,
    ],
)
def test_what_no_invitation_can_have_as_its_code_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"is not the code of an invitation; it looks like 4821-kedovami-ributano"):
        read_code(text)
