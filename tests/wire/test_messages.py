"""Every message survives its way; whatever else arrives raises PeerError and nothing else."""

import contextlib
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.model.clock import Stamp
from roost.model.errors import PeerError
from roost.model.ids import NodeId, TaskId
from roost.model.limits import (
    BID_RANGES_MAX,
    DATAGRAM_BYTES_MAX,
    HEARTBEAT_ECHOES_MAX,
    HEARTBEAT_NEWS_MAX,
    STORED_VALUE_BYTES_MAX,
)
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.task import Priority
from roost.model.token import Token
from roost.wire.messages import (
    MESH_VERSION,
    Ask,
    Bid,
    Candidacy,
    Claim,
    DoYouKnow,
    Echo,
    Envelope,
    HaveContent,
    HaveLog,
    Heartbeat,
    KeepContent,
    Message,
    News,
    Question,
    RunningLease,
    Standing,
    TasksTransfer,
    WhoIsMaster,
    open_envelope,
    pack_envelope,
)
from tests.strategies import message_strategies

ASH, OAK = NodeId("ash"), NodeId("oak")
SENT = Stamp(1_700_000_000_000, 3, ASH)
#: A frame of Ethernet, less what IP, UDP and the sealing take.
FRAME_BYTES = 1_400
KINDS = [pytest.param(strategy, id=kind.__name__) for kind, strategy in message_strategies.items()]

envelopes = st.builds(
    Envelope,
    st.integers(0, 3),
    st.just(ASH),
    st.sampled_from([NodeId(""), OAK]),
    st.just(SENT),
    st.lists(st.one_of(*message_strategies.values()), max_size=3).map(tuple),
)


def enveloped(*messages: Message) -> Envelope:
    return Envelope(MESH_VERSION, ASH, NodeId(""), SENT, messages)


def beat(leases: int = 0, echoes: int = 8, news: int = 0) -> Heartbeat:
    """Make a heartbeat of a mesh with long names, as it is after a year."""
    name, address = NodeId("workstation-0042-kedova"), "[fe80::1234:5678:9abc:def0]:47000"
    said = News(name, 2**31 - 1, 2**32, Standing.SUSPECT, address)
    token = Token(edition=9, life=2**31 - 1, round=99, attempt=2**10)
    lease = RunningLease(TaskId("123456-kedova/resize_all"), token, RangeSet.span(10**6, 10**6 + 500), 0.123456)
    return Heartbeat(
        name,
        2**31 - 1,
        2**32,
        2**63,
        Capacity.of(64.0, 2**40, "3.11"),
        63.5,
        (lease,) * leases,
        b"12345678",
        (Echo(name, 2**63, 0.123456),) * echoes,
        (said,) * news,
        Claim(SENT, name),
        address,
    )


# There and back.


def test_every_message_has_a_strategy() -> None:
    assert set(message_strategies) == set(get_args(Message))


@pytest.mark.parametrize("strategy", KINDS)
@settings(max_examples=30)
@given(data=st.data())
def test_what_is_sent_arrives(strategy: st.SearchStrategy[Message], data: st.DataObject) -> None:
    envelope = enveloped(data.draw(strategy))
    assert open_envelope(pack_envelope(envelope)) == envelope


@settings(max_examples=50)
@given(envelopes)
def test_several_messages_travel_in_one_envelope(envelope: Envelope) -> None:
    opened = open_envelope(pack_envelope(envelope))
    assert opened == envelope
    assert [type(message) for message in opened.messages] == [type(message) for message in envelope.messages]


def test_messages_without_content_are_told_apart() -> None:
    envelope = enveloped(WhoIsMaster(), TasksTransfer())
    assert open_envelope(pack_envelope(envelope)).messages == (WhoIsMaster(), TasksTransfer())


def test_whoever_speaks_is_named_once() -> None:
    assert Bid(TaskId("1-bababa/a"), RangeSet.of([1]), Priority.LOW, 0.0, SENT).node == ASH
    assert Candidacy(0, 0, SENT).node == ASH


