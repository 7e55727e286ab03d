"""Whatever is encoded is decoded; whatever else arrives raises PeerError and nothing else."""

import contextlib
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.core import facts
from roost.model.elements import Elements
from roost.model.errors import PeerError
from roost.model.happenings import Happening
from roost.model.ids import NodeId
from roost.model.limits import POOL_INDEX_MAX
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.states import Cancelled, Done
from roost.wire.codec import decode, encode, ranges_from_wire, ranges_to_wire
from tests.strategies import (
    elements,
    fact_strategies,
    happening_strategies,
    range_sets,
    run_records,
    task_records,
    wide_range_sets,
)
from tests.tokens import attempt

FACTS = [pytest.param(kind, strategy, id=kind.__name__) for kind, strategy in fact_strategies.items()]
VALUES = [
    *FACTS,
    *(pytest.param(Happening, strategy, id=kind.__name__) for kind, strategy in happening_strategies.items()),
    pytest.param(RangeSet, range_sets | wide_range_sets, id="RangeSet"),
    pytest.param(Elements, elements, id="Elements"),
    pytest.param(TaskRecord, task_records, id="TaskRecord"),
    pytest.param(RunRecord, run_records, id="RunRecord"),
]
KINDS = [parameter.values[0] for parameter in VALUES]

#: MessagePack that is well formed and means anything.
plain_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def test_every_fact_has_a_strategy() -> None:
    assert set(fact_strategies) == set(facts.Fact.__args__)


@pytest.mark.parametrize(("kind", "strategy"), VALUES)
@settings(max_examples=50)
@given(data=st.data())
def test_what_is_encoded_is_decoded(kind: type, strategy: st.SearchStrategy[Any], data: st.DataObject) -> None:
    value = data.draw(strategy)
    assert decode(encode(value), kind) == value


@pytest.mark.parametrize(("kind", "strategy"), VALUES)
@settings(max_examples=20)
@given(data=st.data())
def test_a_truncated_message_blames_the_peer_at_every_length(
    kind: type, strategy: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    message = encode(data.draw(strategy))
    for length in range(len(message)):
        with pytest.raises(PeerError):
            decode(message[:length], kind)


@pytest.mark.parametrize(("kind", "strategy"), VALUES)
@settings(max_examples=50)
@given(data=st.data())
def test_a_message_with_a_damaged_byte_is_read_or_blames_the_peer(
    kind: type, strategy: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    message = bytearray(encode(data.draw(strategy)))
    message[data.draw(st.integers(0, len(message) - 1))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(PeerError):
        decode(bytes(message), kind)


@given(st.binary(max_size=60), st.sampled_from(KINDS))
def test_arbitrary_bytes_raise_only_peer_error(data: bytes, kind: type) -> None:
    with contextlib.suppress(PeerError):
        decode(data, kind)


@given(plain_values, st.sampled_from(KINDS))
def test_arbitrary_values_raise_only_peer_error(value: Any, kind: type) -> None:
    with contextlib.suppress(PeerError):
        decode(msgspec.msgpack.encode(value), kind)


@pytest.mark.parametrize("kind", [RangeSet, Elements, TaskRecord])
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xdd\xff\xff\xff\xff", id="a huge length"),
        pytest.param(b"\x91" * 100_000, id="endless depth"),
        pytest.param(b"\x81\x91\x80\x00", id="a key that cannot be one"),
        pytest.param(b"\xc7\x0c\xff" + b"\xff" * 12, id="a moment that is none"),
        pytest.param(b"\xa2\xff\xfe", id="text that is none"),
        pytest.param(b"\x90\x90", id="two values"),
    ],
)
def test_hostile_bytes_raise_only_peer_error(data: bytes, kind: type) -> None:
    with pytest.raises(PeerError):
        decode(data, kind)


@pytest.mark.parametrize(
    "differences", [[1], [0, 0], [5, 0], [-1, 3], [0, POOL_INDEX_MAX + 2], [1.0, 2.0], [2**63, 2**63]]
)
def test_ranges_that_are_none_blame_the_peer(differences: list[Any]) -> None:
    with pytest.raises(PeerError):
        decode(msgspec.msgpack.encode(differences), RangeSet)


def test_overlapping_sets_of_a_peer_are_joined() -> None:
    done, cancelled = Done(attempt(1), NodeId("ash")), Cancelled(attempt(1))
    sent = msgspec.msgpack.encode([(cancelled, [0, 3]), (done, [1, 1]), (cancelled, [2, 3])])
    assert decode(sent, Elements) == Elements({done: RangeSet.of([1]), cancelled: RangeSet.of([0, 2, 3, 4])})


@given(range_sets | wide_range_sets)
def test_ranges_travel_as_differences(ranges: RangeSet) -> None:
    assert ranges_from_wire(ranges_to_wire(ranges)) == ranges


def test_a_ragged_record_can_be_read_again() -> None:
    """Every second element of an array may fail; a limit on ranges must not make the journal unreadable."""
    ragged = RangeSet(tuple(range(400_000)))
    assert decode(encode(ragged), RangeSet) == ragged


def test_what_does_not_travel_is_our_own_bug() -> None:
    with pytest.raises(NotImplementedError, match="object does not travel"):
        encode(object())
    with pytest.raises(NotImplementedError, match="does not travel"):
        decode(encode([]), EdgeCase)


class EdgeCase:
    """A type that the codec does not know."""
