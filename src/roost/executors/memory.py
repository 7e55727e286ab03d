"""How much memory a child took at most, as far as the kernel can tell.

What wait4 reports of a child includes the parent's memory from the moment between its birth and its exec: the peak is
known only if it is above the parent's own.
"""

from pathlib import Path
from time import monotonic
from typing import Final

_REFRESH_S: Final = 5.0
#: We may have grown by so much since we last looked.
_SLACK_KIB: Final = 2048


class PeakMemory:
    """Tells real peaks from echoes of this process's own."""

    def __init__(self) -> None:
        self._own_kib = 0
        self._read_at = float("-inf")

    def of_child(self, reported_kib: int) -> int | None:
        """Return the child's peak in KiB, or None if it was no more than ours and hence cannot be known."""
        now = monotonic()
        if now >= self._read_at + _REFRESH_S:
            self._own_kib = _own_peak_kib()
            self._read_at = now
        return reported_kib if reported_kib > self._own_kib + _SLACK_KIB else None


def _own_peak_kib() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0
