"""How much of the machine's processors others use than Roost, from the times that the system counts.

Rules
- Two readings are compared; each is one file of the system, and one for each process of this node.
- Work of low priority gives way, as Roost's does, and counts as nobody's; so do other nodes on the same machine.
- What the processes of this node take is not others': the time of those that have ended is with those that started
  them, so that the sum goes on.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil

from roost.runtime.machine.reading import text_in

#: Columns of the first line of /proc/stat, after its name: times of processes, in the system, and for interrupts.
_USER, _SYSTEM, _IRQ, _SOFTIRQ, _COLUMNS = 0, 2, 5, 6, 8
#: Columns of /proc/PID/stat behind the name: the times, those of children that have ended, and the niceness.
_UTIME, _STIME, _CUTIME, _CSTIME, _NICE = 11, 12, 13, 14, 16


class _Reading(NamedTuple):
    #: In ticks since the machine started: of all processors, busy with work of usual priority, and with this node's.
    whole: int
    busy: int
    own: int


class WorkOfOthers:
    def __init__(self, root: Path, pid: int | None = None, processes: Path = Path("/proc")) -> None:
        """``root`` is where the system's files are, ``processes`` where it tells of those that this one can see;
        ``pid`` is the first process of the node, this one by default.
        """
        self._stat = root / "proc/stat"
        self._pid = os.getpid() if pid is None else pid
        self._processes = processes
        self._before: _Reading | None = None

    def utilisation(self) -> float:
        """Return the share of the processors that others have used since the last call, between 0 and 1.

        0 for the first one, and where the system does not tell.
        """
        before, now = self._before, self._read()
        self._before = now
        if before is None or now is None or now.whole <= before.whole:
            return 0.0
        others = (now.busy - before.busy) - (now.own - before.own)
        return min(max(others / (now.whole - before.whole), 0.0), 1.0)

    def _read(self) -> _Reading | None:
        fields = text_in(self._stat).partition("\n")[0].split()[1:]
        if len(fields) < _COLUMNS or not all(field.isdecimal() for field in fields[:_COLUMNS]):
            return None
        ticks = [int(field) for field in fields[:_COLUMNS]]
        busy = ticks[_USER] + ticks[_SYSTEM] + ticks[_IRQ] + ticks[_SOFTIRQ]
        own = sum(_ticks_of(pid, self._processes) for pid in _family(self._pid, self._processes))
        return _Reading(sum(ticks), busy, own)


def _ticks_of(pid: int, processes: Path) -> int:
    """Return what a process and its children that have ended took, but for what counts as of low priority."""
    # The name stands in brackets, and may have any in it.
    fields = text_in(processes / f"{pid}/stat").rpartition(")")[2].split()
    if len(fields) <= _NICE:
        return 0
    system = int(fields[_STIME]) + int(fields[_CSTIME])
    return system if int(fields[_NICE]) > 0 else system + int(fields[_UTIME]) + int(fields[_CUTIME])


def _family(pid: int, processes: Path) -> Iterator[int]:
    """Yield a process and all that it has started, and that still runs."""
    left = [pid]
    if not (processes / f"{pid}/task/{pid}/children").exists():
        # Some systems do not tell it so; all their processes have to be looked at.
        try:
            left += [child.pid for child in psutil.Process(pid).children(recursive=True)]
        except psutil.Error:
            return
        yield from left
        return
    while left:
        one = left.pop()
        yield one
        for children in (processes / f"{one}/task").glob("*/children"):
            left += [int(child) for child in text_in(children).split()]
