"""The trace of a simulated run: every event and action in order, and one hash over all of them.

Equal seeds give equal hashes, in every process and on every machine; that is how a leak of set order, of the clock or
of global randomness into the core is found. The hash is taken over the bytes in which things travel. They are put in
words only when somebody asks for the story, because there are very many of them and few are ever read.
"""

import hashlib
from collections import deque

from roost.core.actions import Action, Send
from roost.core.events import Event
from roost.wire.codec import encode

#: Lines that are kept for the story of a failure.
LINES_KEPT = 60
_LINE_LENGTH = 300


class Trace:
    def __init__(self, lines_kept: int = LINES_KEPT) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._last: deque[tuple[str, Event | Action | None]] = deque(maxlen=lines_kept)
        self.steps = 0

    def event(self, time: float, event: Event, node: str, data: bytes = b"") -> None:
        """Note that a node is about to handle an event; ``data`` are the bytes in which it came, if it did."""
        when = f"{time:.6f} {node}"
        self._last.append((f"{when} event", event))
        self._count(f"{when} {type(event).__name__}", data or encode(event))

    def action(self, action: Action) -> None:
        self._last.append(("  action", action))
        if isinstance(action, Send):
            self._count(f"Send {action.to} {action.promises}", encode(action.message))
        else:
            self._count(type(action).__name__, encode(action))

    def remark(self, text: str) -> None:
        self._last.append((f"  -- {text}", None))
        self._count(text, b"")

    def _count(self, what: str, data: bytes) -> None:
        self.steps += 1
        self._hash.update(what.encode())
        self._hash.update(data)

    @property
    def hash(self) -> str:
        return self._hash.hexdigest()

    def story(self) -> str:
        """Return the last lines, for a person who wants to know what led to a failure."""
        return "\n".join(_cut(head if what is None else f"{head} {what!r}") for head, what in self._last)


class Uncounted(Trace):
    """What a world gets that is measured: events and actions are counted, and nothing is kept of them."""

    def event(self, time: float, event: Event, node: str, data: bytes = b"") -> None:
        self.steps += 1

    def action(self, action: Action) -> None:
        self.steps += 1


def _cut(line: str) -> str:
    return line if len(line) <= _LINE_LENGTH else f"{line[:_LINE_LENGTH]}…"
