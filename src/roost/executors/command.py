"""Commands: any program, once for each element. This is the node's side; the launcher process does the work."""

import asyncio
import secrets
import signal
from collections.abc import Callable
from functools import partial
from typing import Final

from roost.core.actions import StopMode
from roost.executors import orphans
from roost.executors.answers import Answers
from roost.executors.kept import Kept
from roost.executors.leases import Ledger, OpenLease, each_ports, in_parts, shared_key, shared_ports
from roost.executors.places import Folders, Places
from roost.executors.port import Order, Report
from roost.executors.process import Child, Ending
from roost.executors.worker.messages import CommandLease, FromChild, Hold, Ready, Stop
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet
from roost.model.task import Command, Failure

_MODULE: Final = "roost.executors.worker.command_main"
#: A launcher that is told to end kills what it runs first.
_CLOSE_S: Final = 5.0


class CommandExecutor:
    """See Executor. The launcher is started with the first lease, and again whenever it has died."""

    def __init__(self, home: Folders, report: Report, *, niceness: int = 10) -> None:
        self._places = Places.of(home)
        self._report = report
        self._niceness = niceness
        self._launcher: _Launcher | None = None
        #: Those too whose end is not dealt with yet.
        self._launchers: list[_Launcher] = []

    def warm(self) -> None:
        """Start the launcher now, so that the first command need not wait for it."""
        self._living()

    def start(self, order: Order) -> None:
        self._living().start(order)

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        if self._launcher is not None:
            self._launcher.child.send(Stop(lease, ranges.bounds, mode))

    def pause(self, lease: LeaseId) -> None:
        if self._launcher is not None:
            self._launcher.child.send(Hold(lease, on=True))

    def resume(self, lease: LeaseId) -> None:
        if self._launcher is not None:
            self._launcher.child.send(Hold(lease, on=False))

    async def close(self) -> None:
        """End all processes; nothing is reported any more."""
        await asyncio.gather(*[launcher.close() for launcher in self._launchers])

    def _living(self) -> "_Launcher":
        if self._launcher is None:
            self._launcher = _Launcher(self._places, self._report, self._niceness, self._on_end, self._on_gone)
            self._launchers.append(self._launcher)
        return self._launcher

    def _on_end(self) -> None:
        self._launcher = None

    def _on_gone(self, launcher: "_Launcher") -> None:
        self._launchers.remove(launcher)


class _Launcher:
    """One life of the launcher process, and the leases that it has."""

    def __init__(
        self,
        places: Places,
        report: Report,
        niceness: int,
        on_end: Callable[[], None],
        on_gone: Callable[["_Launcher"], None],
    ) -> None:
        self._ledger = Ledger()
        self._kept = Kept()
        self._answers = Answers(self._ledger, report)
        self._on_end = on_end
        self._on_gone = on_gone
        self._ready = False
        self._closing = False
        self._ended = asyncio.Event()
        self._mark = f"commands-{secrets.token_hex(8)}"
        folders = [str(folder) for folder in (places.logs, places.blobs, places.scratch)]
        self.child = Child(_MODULE, [*folders, str(niceness)], self._mark, self._heard, self._dead)

    def start(self, order: Order) -> None:
        self._ledger.add(OpenLease(order))
        shared = [(shared_key(shared.key), shared.values) for shared in order.shared]
        for message in self._kept.provide(shared):
            self.child.send(message)
        for part in in_parts(order):
            self.child.send(_lease_message(part))

    def _heard(self, messages: list[FromChild]) -> None:
        for message in messages:
            if isinstance(message, Ready):
                self._ready = True
            elif not self._closing:
                self._answers.pass_on(message)

    def _dead(self, ending: Ending) -> None:
        """The launcher has ended, by itself or not. First its programs must be dead, then their elements are free."""
        self._on_end()
        orphans.when_gone(partial(self._gone, ending), self._mark, self.child.pid)

    def _gone(self, ending: Ending) -> None:
        self._ended.set()
        self._on_gone(self)
        if self._closing:
            return
        if self._ready:
            self._answers.give_back_all()
        else:
            self._answers.fail_all(Failure(f"the launcher of commands could not be started: it {ending}"))

    async def close(self) -> None:
        self._closing = True
        self.child.hang_up()
        try:
            await asyncio.wait_for(self._ended.wait(), _CLOSE_S)
        except TimeoutError:
            self.child.signal(signal.SIGKILL)
            await self._ended.wait()


def _lease_message(order: Order) -> CommandLease:
    spec = order.spec
    assert isinstance(spec.work, Command), "the node hands a task to the executor of its kind"
    return CommandLease(
        lease=order.lease,
        task=spec.id,
        token=order.token,
        bounds=order.ranges.bounds,
        items=order.items,
        each=each_ports(order),
        shared=shared_ports(order),
        lane=order.lane,
        command=spec.work,
        has_items=spec.has_items,
        time_limit_s=spec.needs.time_limit_s,
    )
