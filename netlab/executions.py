"""Executions of elements, noted outside of all nodes: who began which element, and who came to its end.

A node tells what it believes; this is what happened. Every element adds a line to one file when it begins and another
when it ends or is told to stop. A line is one write to the end of the file, so that lines of several machines do not
mix. All machines of the laboratory have the same clock, so the times of their lines can be compared.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

#: Shell, with nothing started but the pause: programs that an element starts are what costs most.
_PROGRAM: Final = """\
read -r host < /proc/sys/kernel/hostname
note() {
    read -r now _ < /proc/uptime
    printf '%s %s %s %s %s\\n' "$1" "$ROOST_TASK" "$ROOST_INDEX" "$host" "$now" >> "$2"
}
trap 'note stopped "$0"; exit 143' TERM
note begun "$0"
[ "$1" = 0 ] || sleep "$1"
note ended "$0"
printf '%s %s %s\\n' "$ROOST_INDEX" "$host" "$$"
"""


@dataclass(frozen=True)
class Execution:
    """One line: an element was begun, came to its end, or was told to stop, on a host."""

    #: With its run before it, as the element's environment names it.
    task: str
    index: int
    host: str
    #: By ``uptime_s``.
    at_s: float = field(compare=False)


def uptime_s() -> float:
    """Return the time that elements read without starting a program: seconds since the start of the machine."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Executions:
    """The file, and what it says."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch()

    def command(self, seconds: float) -> list[str]:
        """Return a command that notes its execution, takes so long, and prints its index, host and process."""
        return ["sh", "-c", _PROGRAM, str(self._path), f"{seconds:g}"]

    def begun(self, run: str) -> list[Execution]:
        """Return what was begun of a run, in that order."""
        return self._lines("begun", run)

    def ended(self, run: str) -> list[Execution]:
        """Return what came to its end of a run, in that order; what was killed before is not there."""
        return self._lines("ended", run)

    def stopped(self, run: str) -> list[Execution]:
        """Return what was told to stop of a run, in that order."""
        return self._lines("stopped", run)

    def under_way(self, run: str) -> list[Execution]:
        """Return what was begun and has not ended, nor ever will where its node was killed."""
        return list((Counter(self.begun(run)) - Counter(self.ended(run))).elements())

    def _lines(self, word: str, run: str) -> list[Execution]:
        found = []
        for line in self._path.read_text(encoding="ascii").splitlines():
            what, task, index, host, at_s = line.split()
            if what == word and task.partition("/")[0] == run:
                found.append(Execution(task, int(index), host, float(at_s)))
        return found


def times(executions: Sequence[Execution]) -> Counter[int]:
    """Return how often each element is among these."""
    return Counter(execution.index for execution in executions)


def by_host(executions: Sequence[Execution]) -> Counter[str]:
    """Return how many of these were on each host."""
    return Counter(execution.host for execution in executions)
