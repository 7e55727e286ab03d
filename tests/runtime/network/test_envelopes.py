import pytest

from roost.model.clock import Stamp
from roost.model.ids import BlobHash, NodeId, task_id
from roost.model.ids import run_id as make_run_id
from roost.runtime.network.envelopes import DATAGRAM_BYTES, PAYLOAD_BYTES, Packer
from roost.wire.messages import DoYouKnow, Facts, Kept, Message, open_envelope
from roost.wire.trust.sealing import OVERHEAD_BYTES

ASH, ELM = NodeId("ash"), NodeId("elm")
NOW = Stamp(1_700_000_000_000, 0, ASH)
TASK = task_id(make_run_id(1, 7), "work")
LARGE = Facts(blobs=((BlobHash("0" * 32), bytes(5_000)),))


def test_small_messages_that_leave_together_share_one_datagram() -> None:
    messages: list[Message] = [Kept(number) for number in range(5)]
    packed = Packer(ASH).pack(ELM, NOW, messages)
    (payload,) = packed.small
    envelope = open_envelope(payload)
    assert packed.large is None
    assert (envelope.sender, envelope.receiver, envelope.sent, list(envelope.messages)) == (ASH, ELM, NOW, messages)


def test_words_to_all_name_no_receiver() -> None:
    assert open_envelope(Packer(ASH).pack(None, NOW, [Kept(1)]).small[0]).receiver == ""


def test_a_large_message_goes_by_stream() -> None:
    packed = Packer(ASH).pack(ELM, NOW, [LARGE])
    assert packed.small == []
    assert packed.large is not None
    assert open_envelope(packed.large).messages == (LARGE,)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 100, 1_000])
def test_many_messages_are_spread_over_full_datagrams_and_none_is_lost(count: int) -> None:
    messages: list[Message] = [LARGE, *(DoYouKnow(TASK) for _ in range(count)), LARGE]
    packed = Packer(ASH).pack(ELM, NOW, messages)
    opened = [open_envelope(payload).messages for payload in packed.small]
    assert sum(len(group) for group in opened) == count
    assert all(len(payload) <= PAYLOAD_BYTES for payload in packed.small)
    assert all(len(payload) > PAYLOAD_BYTES - 60 for payload in packed.small[:-1])
    assert packed.large is not None
    assert open_envelope(packed.large).messages == (LARGE, LARGE)


def test_a_full_payload_makes_a_datagram_of_the_size_that_networks_carry_whole() -> None:
    assert PAYLOAD_BYTES + 1 + OVERHEAD_BYTES == DATAGRAM_BYTES <= 1_200


def test_an_envelope_for_a_stream_holds_everything_whatever_its_size() -> None:
    opened = open_envelope(Packer(ASH).envelope(ELM, NOW, [Kept(1), LARGE]))
    assert (opened.receiver, opened.messages) == (ELM, (Kept(1), LARGE))
