"""Find the node of a home folder, or start one and wait until it listens."""

import os
import sys
import time
from collections import deque
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Final, NamedTuple

from roost.languages.environment import node_env
from roost.model.errors import Unavailable
from roost.runtime.home import Home

#: A node that has not come up by then is reported with the last lines of its log; who wants it waits no longer.
START_TIMEOUT_S: Final = 20.0
_LOOK_EVERY_S: Final = 0.005
#: Whoever only waits for a node leaves the lock to it.
_WAIT_STEP_S: Final = 0.02
_LOG_LINES_SHOWN: Final = 10
_DAEMON: Final = "roost.app.daemon"
#: The descriptor on which a node that is started says why it cannot live.
_COMPLAINTS: Final = 3


class Address(NamedTuple):
    """Where a node listens, and the word that opens the door."""

    url: str
    token: str


def home_at(path: str | Path | None = None) -> Home:
    """Return the home in this folder; None is the one that $ROOST_HOME names, or the user's own."""
    return Home.locate(os.environ) if path is None else Home(Path(path).expanduser().absolute())


def find_node(home: Home) -> Address | None:
    """Return where the living node of this home listens, or None if there is none, or none that listens yet."""
    if not home.running():
        return None
    node = home.read_node()
    if node is None or node.pid != home.holder():
        # Left over from a node that was killed; the living one has not come so far.
        return None
    return Address(node.address, home.read_token())


def await_node(home: Home, patience_s: float = START_TIMEOUT_S) -> Address | None:
    """Return where the node listens; one that is about to is waited for. None if there is none, or it takes longer."""
    deadline = time.monotonic() + patience_s
    while True:
        address = find_node(home)
        if address is not None or not home.is_starting(START_TIMEOUT_S) or time.monotonic() >= deadline:
            return address
        time.sleep(_WAIT_STEP_S)


def require_node(home: Home) -> Address:
    """Return where the node listens, also one that is about to; raise Unavailable if none does."""
    address = await_node(home)
    if address is None:
        raise Unavailable(f"no node runs in {home.path}; start one with 'roost up'")
    return address


def ensure_node(
    home: Home, timeout_s: float = START_TIMEOUT_S, meanwhile: Callable[[], None] = lambda: None
) -> Address:
    """Return where the node listens, after starting one if none runs; ``meanwhile`` is then called while it starts.

    Raise Unavailable if it ends or does not listen in time, with its reason or else the last lines of its log.
    """
    address = find_node(home)
    if address is not None:
        return address
    home.create()
    heard, said = os.pipe()
    os.set_blocking(heard, False)
    with FileIO(heard) as complaints, FileIO(said, "w") as pipe:
        return _started(home, timeout_s, complaints, pipe.fileno(), meanwhile)


def _started(home: Home, timeout_s: float, complaints: FileIO, pipe: int, meanwhile: Callable[[], None]) -> Address:
    """Start a node, unless another process does. Its complaint, if it has one, comes out of ``pipe``."""
    said_before = home.log.stat().st_size if home.log.exists() else 0
    child, was_started = None, False
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        address = find_node(home)
        if address is not None:
            return address
        # One that is about to end has to be gone first.
        if not was_started and not home.running() and not home.is_starting(timeout_s):
            child, was_started = _spawn(home, pipe), True
            meanwhile()
        # Of two that are started at the same time one ends at once, and the other is as good.
        if child is not None and _has_ended(child):
            child = None
            if not home.running():
                if complaint := complaints.read():
                    raise Unavailable(f"the node cannot start: {complaint.decode(errors='replace')}")
                raise _did_not_start(home, "ended at once", said_before)
        time.sleep(_LOOK_EVERY_S)
    raise _did_not_start(home, f"did not listen within {timeout_s:g} s", said_before)


def _spawn(home: Home, pipe: int) -> int:
    """Start a node that outlives this process and its terminal; return its pid."""
    log = os.open(home.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        child = os.posix_spawn(
            sys.executable,
            [sys.executable, "-P", "-m", _DAEMON, str(_COMPLAINTS)],
            _environment(home),
            file_actions=[
                (os.POSIX_SPAWN_DUP2, nothing, 0),
                (os.POSIX_SPAWN_DUP2, log, 1),
                (os.POSIX_SPAWN_DUP2, log, 2),
                (os.POSIX_SPAWN_DUP2, pipe, _COMPLAINTS),
            ],
            setsid=True,
        )
    finally:
        os.close(log)
        os.close(nothing)
    home.note_start(child)
    return child


def _environment(home: Home) -> dict[str, str]:
    """A home that was named takes its own config; the user's own home takes the user's."""
    environment = {name: value for name, value in node_env().items() if name != "ROOST_HOME"}
    if home.is_named:
        environment["ROOST_HOME"] = str(home.path)
    return environment


def _has_ended(child: int) -> bool:
    try:
        return os.waitpid(child, os.WNOHANG)[0] != 0
    except ChildProcessError:
        # Somebody else in this process collects children.
        return True


def _did_not_start(home: Home, what: str, said_before: int) -> Unavailable:
    """Say what a node that gave no reason wrote last in this attempt."""
    try:
        with home.log.open("rb") as log:
            # A full log was put aside meanwhile, and this one is new.
            log.seek(said_before if said_before <= os.fstat(log.fileno()).st_size else 0)
            lines = [line.decode(errors="replace").rstrip() for line in deque(log, _LOG_LINES_SHOWN)]
    except OSError:
        lines = []
    said = f"; the last lines of {home.log}:\n" + "\n".join(lines) if lines else f"; {home.log} says nothing"
    return Unavailable(f"the node that was started in {home.path} {what}{said}")
