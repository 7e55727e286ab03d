"""The last life of the node: whether it was killed, and what ran then; and the same for the life after this one.

A node that ends politely leaves nothing in ``life``. One that dies leaves there

    node        when it was last seen to live, and since which start of the machine
    alone       the element that was on trial (probation.py): all others were frozen
    KIND-MARK   what a worker or a launcher ran (executors/worker/notes.py)

Nothing of it is flushed: after a power cut, or another start of the machine, nobody is blamed.
"""

import asyncio
import logging
import os
import struct
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

import msgspec

from roost.executors.worker import notes
from roost.model.ids import TaskId
from roost.runtime.home import Home
from roost.runtime.probation.suspects import NodeSuspect, Ran, after_death

log = logging.getLogger(__name__)

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_SEEN: Final = struct.Struct("=d")
#: How often a node that works notes that it lives.
_BEAT_S: Final = 0.25


class Alone(msgspec.Struct, frozen=True):
    task: TaskId
    index: int


class Remembered(msgspec.Struct, frozen=True):
    """What the file of the suspects holds."""

    boot: str
    suspects: tuple[NodeSuspect, ...]


class LastLife:
    """Make one before anything runs in a home whose lock this process holds."""

    def __init__(self, home: Home, boot_id: Path = _BOOT_ID) -> None:
        self._home = home
        self._seen = home.life / "node"
        self._alone = home.life / "alone"
        try:
            self._boot = boot_id.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            self._boot = ""
        self.suspects = self._examine()
        self._descriptor: int | None = None
        self._timer: asyncio.TimerHandle | None = None

    def _examine(self) -> list[NodeSuspect]:
        """Return whom to suspect, and remember it; of the last life nothing else is kept."""
        suspects = remembered_suspects(self._home, self._boot)
        seen = self._last_seen()
        if seen is not None:
            ran = self._ran(seen)
            suspects = after_death(suspects, ran)
            _tell(suspects, ran)
        self.remember(suspects)
        self._clear()
        return suspects

    def _last_seen(self) -> float | None:
        """Return when the last node was seen to live, if it died since the machine was started."""
        with suppress(OSError, struct.error):
            content = self._seen.read_bytes()
            if self._boot and content[_SEEN.size :] == self._boot.encode():
                return float(_SEEN.unpack_from(content)[0])
        return None

    def _ran(self, seen: float) -> list[Ran]:
        found = [ran for path in sorted(self._home.life.glob("*-*")) for ran in notes.read(path)]
        with suppress(OSError, msgspec.MsgspecError):
            alone = msgspec.json.decode(self._alone.read_bytes(), type=Alone)
            found = [ran for ran in found if ran.task == alone.task and ran.first <= alone.index <= ran.last]
        return [Ran(ran.task, ran.first, ran.last, max(0.0, seen - ran.started)) for ran in found]

    def remember(self, suspects: Iterable[NodeSuspect]) -> None:
        """Keep the suspects for the next life. Without room for that, it begins anew."""
        told = tuple(suspects)
        draft = self._home.suspects.with_name("suspects.new")
        with suppress(OSError):
            if not told:
                self._home.suspects.unlink(missing_ok=True)
                return
            draft.write_bytes(msgspec.json.encode(Remembered(self._boot, told)))
            draft.rename(self._home.suspects)

    # This life.

    def begin(self, works: Callable[[], bool]) -> None:
        """From now on note that this node lives, while it works."""
        with suppress(OSError):
            self._descriptor = os.open(self._seen, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
            self._beat()
            os.pwrite(self._descriptor, self._boot.encode(), _SEEN.size)
        self._beat_on(works)

    def _beat_on(self, works: Callable[[], bool]) -> None:
        if works():
            self._beat()
        self._timer = asyncio.get_running_loop().call_later(_BEAT_S, self._beat_on, works)

    def _beat(self) -> None:
        if self._descriptor is not None:
            with suppress(OSError):
                os.pwrite(self._descriptor, _SEEN.pack(monotonic()), 0)

    def tries(self, task: TaskId, index: int) -> None:
        """From now on one element may run, and all others are frozen."""
        with suppress(OSError):
            self._alone.write_bytes(msgspec.json.encode(Alone(task, index)))

    def tried(self) -> None:
        notes.forget(self._alone)

    def end(self) -> None:
        """The node ends politely, and nothing runs any more. Who only ran beside others is not tried any more."""
        self.remember(suspect for suspect in remembered_suspects(self._home, self._boot) if suspect.deaths)
        if self._timer is not None:
            self._timer.cancel()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        self._clear()

    def _clear(self) -> None:
        for path in sorted(self._home.life.glob("*")):
            notes.forget(path)


def remembered_suspects(home: Home, boot: str | None = None) -> list[NodeSuspect]:
    """Return the suspects of a home, of one start of the machine if it is named."""
    try:
        found = msgspec.json.decode(home.suspects.read_bytes(), type=Remembered)
    except (OSError, msgspec.MsgspecError):
        return []
    return list(found.suspects) if boot is None or found.boot == boot else []


def _tell(suspects: Sequence[NodeSuspect], ran: Sequence[Ran]) -> None:
    if not ran:
        return
    if not suspects:
        log.warning("the last node here died, and nothing that ran then had just begun")
    for suspect in suspects:
        if suspect.has_failed:
            log.warning("%s: %s; it is not started again", suspect, suspect.failure().reason)
        elif suspect.deaths:
            log.warning("the last node here died while %s ran alone (time %d); it is tried", suspect, suspect.deaths)
        else:
            log.warning("the last node here died while %s ran, among others; it is tried alone", suspect)
