"""Outcomes on their way to the node."""

import socket
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from roost.executors.worker.messages import FROM_CHILD, Done, FromChild, Ready
from roost.executors.worker.outbox import GATHER_S, Outbox, in_segments
from roost.model.segments import pack
from roost.wire.frames import FrameReader


def sent(channel: socket.socket) -> list[FromChild]:
    return [part for message in FrameReader().feed(channel.recv(1 << 20)) for part in FROM_CHILD.decode(message)]


def test_outcomes_are_gathered_into_segments() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        outbox = Outbox(theirs)
        outbox.flush()
        assert outbox.due is None
        for index in (3, 5, 4, 9):
            outbox.add_done(1, index, b"%d" % index, 0.5, now=10.0)
        outbox.add_done(2, 0, b"x", 0.25, now=11.0)
        outbox.add(Ready(), now=12.0)
        assert outbox.due == 10.0 + GATHER_S
        outbox.flush()
        assert outbox.due is None
        assert sent(ours) == [
            Done(1, (pack(3, [b"3", b"4", b"5"]), pack(9, [b"9"])), 2.0),
            Done(2, (pack(0, [b"x"]),), 0.25),
            Ready(),
        ]


@given(st.sets(st.integers(0, 50), min_size=1))
def test_segments_hold_neighbours_together(indices: set[int]) -> None:
    ascending = sorted(indices)
    segments = in_segments(ascending, [bytes([index]) for index in ascending])
    assert [index for segment in segments for index in segment.ranges] == ascending
    assert [value for segment in segments for value in segment.values()] == [bytes([index]) for index in ascending]
    assert all(left.stop < right.start for left, right in pairwise(segments))


def test_lengths_of_lists_go_with_their_results() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        outbox = Outbox(theirs)
        for index in (4, 3):
            outbox.add_done(1, index, b"%d" % index, 0.5, now=10.0, length=2 * index)
        outbox.flush()
        assert sent(ours) == [Done(1, (pack(3, [b"3", b"4"]),), 1.0, ((4, 8), (3, 6)))]