def test_of_two_claims_the_newer_is_the_larger() -> None:
    older, newer = Claim(Stamp(1, 9, OAK), OAK), Claim(Stamp(2, 0, ASH), ASH)
    assert max(newer, older) == newer


# What is none.


@given(st.binary(max_size=200))
def test_arbitrary_bytes_raise_only_peer_error(data: bytes) -> None:
    with contextlib.suppress(PeerError):
        open_envelope(data)


@settings(max_examples=20)
@given(envelopes)
def test_an_envelope_that_is_cut_short_blames_the_peer_at_every_length(envelope: Envelope) -> None:
    data = pack_envelope(envelope)
    for length in range(0, len(data), 1 + len(data) // 200):
        with pytest.raises(PeerError):
            open_envelope(data[:length])


@pytest.mark.parametrize("strategy", KINDS)
@settings(max_examples=30)
@given(data=st.data())
def test_an_envelope_with_a_damaged_byte_is_read_or_blames_the_peer(
    strategy: st.SearchStrategy[Message], data: st.DataObject
) -> None:
    damaged = bytearray(pack_envelope(enveloped(data.draw(strategy))))
    damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(PeerError):
        open_envelope(bytes(damaged))


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([{"type": "gossip"}], id="a message that nobody knows"),
        pytest.param([{"task": "1-bababa/a"}], id="a message without its kind"),
        pytest.param([{"type": "know"}], id="a question about nothing"),
        pytest.param([{"type": "know", "task": 7}], id="a task that is a number"),
        pytest.param([{"type": "kept", "number": "1"}], id="a number that is text"),
        pytest.param([{"type": "digests", "buckets": [0], "digests": [["1-bababa"]]}], id="half a pair"),
        pytest.param({"type": "who"}, id="no list"),
    ],
)
def test_what_is_no_message_blames_the_peer(messages: Any) -> None:
    with pytest.raises(PeerError):
        open_envelope(msgspec.msgpack.encode([MESH_VERSION, "ash", "", SENT, messages]))


def test_a_field_that_a_later_version_adds_does_no_harm() -> None:
    later = [{"type": "know", "task": "1-bababa/a", "why": "curious"}]
    opened = open_envelope(msgspec.msgpack.encode([MESH_VERSION + 1, "ash", "", SENT, later]))
    assert opened == Envelope(MESH_VERSION + 1, ASH, NodeId(""), SENT, (DoYouKnow(TaskId("1-bababa/a")),))


# Sizes.


def test_an_idle_heartbeat_fits_into_one_frame() -> None:
    assert len(pack_envelope(enveloped(beat()))) < FRAME_BYTES


def test_the_heartbeat_of_a_busy_node_with_much_to_tell_fits_into_a_datagram() -> None:
    full = beat(leases=256, echoes=HEARTBEAT_ECHOES_MAX, news=HEARTBEAT_NEWS_MAX)
    assert len(pack_envelope(enveloped(full))) < DATAGRAM_BYTES_MAX


def test_the_largest_bid_fits_into_a_datagram() -> None:
    ragged = RangeSet.of(range(10**12, 10**12 + 2000 * BID_RANGES_MAX, 2000))
    assert ragged.range_count == BID_RANGES_MAX
    bid = Bid(TaskId("123456-kedova/resize"), ragged, Priority.LOW, 0.0, SENT)
    assert len(pack_envelope(enveloped(bid))) < 4 * 1024


@pytest.mark.parametrize(
    "question",
    [
        HaveContent("../../etc/passwd"),
        HaveContent("AB" * 16),
        KeepContent("ab" * 16, -1),
        KeepContent("ab" * 16, STORED_VALUE_BYTES_MAX + 1),
        HaveLog(TaskId("1-bababa/a"), 0, "stdin"),  # type: ignore[arg-type]  # this is what must not pass
    ],
)
def test_a_question_that_names_no_file_or_stream_is_not_read(question: Question) -> None:
    with pytest.raises(PeerError):
        open_envelope(pack_envelope(enveloped(Ask(1, question))))
