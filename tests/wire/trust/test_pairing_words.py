"""Messages of a pairing are what they were; nothing else is accepted."""

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import InvalidInput, PeerError
from roost.model.ids import NodeId
from roost.model.limits import ADDRESS_LENGTH_MAX, ADDRESSES_MAX, KEYS_MAX, PAIRING_BYTES_MAX, PAIRING_HELLO_BYTES_MAX
from roost.wire.codec import decode, encode
from roost.wire.trust.cluster_keys import ClusterId, ClusterKey, Keyring
from roost.wire.trust.exchange import ELEMENT_BYTES
from roost.wire.trust.pairing_words import (
    EXPLAINED,
    Admission,
    Confirm,
    Hello,
    Introduction,
    Message,
    Reason,
    Refused,
    Reply,
    Sealed,
    decode_message,
    encode_message,
)

RING = Keyring(ClusterId("c1"), "attic", (ClusterKey(1, bytes(range(32))),))
MESSAGES: list[Message] = [
    Hello(1, 4821, bytes(ELEMENT_BYTES)),
    Reply(bytes(ELEMENT_BYTES)),
    Confirm(bytes(32)),
    Sealed(b"content"),
    *map(Refused, Reason),
]


@pytest.mark.parametrize("message", MESSAGES, ids=repr)
def test_what_is_encoded_is_decoded(message: Message) -> None:
    assert decode_message(encode_message(message)) == message


@given(st.binary(max_size=60))
def test_arbitrary_bytes_raise_peer_error_and_nothing_else(noise: bytes) -> None:
    with contextlib.suppress(PeerError):
        decode_message(noise)


def test_a_reason_that_is_none_of_ours_is_refused() -> None:
    with pytest.raises(PeerError):
        decode_message(msgspec.msgpack.encode({"type": "refused", "reason": "\x1b[31mrun this command"}))


def test_every_reason_is_explained() -> None:
    assert set(EXPLAINED) == set(Reason)


def test_the_largest_of_everything_fits_into_its_limit() -> None:
    keys = tuple(ClusterKey(2**32, bytes([number]) * 32) for number in range(KEYS_MAX))
    ring = Keyring(ClusterId("ü" * 64), "ü" * 64, tuple(sorted(keys, key=lambda key: key.rank)), 2**32)
    admission = Admission(ring, NodeId("ü" * 64), ("x" * ADDRESS_LENGTH_MAX,) * ADDRESSES_MAX, NodeId("ü" * 64))
    assert decode(encode(admission), Admission) == admission
    assert len(encode_message(Sealed(encode(admission)))) + 16 < PAIRING_BYTES_MAX
    assert len(encode_message(Sealed(encode(Introduction(NodeId("\U0001d518" * 64)))))) + 16 < PAIRING_HELLO_BYTES_MAX
    assert len(encode_message(MESSAGES[0])) < PAIRING_HELLO_BYTES_MAX


def test_showing_an_admission_does_not_show_the_keys() -> None:
    shown = repr(Admission(RING, NodeId("ash"), ("10.0.0.1:4711",), NodeId("oak")))
    assert "10.0.0.1:4711" in shown
    assert repr(RING.newest.secret)[2:20] not in shown


@pytest.mark.parametrize("addresses", [("",), ("x" * 999,), ("a\nb:1",), ("a:1",) * (ADDRESSES_MAX + 1)])
def test_addresses_that_are_none_are_refused(addresses: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput):
        Admission(RING, NodeId("ash"), addresses, NodeId("oak"))


@pytest.mark.parametrize("name", ["", "x" * 65, "\x1b[2Jash"])
def test_names_that_could_confuse_a_terminal_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        Introduction(NodeId(name))
    with pytest.raises(PeerError):
        decode(msgspec.msgpack.encode({"node": name}), Introduction)
