"""One launcher process, seen from the node: the leases it has, and how their elements fare when it ends."""

import asyncio
import os
import secrets
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from roost.core.actions import StopMode
from roost.executors import orphans
from roost.executors.element_reports import Answers
from roost.executors.kept import SentBefore
from roost.executors.leases import Ledger, OpenLease, in_parts, lease_fields, shared_key
from roost.executors.places import Places
from roost.executors.port import Order, Report
from roost.executors.process import Child, Ending
from roost.executors.suspects import DEATHS_MAX, Suspects
from roost.executors.worker import fronts, notes
from roost.executors.worker.folder import remove_scratch
from roost.executors.worker.messages import CommandLease, FromChild, Hold, Ready, Stop
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet
from roost.model.task import Command, Failure

_MODULE: Final = "roost.executors.worker.command_main"
#: A launcher that is told to end kills what it runs first.
_CLOSE_S: Final = 5.0


class CommandLauncher:
    """A launcher process. ``on_end`` is called when it has ended, ``on_gone`` when all it ran is dead too.

    ``family`` is the same for all launchers of a node's life: each removes what those of earlier lives have left.
    What ran when it died goes to ``suspects``. With a ``sole_lane`` it serves no other: one element runs at a time.
    """

    def __init__(
        self,
        places: Places,
        report: Report,
        family: str,
        niceness: int,
        on_end: Callable[["CommandLauncher"], None],
        on_gone: Callable[["CommandLauncher"], None],
        suspects: Suspects,
        sole_lane: int | None = None,
    ) -> None:
        self._ledger = Ledger()
        self._kept = SentBefore()
        self._answers = Answers(self._ledger, report)
        self._on_end = on_end
        self._on_gone = on_gone
        self._closing = False
        self._gone = asyncio.Event()
        self._last_used = monotonic()
        self._mark = f"{family}-{secrets.token_hex(4)}"
        self._scratch = places.scratch / self._mark
        self._notes = places.life / self._mark
        self.ready = False
        folders = [str(folder) for folder in (places.logs, places.blobs, places.scratch)]
        self._suspects = suspects
        self.sole_lane = sole_lane
        self._child = self._start_process(places.home, [*folders, str(places.output_bytes_max), str(niceness)])

    def _start_process(self, home: Path, arguments: list[str]) -> Child:
        shared, self._fronts = fronts.make(self._notes)
        try:
            arguments = [str(shared), *arguments]
            return Child(_MODULE, arguments, home, self._mark, self._heard, self._dead, lent=(shared,))
        except OSError:
            self._forget_notes()
            raise
        finally:
            os.close(shared)

    @property
    def lanes(self) -> set[int]:
        """The lanes that have leases here."""
        return self._ledger.lanes

    def idle_s(self) -> float:
        """How long it has had nothing to do."""
        return 0.0 if self._ledger or not self.ready else monotonic() - self._last_used

    def start(self, order: Order) -> None:
        self._ledger.add(OpenLease(order))
        shared = [(shared_key(shared.key), shared.values) for shared in order.shared]
        for message in self._kept.provide(shared):
            self._child.send(message)
        for part in in_parts(order):
            self._child.send(_lease_message(part))

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        if lease in self._ledger:
            self._child.send(Stop(lease, ranges.bounds, mode))

    def hold(self, lease: LeaseId, *, on: bool) -> None:
        if lease in self._ledger:
            self._child.send(Hold(lease, on=on))

    def retire(self) -> None:
        """End it; it has nothing to do."""
        self._child.hang_up()

    async def close(self) -> None:
        """End it with all it runs; nothing is reported any more."""
        self._closing = True
        self._child.hang_up()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._gone.wait()
        except TimeoutError:
            self._child.signal(signal.SIGKILL)
            await self._gone.wait()

    def _heard(self, messages: list[FromChild]) -> None:
        self._last_used = monotonic()
        for message in messages:
            if isinstance(message, Ready):
                self.ready = True
            elif not self._closing:
                self._answers.pass_on(message)

    def _dead(self, ending: Ending) -> None:
        """First its programs must be dead too; then their elements are free."""
        self._on_end(self)
        orphans.when_gone(partial(self._answer_all, ending), self._mark, self._child.pid)

    def _answer_all(self, ending: Ending) -> None:
        self._gone.set()
        self._on_gone(self)
        if self._closing:
            self._forget_notes()
            return
        asyncio.get_running_loop().run_in_executor(None, remove_scratch, self._scratch)
        if self.ready:
            self._judge(ending)
            self._answers.give_back_all()
        else:
            self._answers.fail_all(Failure(f"the launcher of commands could not be started: it {ending}"))
        self._forget_notes()

    def _forget_notes(self) -> None:
        self._fronts.close()
        notes.forget(self._notes)

    def _judge(self, ending: Ending) -> None:
        """Fail the element that ran, if it has ended too many launchers."""
        found = [(self._ledger.get(lease), index) for lease, index in fronts.read(self._fronts)]
        ran = {(entry.task, index): entry for entry, index in found if entry is not None and index in entry.open}
        failed = self._suspects.died_under(ran)
        if failed is not None:
            reason = f"the launcher of commands {ending} while it ran, and so it was {DEATHS_MAX} times"
            self._answers.fail(ran[failed].lease, failed[1], Failure(reason, permanent=True))


def _lease_message(order: Order) -> CommandLease:
    spec = order.spec
    assert isinstance(spec.work, Command), "the node hands a task to the executor of its kind"
    return CommandLease(
        **lease_fields(order),
        lane=order.lane,
        command=spec.work,
        has_items=spec.has_items,
        time_limit_s=spec.needs.time_limit_s,
    )
