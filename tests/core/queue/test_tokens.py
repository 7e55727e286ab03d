"""The next token is above all that its elements had, and above all that they may have had unheard."""

from hypothesis import given
from hypothesis import strategies as st

from roost.core.queue.replica import TaskEntry
from roost.core.queue.tokens import Tokens, round_of
from roost.model.elements import Elements
from roost.model.states import Cancelled, Retried, State
from roost.model.token import Token
from tests.core.harness import ranges, task
from tests.strategies import small, states
from tests.tokens import attempt

#: Those that lives, rounds and attempts in use give.
any_tokens = st.builds(
    Token, edition=small, life=st.integers(1, 2**21), round=st.integers(0, 1_023), attempt=st.integers(0, 1_023)
)


def packed(token: Token) -> int:
    """Return a token as one number of the same order, if it has fewer than 1,024 attempts and rounds."""
    return (token.edition << 42) + (max(token.life - 1, 0) << 20) + (token.round << 10) + token.attempt


@given(st.lists(states, max_size=4), st.integers(1, 4), small)
def test_the_next_token_is_one_above_all_tokens_and_all_beginnings_of_life_edition_and_round(
    earlier: list[State], life: int, edition: int
) -> None:
    beginnings = [Token(edition=state.edition, life=life, round=getattr(state, "round", 0)) for state in earlier]
    least = max(map(packed, [Token(edition=edition, life=life), *beginnings, *(state.token for state in earlier)]))
    assert packed(Tokens(life).following(earlier, edition)) == least + 1


@given(any_tokens, any_tokens)
def test_tokens_are_ordered_as_their_numbers_are(one: Token, other: Token) -> None:
    assert (one < other) == (packed(one) < packed(other))


def test_no_token_of_an_edition_comes_again_in_the_next() -> None:
    tokens = Tokens(3)
    assert tokens.following() == Token(life=3, attempt=1)
    assert tokens.following(edition=1) == Token(edition=1, life=3, attempt=1)
    assert tokens.following([Retried(0, attempt(5), 1)]) == Token(edition=1, life=3, attempt=1)


def test_the_token_of_a_lease_follows_the_largest_of_its_elements_and_is_of_their_edition() -> None:
    entry = TaskEntry.fresh(task("a", 4))
    entry.merge(Elements({Retried(2, attempt(5)): ranges("1"), Retried(0, attempt(7), 1): ranges("3")}))
    tokens = Tokens(1)
    assert tokens.for_lease(entry, ranges("0")) == attempt(1)
    assert tokens.for_lease(entry, ranges("0-1")) == Token(life=1, round=2, attempt=1)
    assert tokens.for_lease(entry, ranges("3")) == Token(edition=1, life=1, attempt=1)


def test_what_has_ended_says_nothing_of_rounds() -> None:
    assert (round_of(Cancelled(attempt(3))), round_of(Retried(2, attempt(3)))) == (0, 2)


def test_what_attempts_had_is_not_given_again_though_no_record_tells_of_it() -> None:
    tokens, entry = Tokens(2), TaskEntry.fresh(task("a", 2))
    first, second = tokens.for_attempt(entry, ranges("0")), tokens.for_attempt(entry, ranges("0"))
    assert attempt(0, life=2) < first < second < tokens.for_lease(entry, ranges("1"))
    later_round = tokens.following([Retried(1, attempt(9, life=1))])
    assert (later_round.life, later_round.round) == (2, 1)
    assert later_round > second
