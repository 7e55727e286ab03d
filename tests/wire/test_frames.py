"""A stream cut into any pieces gives the messages that were put in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import PeerError
from roost.model.limits import FRAME_BYTES_MAX
from roost.wire import frames
from roost.wire.frames import FrameReader, frame

messages = st.lists(st.binary(max_size=20), max_size=5)


@given(messages, st.data())
def test_messages_come_out_whole_however_the_stream_is_cut(sent: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(map(frame, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    reader = FrameReader()
    received: list[bytes] = []
    for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        received += reader.feed(stream[start:stop])
    assert received == sent


@given(st.binary(min_size=1, max_size=20))
def test_a_message_is_not_given_out_before_its_last_byte(message: bytes) -> None:
    stream = frame(message)
    reader = FrameReader()
    assert reader.feed(stream[:-1]) == []
    assert reader.feed(stream[-1:]) == [message]


def test_a_message_above_the_limit_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "FRAME_BYTES_MAX", 3)
    assert frame(b"abc")
    with pytest.raises(PeerError, match="4 bytes is larger than the limit of 3"):
        frame(b"abcd")


def test_a_stream_that_announces_too_much_is_refused_before_it_arrives() -> None:
    with pytest.raises(PeerError, match="larger than the limit"):
        FrameReader().feed((FRAME_BYTES_MAX + 1).to_bytes(4, "big"))
