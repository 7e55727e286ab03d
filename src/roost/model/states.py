"""The states of an element, as types that carry just their data, in one total order.

Two replicas that know different things about an element keep the larger state. Because the order is total, "the larger"
is commutative, associative and idempotent, and so is the merge of whole records, which takes it element by element.

    fresh  <  attempts, by (round, token, node, how far it came)  <  cancelled  <  absent  <  done, by (token, node)

- All of that is within one *edition*. When a person sends work back, what was made of it is done once more, in the next
  edition, whose smallest state beats the largest of the one before (core/queue/invalidation.py).
- A fresh element has no entry at all; whether it is *waiting* or *ready* follows from its inputs.
- A later attempt has a larger token. ``round`` grows when a person asks for a retry, and forgives earlier failures.
- Done beats cancelled: what was finished when the cancellation came is finished.
- Absent elements are those of a pool that do not exist, because the list that it maps is shorter (pools.py).
- Of two results accepted on two sides of a partition, the newer token's stays, everywhere the same.
- An attempt carries which nodes went down when the element had just begun there (core/mesh/contest/takedowns.py). Where
  replicas know different ones of the same attempt, those that know more count, and that it is innocent counts most.
"""

from functools import lru_cache
from typing import TypeAlias

import msgspec

from roost.model.downed import Downed, weight
from roost.model.ids import NodeId
from roost.model.token import NO_TOKEN, Edition, Round, Token


class Leased(msgspec.Struct, frozen=True, array_like=True, cache_hash=True, tag="L"):
    """``node`` runs it, or will soon. ``failures`` counts the failed attempts of this round so far."""

    round: Round
    token: Token
    node: NodeId
    failures: int
    edition: Edition = 0
    downed: Downed = ()


class Released(msgspec.Struct, frozen=True, array_like=True, cache_hash=True, tag="R"):
    """The attempt ended without a word on the work: given back, stopped, or its holder fell silent. Ready again."""

    round: Round
    token: Token
    node: NodeId
    failures: int
    edition: Edition = 0
    downed: Downed = ()


class Failed(msgspec.Struct, frozen=True, array_like=True, cache_hash=True, tag="F"):
    """The attempt failed, the ``failures``-th of this round. Ready again while the task's retries last."""

    round: Round
    token: Token
    node: NodeId
    failures: int
    edition: Edition = 0
    downed: Downed = ()


class Retried(msgspec.Struct, frozen=True, array_like=True, cache_hash=True, tag="A"):
    """A person asked for another round, or for another edition; the next lease has a token above ``token``."""

    round: Round
    token: Token
    edition: Edition = 0


class Cancelled(msgspec.Struct, frozen=True, array_like=True, cache_hash=True, tag="C"):
    """A person cancelled it before it was done. Final, unless a person wants it tried in another edition."""

    token: Token
    edition: Edition = 0


class Absent(msgspec.Struct, frozen=True, array_like=True, cache_hash=True, tag="X"):
    """It does not exist: the list that its pool maps is shorter. Final."""

    token: Token = NO_TOKEN
    edition: Edition = 0


class Done(msgspec.Struct, frozen=True, array_like=True, cache_hash=True, tag="D"):
    """The result that ``node`` made under ``token`` is the accepted one. Final."""

    token: Token
    node: NodeId
    #: If it is a list that a pool maps, its length; NO_LENGTH otherwise.
    length: int = -1
    edition: Edition = 0
    #: Whether it was not made but taken over from an earlier run.
    reused: bool = False


NO_LENGTH = -1

State: TypeAlias = Leased | Released | Failed | Retried | Cancelled | Absent | Done
#: With its token's fields one by one: tuples of plain numbers are compared twice as fast.
Key: TypeAlias = tuple[int, int, int, int, int, int, int, str, int, int, str]

#: A retry that was asked for comes before the attempts that follow it, whoever makes them.
_ASKED, _LEASED, _RELEASED, _FAILED = range(4)
#: Few states occur at a time and they are compared again and again, so their keys are remembered.
_KEYS_KEPT = 65_536


@lru_cache(maxsize=_KEYS_KEPT)
def order_key(state: State) -> Key:
    """Return the place of a state in the total order; equal keys mean equal states."""
    token = state.token
    fields = (token.edition, token.life, token.round, token.attempt)
    match state:
        case Leased():
            return (state.edition, 1, state.round, *fields, state.node, _LEASED, state.failures, weight(state.downed))
        case Released():
            return (
                state.edition,
                1,
                state.round,
                *fields,
                state.node,
                _RELEASED,
                state.failures,
                weight(state.downed),
            )
        case Failed():
            return (state.edition, 1, state.round, *fields, state.node, _FAILED, state.failures, weight(state.downed))
        case Retried():
            return (state.edition, 1, state.round, *fields, "", _ASKED, 0, "")
        case Cancelled():
            return (state.edition, 2, 0, *fields, "", 0, 0, "")
        case Absent():
            return (state.edition, 3, 0, *fields, "", 0, 0, "")
        case Done():
            return (state.edition, 4, 0, *fields, state.node, state.length, state.reused, "")


def downed_in(state: State) -> Downed:
    """Return which nodes have gone down with an element, by its state."""
    return state.downed if isinstance(state, Leased | Released | Failed) else ()
