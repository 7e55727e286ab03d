"""What one node seals another opens; whatever else arrives is refused with its reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import InvariantViolated
from roost.model.limits import DATAGRAM_BYTES_MAX
from roost.wire.trust.cluster_keys import ClusterKey
from roost.wire.trust.sealing import (
    COUNTER_MAX,
    HEADER_BYTES,
    OVERHEAD_BYTES,
    PAYLOAD_BYTES_MAX,
    Forged,
    Opener,
    Refusal,
    Sealer,
    SessionId,
    claimed_name,
    claimed_session,
)

OURS = ClusterKey(1, b"o" * 32)
NEWER = ClusterKey(2, b"n" * 32)
THEIRS = ClusterKey(1, b"t" * 32)
ASH, OAK = SessionId(b"a" * 16), SessionId(b"k" * 16)


def reason(opener: Opener, datagram: bytes) -> Refusal:
    with pytest.raises(Forged) as refused:
        opener.open(datagram)
    return refused.value.reason


@given(st.binary(max_size=300))
def test_what_is_sealed_is_opened_with_its_session_and_counter(payload: bytes) -> None:
    sealer, opener = Sealer([OURS], ASH), Opener([OURS])
    for counter in range(3):
        opened = opener.open(sealer.seal(payload))
        assert (opened.session, opened.counter, opened.payload, opened.key) == (ASH, counter, payload, OURS.id)


@given(st.binary(max_size=40), st.data())
def test_a_datagram_with_any_bit_flipped_is_refused(payload: bytes, data: st.DataObject) -> None:
    datagram = bytearray(Sealer([OURS], ASH).seal(payload))
    bit = data.draw(st.integers(0, len(datagram) * 8 - 1))
    datagram[bit // 8] ^= 1 << bit % 8
    with pytest.raises(Forged):
        Opener([OURS]).open(bytes(datagram))


def test_no_single_bit_of_a_datagram_can_be_flipped() -> None:
    datagram = Sealer([OURS], ASH).seal(b"x")
    opener = Opener([OURS])
    assert opener.open(datagram).payload == b"x"
    for bit in range(len(datagram) * 8):
        flipped = bytearray(datagram)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(Forged):
            opener.open(bytes(flipped))


@given(noise=st.binary(max_size=200), as_ours=st.booleans())
def test_arbitrary_bytes_are_refused_and_nothing_else_happens(noise: bytes, *, as_ours: bool) -> None:
    header = Sealer([OURS], ASH).seal(b"")[:8] if as_ours else b""
    with pytest.raises(Forged):
        Opener([OURS]).open(header + noise)


@given(st.binary(max_size=60), st.data())
def test_a_datagram_cut_short_or_made_longer_is_refused(payload: bytes, data: st.DataObject) -> None:
    datagram = Sealer([OURS], ASH).seal(payload)
    cut = data.draw(st.integers(0, len(datagram) - 1))
    opener = Opener([OURS])
    with pytest.raises(Forged):
        opener.open(datagram[:cut])
    with pytest.raises(Forged):
        opener.open(datagram + b"\0")


def test_the_reason_of_a_refusal_tells_what_the_datagram_is() -> None:
    opener = Opener([OURS])
    datagram = Sealer([OURS], ASH).seal(b"hello")
    assert reason(opener, b"") is Refusal.SIZE
    assert reason(opener, bytes(DATAGRAM_BYTES_MAX + 1)) is Refusal.SIZE
    assert reason(opener, b"GET / HTTP/1.1\r\n" * 9) is Refusal.FOREIGN
    assert reason(opener, datagram[:3] + b"\x02" + datagram[4:]) is Refusal.VERSION
    assert reason(opener, Sealer([THEIRS], ASH).seal(b"hello")) is Refusal.UNKNOWN_KEY
    assert reason(opener, datagram[:-1] + bytes([datagram[-1] ^ 1])) is Refusal.FORGED
    with pytest.raises(Forged, match="a datagram is forged or damaged"):
        opener.open(datagram[:-1] + bytes([datagram[-1] ^ 1]))


def test_another_clusters_datagram_is_refused_even_under_our_key_id() -> None:
    theirs = Sealer([THEIRS], ASH).seal(b"hello")
    assert reason(Opener([OURS]), theirs[:4] + OURS.id + theirs[8:]) is Refusal.FORGED


def test_a_datagram_cannot_be_passed_off_as_another_sessions() -> None:
    datagram = Sealer([OURS], ASH).seal(b"hello")
    opener = Opener([OURS])
    opener.open(Sealer([OURS], OAK).seal(b"I am known"))
    assert reason(opener, datagram[:8] + OAK + datagram[24:]) is Refusal.FORGED


def test_a_datagram_says_of_which_session_it_claims_to_be_before_it_is_opened() -> None:
    assert claimed_session(Sealer([OURS], ASH).seal(b"x")) == ASH
    assert claimed_session(b"Rst") == b""


def test_no_two_datagrams_have_one_name() -> None:
    sealer, other = Sealer([OURS], ASH), Sealer([OURS], SessionId(bytes(16)))
    datagrams = [sealer.seal(b"x"), sealer.seal(b"x"), other.seal(b"x")]
    assert len({claimed_name(datagram) for datagram in datagrams}) == 3


def test_equal_payloads_look_different_in_every_session_and_datagram() -> None:
    ash, oak = Sealer([OURS], ASH), Sealer([OURS], OAK)
    # Without the tags, which differ by the headers: what is left differs only if key or nonce do.
    sealed = [sealer.seal(b"the same text")[HEADER_BYTES:-16] for sealer in (ash, ash, oak)]
    assert len(set(sealed)) == 3
    assert b"the same text" not in ash.seal(b"the same text")


def test_the_newest_key_seals_and_older_ones_open_until_they_are_retired() -> None:
    sealer, opener = Sealer([OURS], ASH), Opener([OURS])
    before = sealer.seal(b"before")
    opener.use([OURS, NEWER])
    sealer.use([OURS, NEWER])
    during = sealer.seal(b"during")
    assert opener.open(before)[1:] == (0, b"before", OURS.id)
    assert opener.open(during)[1:] == (1, b"during", NEWER.id)
    opener.use([NEWER])
    assert reason(opener, before) is Refusal.UNKNOWN_KEY
    assert opener.open(during).payload == b"during"


def test_a_node_that_knows_no_newer_key_can_be_answered_with_its_own() -> None:
    sealer = Sealer([OURS, NEWER], ASH)
    assert Opener([OURS]).open(sealer.seal(b"answer", OURS.id)).payload == b"answer"
    assert Opener([NEWER]).open(sealer.seal(b"answer", THEIRS.id)).payload == b"answer"


def test_sealing_has_limits() -> None:
    sealer, opener = Sealer([OURS], ASH), Opener([OURS])
    largest = sealer.seal(bytes(PAYLOAD_BYTES_MAX))
    assert len(largest) == DATAGRAM_BYTES_MAX == PAYLOAD_BYTES_MAX + OVERHEAD_BYTES
    assert opener.open(largest).payload == bytes(PAYLOAD_BYTES_MAX)
    with pytest.raises(InvariantViolated, match="cannot be sealed"):
        sealer.seal(bytes(PAYLOAD_BYTES_MAX + 1))
    sealer.next_counter = COUNTER_MAX
    assert opener.open(sealer.seal(b"last")).counter == COUNTER_MAX
    with pytest.raises(InvariantViolated, match="cannot be sealed"):
        sealer.seal(b"a nonce would be used again")
