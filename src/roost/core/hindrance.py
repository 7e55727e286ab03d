"""Hindrance: this machine cannot keep what its work leaves, because its disk is full, as its executors say.

Rules
- What could not be kept was given back, and is no failure of its own: no attempt is used up.
- While that lasts, nothing new starts here; another node may take it. Nobody tells when there is room again, so the
  work is tried anew after a pause, which doubles while the disk stays full.
"""

from roost.core.tickets import RETRY_AFTER_S, RETRY_AFTER_S_MAX


class Hindrance:
    def __init__(self) -> None:
        #: Why nothing starts, in words; None if nothing is in the way.
        self.why: str | None = None
        self._until = float("-inf")
        self._pause_s = RETRY_AFTER_S

    def met(self, why: str, now: float) -> None:
        """Work came back because of it."""
        if self.why is None:
            # Of what was tried all at once, the first counts, and the rest was begun before it was known.
            lately = now - self._until <= RETRY_AFTER_S_MAX
            self._pause_s = min(2 * self._pause_s, RETRY_AFTER_S_MAX) if lately else RETRY_AFTER_S
            self._until = now + self._pause_s
        self.why = why

    def tick(self, now: float) -> None:
        """Let work be tried again, if it is time."""
        if self._until <= now:
            self.why = None

    def next_deadline(self) -> float | None:
        return None if self.why is None else self._until
