"""The real clock: wall-clock seconds that never run backwards, whatever is done to the machine's clock meanwhile."""

import time


class Clock:
    """Reads the wall clock once and counts on monotonically from there."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return time.monotonic() + self._offset
