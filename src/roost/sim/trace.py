"""The trace of a simulated run: every event and action in order, and one hash over all of them.

Equal seeds give equal hashes, in every process and on every machine; that is how a leak of set order, of the clock or
of global randomness into the core is found. The hash is taken over the bytes in which things travel. They are put in
words only when somebody asks for the story, because there are very many of them and few are ever read.
"""

import hashlib
from collections import deque
from typing import NamedTuple

from roost.core.actions import Action, Send
from roost.core.events import Event
from roost.wire.codec import encode
from roost.wire.messages import Message

#: Lines that are kept for the story of a failure.
LINES_KEPT = 60
_LINE_LENGTH = 300


class _Happened(NamedTuple):
    time: float
    node: str
    event: Event

    def __str__(self) -> str:
        return f"{self.time:.6f} {self.node}{' ' if self.node else ''}event {self.event!r}"


class _Done(NamedTuple):
    action: Action

    def __str__(self) -> str:
        return f"  action {self.action!r}"


class Trace:
    def __init__(self, lines_kept: int = LINES_KEPT) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._last: deque[_Happened | _Done | str] = deque(maxlen=lines_kept)
        self._last_said: tuple[Message | None, bytes] = (None, b"")
        self.steps = 0

    def event(self, time: float, event: Event, node: str = "", data: bytes = b"") -> None:
        """Note that a node is about to handle an event; ``data`` are the bytes in which it came, if it did."""
        self._last.append(_Happened(time, node, event))
        self._count(f"{time:.6f} {node} {type(event).__name__}", data or encode(event))

    def action(self, action: Action) -> None:
        self._last.append(_Done(action))
        if isinstance(action, Send):
            self._count(f"Send {action.to} {action.promises}", self._said(action.message))
        else:
            self._count(type(action).__name__, encode(action))

    def remark(self, text: str) -> None:
        self._last.append(f"  -- {text}")
        self._count(text, b"")

    def _said(self, message: Message) -> bytes:
        # One message often goes to many, one after the other.
        if message is not self._last_said[0]:
            self._last_said = (message, encode(message))
        return self._last_said[1]

    def _count(self, what: str, data: bytes) -> None:
        self.steps += 1
        self._hash.update(what.encode())
        self._hash.update(data)

    @property
    def hash(self) -> str:
        return self._hash.hexdigest()

    def story(self) -> str:
        """Return the last lines, for a person who wants to know what led to a failure."""
        return "\n".join(_cut(str(line)) for line in self._last)


def _cut(line: str) -> str:
    return line if len(line) <= _LINE_LENGTH else f"{line[:_LINE_LENGTH]}…"
