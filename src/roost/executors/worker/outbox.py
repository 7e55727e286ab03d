"""Outcomes on their way to the node: gathered for a moment, so that a thousand short programs are not a
thousand messages, and sent at once when the node has nothing else to wait for."""

import socket
from typing import Final, TypeAlias

from roost.executors.worker.messages import ENCODER, Done, FromChild
from roost.model.segments import Segment, pack
from roost.wire.frames import frame

#: Longer: fewer messages and journal entries for short programs. Shorter: results of a busy lane are seen sooner.
GATHER_S: Final = 0.04
#: Its index, its value, how long it ran, and the length of its list.
_DoneElement: TypeAlias = tuple[int, bytes, float, int | None]


class Outbox:
    """Take outcomes; ``flush`` when ``due`` has come, or earlier."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._messages: list[FromChild] = []
        self._done: dict[int, list[_DoneElement]] = {}
        #: When what is here should leave; None if nothing is.
        self.due: float | None = None
        #: Whether somebody waits for it.
        self.urgent = False

    def add(self, message: FromChild, now: float) -> None:
        self._messages.append(message)
        self._schedule(now)

    def add_done(
        self, lease: int, index: int, value: bytes, seconds: float, now: float, length: int | None = None
    ) -> None:
        """Take a result; ``length`` is that of its list, if a pool maps it."""
        self._done.setdefault(lease, []).append((index, value, seconds, length))
        self._schedule(now)

    def _schedule(self, now: float) -> None:
        if self.due is None:
            self.due = now + GATHER_S

    def flush(self) -> None:
        self.urgent = False
        if self.due is None:
            return
        messages = [*(_done_message(*done) for done in self._done.items()), *self._messages]
        self._done.clear()
        self._messages.clear()
        self.due = None
        self._channel.sendall(frame(ENCODER.encode(messages)))


def _done_message(lease: int, elements: list[_DoneElement]) -> Done:
    # Elements whose files had to be collected first may come after their successors.
    ordered = sorted(elements)
    segments = in_segments([index for index, *_ in ordered], [value for _, value, *_ in ordered])
    lengths = tuple((index, length) for index, _, _, length in elements if length is not None)
    return Done(lease, segments, sum(seconds for _, _, seconds, _ in elements), lengths)


def in_segments(indices: list[int], values: list[bytes]) -> tuple[Segment, ...]:
    """Pack values of ascending indices, neighbours together."""
    if indices[-1] - indices[0] == len(indices) - 1:
        return (pack(indices[0], values),)
    segments = []
    start = 0
    for at in range(1, len(indices) + 1):
        if at == len(indices) or indices[at] != indices[at - 1] + 1:
            segments.append(pack(indices[start], values[start:at]))
            start = at
    return tuple(segments)
