"""The total order of states, from which all merging follows."""

from hypothesis import given

from roost.model.ids import NodeId
from roost.model.states import Absent, Cancelled, Done, Failed, Leased, Released, Retried, State, order_key
from roost.model.token import Token
from tests.strategies import nodes, small, states, tokens
from tests.tokens import attempt

ASH, OAK = NodeId("ash"), NodeId("oak")


@given(states, states)
def test_equal_keys_mean_equal_states(left: State, right: State) -> None:
    assert (order_key(left) == order_key(right)) == (left == right)


@given(states, states, states)
def test_the_order_is_total(low: State, middle: State, high: State) -> None:
    ordered = sorted([low, middle, high], key=order_key)
    assert order_key(ordered[0]) <= order_key(ordered[1]) <= order_key(ordered[2])
    assert sorted([high, low, middle], key=order_key) == ordered


@given(small, tokens, nodes, small)
def test_an_attempt_that_came_further_is_larger(round_: int, token: Token, node: NodeId, failures: int) -> None:
    fields = (round_, token, node, failures)
    ordered = [Retried(round_, token), Leased(*fields), Released(*fields), Failed(*fields)]
    keys = [order_key(state) for state in ordered]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


def test_the_life_of_an_element_only_climbs() -> None:
    life: list[State] = [
        Leased(0, attempt(1), OAK, 0),
        Released(0, attempt(1), OAK, 0),
        Leased(0, attempt(2), ASH, 0),
        Failed(0, attempt(2), ASH, 1),
        Leased(0, attempt(3), ASH, 1),
        Failed(0, attempt(3), ASH, 2),
        Retried(1, attempt(3)),
        Leased(1, attempt(4), ASH, 0),
        Cancelled(attempt(4)),
        Done(attempt(4), ASH),
        Done(attempt(5), ASH),
        Done(attempt(5), OAK),
    ]
    assert sorted(life, key=order_key) == life


def test_what_does_not_exist_is_not_cancelled_but_what_is_done_is_done() -> None:
    assert order_key(Cancelled(attempt(9))) < order_key(Absent()) < order_key(Done(attempt(1), ASH))


@given(states, states)
def test_whatever_is_of_a_later_edition_beats_all_of_an_earlier_one(left: State, right: State) -> None:
    if left.edition < right.edition:
        assert order_key(left) < order_key(right)


def test_a_retry_that_was_asked_for_stands_below_every_attempt_of_its_round() -> None:
    assert order_key(Retried(1, attempt(3))) < order_key(Leased(1, attempt(3), NodeId(""), 0))
    assert order_key(Retried(1, attempt(3))) > order_key(Failed(0, attempt(9), OAK, 9))
