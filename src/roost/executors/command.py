"""Commands: any program, once for each element. This is the node's side; launcher processes do the work.

What may have killed its launcher runs in one of its own, which ends with it (suspects.py).
"""

import asyncio
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.command_launcher import CommandLauncher
from roost.executors.leases import cannot_start
from roost.executors.order import Order
from roost.executors.places import Places
from roost.executors.port import Report
from roost.executors.programs import located
from roost.executors.suspects import Suspects
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet
from roost.model.task import Command

#: While a program is being started its launcher waits for the kernel, so that one could not keep many lanes busy.
LAUNCHERS_MAX: Final = min(4, os.cpu_count() or 1)
#: Launchers beyond the first end after this time without work.
IDLE_S: Final = 30.0


class CommandExecutor:
    """See Executor. The first launcher starts with the first lease, others while all have a lane of their own."""

    def __init__(
        self,
        places: Places,
        report: Report,
        *,
        niceness: int = 10,
        idle_s: float = IDLE_S,
        programs: Path | None = None,
    ) -> None:
        """``programs`` is the folder of the programs that tasks name without a path."""
        self._places = places
        self._programs = programs
        self._report = report
        self._niceness = niceness
        self._idle_s = idle_s
        #: Also those that leave, until everything they ran is dead too.
        self._launchers: list[CommandLauncher] = []
        self._suspects = Suspects()
        #: Who waits until a lane has nothing to do.
        self._awaited: dict[int, asyncio.Event] = {}
        self._family = f"commands-{secrets.token_hex(8)}"
        self._idle_timer: asyncio.TimerHandle | None = None

    def warm(self) -> None:
        """Start a launcher now, so that the first command need not wait for it."""
        if not self._shared:
            self._add_launcher()

    def start(self, order: Order) -> None:
        if isinstance(order.spec.work, Command) and order.spec.work.program:
            spec = msgspec.structs.replace(order.spec, work=located(order.spec.work, self._programs))
            order = msgspec.structs.replace(order, spec=spec)
        try:
            launcher = self._launcher_for(order)
        except OSError as error:
            cannot_start(order, error, self._report)
            return
        launcher.start(order)
        if len(self._shared) < LAUNCHERS_MAX and all(launcher.lanes for launcher in self._shared):
            # Without it the others have more to do.
            with suppress(OSError):
                self._add_launcher()

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        for launcher in self._launchers:
            launcher.stop(lease, ranges, mode)

    def pause(self, lease: LeaseId) -> None:
        for launcher in self._launchers:
            launcher.hold(lease, on=True)

    def resume(self, lease: LeaseId) -> None:
        for launcher in self._launchers:
            launcher.hold(lease, on=False)

    async def close(self) -> None:
        """End all processes; nothing is reported any more."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        await asyncio.gather(*[launcher.close() for launcher in self._launchers])

    def is_suspicious(self, order: Order) -> bool:
        """Whether a launcher died under an element of this lease."""
        return bool(self._suspects) and self._suspects.are_in(order.spec.id, order.ranges)

    def serves(self, lane: int) -> bool:
        """Whether a launcher has something to do for a lane."""
        return any(lane in launcher.lanes for launcher in self._serving)

    async def leaves(self, lane: int) -> None:
        """Wait until no launcher has anything to do for a lane."""
        while self.serves(lane):
            free = self._awaited.setdefault(lane, asyncio.Event())
            await free.wait()

    @property
    def _serving(self) -> list[CommandLauncher]:
        return [launcher for launcher in self._launchers if not launcher.is_leaving]

    @property
    def _shared(self) -> list[CommandLauncher]:
        return [launcher for launcher in self._serving if launcher.sole_lane is None]

    def _launcher_for(self, order: Order) -> CommandLauncher:
        """Return the launcher that has the lane; else for suspects one of its own, or the one with the fewest lanes."""
        self.warm()
        for launcher in self._serving:
            if order.lane in launcher.lanes:
                return launcher
        if self.is_suspicious(order):
            return self._add_launcher(order.lane)
        # One that is still being started is no help yet, unless there is no other.
        usable = [launcher for launcher in self._shared if launcher.ready] or self._shared
        return min(usable, key=lambda launcher: len(launcher.lanes))

    def _add_launcher(self, sole_lane: int | None = None) -> CommandLauncher:
        launcher = CommandLauncher(
            self._places,
            self._heard,
            self._family,
            self._niceness,
            self._launchers.remove,
            self._suspects,
            sole_lane,
        )
        self._launchers.append(launcher)
        if self._idle_timer is None:
            self._watch_idleness()
        return launcher

    def _heard(self, event: ElementsDone | ElementFailed | ElementsReturned | Progressed) -> None:
        self._report(event)
        for lane in [lane for lane in self._awaited if not self.serves(lane)]:
            self._awaited.pop(lane).set()
        for launcher in self._serving:
            if launcher.sole_lane is not None and not launcher.lanes:
                asyncio.get_running_loop().call_soon(self._retire_sole, launcher)

    def _retire_sole(self, launcher: CommandLauncher) -> None:
        """End a launcher that served one lane, if nothing has come after what it did."""
        if not launcher.is_leaving and not launcher.lanes:
            launcher.retire()

    def _watch_idleness(self) -> None:
        """End what is not needed any more; look again as long as there may be something."""
        self._idle_timer = None
        for launcher in self._shared[1:]:
            if launcher.idle_s() >= self._idle_s:
                launcher.retire()
        if len(self._launchers) > 1:
            self._idle_timer = asyncio.get_running_loop().call_later(self._idle_s, self._watch_idleness)
