"""Commands: any program, once for each element. This is the node's side; launcher processes do the work."""

import asyncio
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from roost.core.actions import StopMode
from roost.executors.answers import cannot_start
from roost.executors.command_launcher import CommandLauncher
from roost.executors.places import Places
from roost.executors.port import Order, Report
from roost.executors.programs import located
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
        self._launchers: list[CommandLauncher] = []
        #: Those that have ended, until everything they ran is dead too.
        self._ending: list[CommandLauncher] = []
        self._family = f"commands-{secrets.token_hex(8)}"
        self._idle_timer: asyncio.TimerHandle | None = None

    def warm(self) -> None:
        """Start a launcher now, so that the first command need not wait for it."""
        if not self._launchers:
            self._add_launcher()

    def start(self, order: Order) -> None:
        if isinstance(order.spec.work, Command) and order.spec.work.program:
            spec = msgspec.structs.replace(order.spec, work=located(order.spec.work, self._programs))
            order = msgspec.structs.replace(order, spec=spec)
        try:
            launcher = self._launcher_for(order.lane)
        except OSError as error:
            cannot_start(order, error, self._report)
            return
        launcher.start(order)
        if len(self._launchers) < LAUNCHERS_MAX and all(launcher.lanes for launcher in self._launchers):
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
        await asyncio.gather(*[launcher.close() for launcher in self._launchers + self._ending])

    def _launcher_for(self, lane: int) -> CommandLauncher:
        """Return the launcher that has the lane, else the one with the fewest lanes."""
        self.warm()
        for launcher in self._launchers:
            if lane in launcher.lanes:
                return launcher
        # One that is still being started is no help yet, unless there is no other.
        usable = [launcher for launcher in self._launchers if launcher.ready] or self._launchers
        return min(usable, key=lambda launcher: len(launcher.lanes))

    def _add_launcher(self) -> None:
        launcher = CommandLauncher(
            self._places, self._report, self._family, self._niceness, self._on_end, self._on_gone
        )
        self._launchers.append(launcher)
        if self._idle_timer is None:
            self._watch_idleness()

    def _watch_idleness(self) -> None:
        """End what is not needed any more; look again as long as there may be something."""
        self._idle_timer = None
        for launcher in self._launchers[1:]:
            if launcher.idle_s() >= self._idle_s:
                self._on_end(launcher)
                launcher.retire()
        if len(self._launchers) > 1:
            self._idle_timer = asyncio.get_running_loop().call_later(self._idle_s, self._watch_idleness)

    def _on_end(self, launcher: CommandLauncher) -> None:
        if launcher in self._launchers:
            self._launchers.remove(launcher)
            self._ending.append(launcher)

    def _on_gone(self, launcher: CommandLauncher) -> None:
        self._ending.remove(launcher)
