"""The processes of a machine, seen from outside, where each has a number of this process's counting."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from netlab.namespaces import Namespace
from netlab.waiting import wait_until

_PROC: Final = Path("/proc")
#: Processes that have ended, and wait for their parents at most.
_GONE: Final = ("Z", "X")
_STOPPED: Final = ("T", "t")
#: Waits for something that no signal can interrupt.
_IN_KERNEL: Final = "D"


def is_alive(pid: int) -> bool:
    """Tell whether a process still does anything; one that only waits to be collected does not."""
    return _state_and_parent(pid)[0] not in _GONE


def is_stopped(pid: int) -> bool:
    return _state_and_parent(pid)[0] in _STOPPED


def living_in(namespace: Namespace) -> list[int]:
    """Return all living processes of a machine, its keeper's among them."""
    wanted = _namespace_link(namespace.pid, "pid_for_children")
    return [pid for pid in _all() if wanted and _namespace_link(pid, "pid") == wanted and is_alive(pid)]


def living_of_group(group: int) -> list[int]:
    """Return the living processes of a process group."""
    return [pid for pid in _all() if _group(pid) == group and is_alive(pid)]


def born_in(namespace: Namespace) -> list[int]:
    """Return the living processes of a machine whose parents are of it as well: neither its first, nor who entered."""
    living = living_in(namespace)
    return [pid for pid in living if _state_and_parent(pid)[1] in living]


def stop_all(namespace: Namespace) -> None:
    """Stop every process that was born in a machine where it stands.

    Those that entered go on: who waits for them outside would stop as well, and never see their end.
    """

    def all_stand() -> bool:
        running = [pid for pid in born_in(namespace) if not _stands_still(pid)]
        _send(running, signal.SIGSTOP)
        return not running

    wait_until(all_stand, "that all processes of a machine stand still")


def continue_all(namespace: Namespace) -> None:
    _send(born_in(namespace), signal.SIGCONT)


def kill_entered(process: "subprocess.Popen[bytes]") -> None:
    """kill -9 what was started in a machine, with its process group, and wait until it is dead.

    The process that entered is spared, and ends by itself: without it the dead would be left to the first process of
    the machine outside, and no machine ends before its dead are collected.
    """

    def has_ended() -> bool:
        inside = [pid for pid in living_of_group(process.pid) if pid != process.pid]
        _send(inside, signal.SIGKILL)
        # The first of the group may be dead and collected while another still lets go of its files.
        return not inside and process.poll() is not None

    wait_until(has_ended, f"that process {process.pid} and its group are dead")


def _stands_still(pid: int) -> bool:
    """Tell whether a process does nothing until it is continued.

    One that starts a program (vfork) waits in the kernel until that has begun. If the program is stopped before, its
    parent never comes to be stopped itself; but the order to stop waits for it where it would go on.
    """
    return is_stopped(pid) or (_state_and_parent(pid)[0] == _IN_KERNEL and _is_told_to_stop(pid))


def _is_told_to_stop(pid: int) -> bool:
    try:
        lines = (_PROC / str(pid) / "status").read_text(errors="replace").splitlines()
    except OSError:
        return False
    pending = [int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd:", "ShdPnd:"))]
    return any(signals >> (signal.SIGSTOP - 1) & 1 for signals in pending)


def _send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _all() -> Iterator[int]:
    return (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal())


def _namespace_link(pid: int, kind: str) -> str | None:
    try:
        return str((_PROC / str(pid) / "ns" / kind).readlink())
    except OSError:
        return None


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None


def _state_and_parent(pid: int) -> tuple[str, int]:
    """Return the letter of its state and its parent; a process that is not there has ended."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return _GONE[0], 0
    state, parent, *_ = stat.rpartition(")")[2].split()
    return state, int(parent)
