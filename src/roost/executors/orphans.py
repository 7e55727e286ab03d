"""Find and kill what a dead process left behind.

Every process that an executor starts carries a mark in its environment, which its children inherit, and belongs to a
process group and a session of which they are members too unless they left on purpose. A process is found by any of
the three; only one that has both left its session and cleared its environment is not.
"""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

MARK_VARIABLE: Final = "ROOST_MARK"
_PROC: Final = Path("/proc")
#: How often, and how often at most, we look whether what was killed is gone.
_SWEEP_S: Final = 0.005
_SWEEPS_MAX: Final = 400


def living(mark: str, group: int | None = None, session: int | None = None) -> list[int]:
    """Return the processes that run under a mark (all marks that begin with it), in a group or in a session."""
    assert group != 0, "0 is the group of the kernel's own threads"
    assert session != 0, "0 is the session of the kernel's own threads"
    wanted = f"{MARK_VARIABLE}={mark}".encode()
    return [
        int(entry.name)
        for entry in _PROC.iterdir()
        if entry.name.isdecimal() and _belongs(entry, wanted, group, session)
    ]


def _belongs(entry: Path, wanted: bytes, group: int | None, session: int | None) -> bool:
    try:
        # "pid (name) state parent group session ...", where the name may hold spaces and parentheses.
        state, _, its_group, its_session, *_ = (entry / "stat").read_bytes().rpartition(b")")[2].split()
        if state in (b"Z", b"X"):
            return False
        if int(its_group) == group or int(its_session) == session:
            return True
        return wanted in (entry / "environ").read_bytes()
    except (OSError, ValueError):
        # It ended while we looked, or it is another user's, whom we never run as.
        return False


def kill(mark: str, group: int | None = None, session: int | None = None) -> bool:
    """Kill them all; return whether there was any. They are gone when a later call returns False."""
    found = living(mark, group, session)
    for process in found:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    return bool(found)


def when_gone(then: Callable[[], None], mark: str, session: int, sweeps: int = _SWEEPS_MAX) -> None:
    """Kill them until none is left, then go on. What the kernel cannot end is not waited for for ever."""
    if kill(mark, session=session) and sweeps:
        asyncio.get_running_loop().call_later(_SWEEP_S, when_gone, then, mark, session, sweeps - 1)
    else:
        then()
