"""What a tool costs while it does nothing: memory and processor time of a tree of processes, read from /proc.

Memory is PSS: a page shared by three processes counts a third for each, so a sum over processes is honest.
"""

import ctypes
import os
import time
from pathlib import Path

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")
SETTLE_SECONDS = 3.0
PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that daemons stay in this process's tree."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def this_process() -> int:
    """Return the driver's own id: for a tool whose scheduler lives in the process that uses it."""
    return os.getpid()


def children_of(pid: int) -> list[int]:
    """Return the direct children of a process."""
    return [child for child, parent in _parents().items() if parent == pid]


def tree(roots: list[int]) -> list[int]:
    """Return the roots and all that descend from them."""
    parents = _parents()
    found = [pid for pid in roots if pid in parents]
    for pid in found:
        found.extend(child for child, parent in parents.items() if parent == pid and child not in found)
    return found


def idle_cost(roots: list[int], seconds: float) -> dict:
    """Leave the tool alone for a while; return its memory in MB, its processor seconds and its number of processes."""
    time.sleep(SETTLE_SECONDS)
    before = sum(map(_cpu_seconds, tree(roots)))
    time.sleep(seconds)
    processes = tree(roots)
    after = sum(map(_cpu_seconds, processes))
    memory = sum(map(_pss_bytes, processes)) / 1e6
    return {"value": memory, "cpu_seconds": round(max(0.0, after - before), 3), "processes": len(processes)}


def _parents() -> dict[int, int]:
    pairs = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit() and (fields := _stat(int(folder.name))):
            pairs[int(folder.name)] = int(fields[1])
    return pairs


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on; the name before them may hold spaces and brackets."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _cpu_seconds(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS if fields else 0.0


def _pss_bytes(pid: int) -> int:
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
