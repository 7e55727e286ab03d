"""The trace of a simulated run: every event and action in order, and one hash over all of them.

Equal seeds give equal hashes, in every process and on every machine; that is how a leak of set order, of the clock or
of global randomness into the core is found.
"""

import hashlib
from collections import deque

from roost.core.actions import Action

#: Lines that are kept for the story of a failure.
LINES_KEPT = 60
_LINE_LENGTH = 300


class Trace:
    def __init__(self, lines_kept: int = LINES_KEPT) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._last: deque[str] = deque(maxlen=lines_kept)
        self.steps = 0

    def event(self, time: float, told: str, node: str = "") -> None:
        self._note(f"{time:.6f} {node}{' ' if node else ''}event {told}")

    def action(self, action: Action) -> None:
        self._note(f"  action {action!r}")

    def remark(self, text: str) -> None:
        self._note(f"  -- {text}")

    def _note(self, line: str) -> None:
        self.steps += 1
        self._hash.update(line.encode())
        self._last.append(line if len(line) <= _LINE_LENGTH else f"{line[:_LINE_LENGTH]}…")

    @property
    def hash(self) -> str:
        return self._hash.hexdigest()

    def story(self) -> str:
        """Return the last lines, for a person who wants to know what led to a failure."""
        return "\n".join(self._last)
