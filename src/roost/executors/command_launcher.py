"""One launcher process, seen from the node: the leases it has, and how their elements fare when it ends."""

import asyncio
import secrets
import signal
from collections.abc import Callable
from time import monotonic
from typing import Final

from roost.core.actions import StopMode
from roost.executors.lease_process import LeaseProcess
from roost.executors.places import Places
from roost.executors.port import Report
from roost.executors.process import Ending
from roost.executors.suspects import DEATHS_MAX, Suspects
from roost.executors.worker import notes
from roost.executors.worker.folder import remove_scratch
from roost.executors.worker.fronts import LANES_MAX
from roost.executors.worker.messages import Done, Failed, FromChild, Hold, Stop
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet
from roost.model.task import Failure

_MODULE: Final = "roost.executors.worker.command_main"
#: A launcher that is told to end kills what it runs first.
_CLOSE_S: Final = 5.0


class CommandLauncher(LeaseProcess):
    """A launcher process. ``on_gone`` is called when it has ended, and all it ran is dead too.

    ``family`` is the same for all launchers of a node's life: each removes what those of earlier lives have left.
    What ran when it died goes to ``suspects``. With a ``sole_lane`` it serves no other: one element runs at a time.
    """

    name = "the launcher of commands"

    def __init__(
        self,
        places: Places,
        report: Report,
        family: str,
        niceness: int,
        on_gone: Callable[["CommandLauncher"], None],
        suspects: Suspects,
        sole_lane: int | None = None,
    ) -> None:
        mark = f"{family}-{secrets.token_hex(4)}"
        arguments = (places.logs, places.blobs, places.scratch, places.output_bytes_max, niceness)
        super().__init__(_MODULE, mark, places, report, arguments, noted=LANES_MAX)
        self._on_gone = on_gone
        self._last_used = monotonic()
        self._scratch = places.scratch / mark
        self._suspects = suspects
        self.sole_lane = sole_lane
        #: Whether it ends, or has ended, and takes no more leases.
        self.is_leaving = False

    @property
    def lanes(self) -> set[int]:
        """The lanes that have leases here."""
        return self._leases.lanes

    def idle_s(self) -> float:
        """How long it has had nothing to do."""
        return 0.0 if self._leases or not self.ready else monotonic() - self._last_used

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        if lease in self:
            self._child.send(Stop(lease, ranges, mode))

    def hold(self, lease: LeaseId, *, on: bool) -> None:
        if lease in self:
            self._child.send(Hold(lease, on=on))

    def retire(self) -> None:
        """End it; it has nothing to do."""
        self.is_leaving = True
        self._child.hang_up()

    async def close(self) -> None:
        """End it with all it runs; nothing is reported any more."""
        self.silence()
        self._child.hang_up()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self.ended.wait()
        except TimeoutError:
            self._child.signal(signal.SIGKILL)
            await self.ended.wait()

    def _heard(self, messages: list[FromChild]) -> None:
        self._last_used = monotonic()
        super()._heard(messages)

    def _hear(self, message: FromChild) -> None:
        entry = self._leases.get(message.lease) if isinstance(message, Done | Failed) else None
        match message:
            case Done(segments=segments) if entry is not None and self._suspects:
                self._suspects.ended(entry.task, (index for segment in segments for index in segment.ranges))
            case Failed(index=index) if entry is not None:
                self._suspects.ended(entry.task, (index,))
        super()._hear(message)

    def _dead(self, ending: Ending) -> None:
        self.is_leaving = True
        super()._dead(ending)

    def _gone(self, ending: Ending) -> None:
        super()._gone(ending)
        self._on_gone(self)

    def _judge(self, ending: Ending) -> None:
        """Fail the element that ran, if it has ended too many launchers."""
        if self._report is None:
            # It was told to end, and has cleared up after itself.
            return
        asyncio.get_running_loop().run_in_executor(None, remove_scratch, self._scratch)
        found = [(self._leases.get(note.lease), note.index) for note in notes.running(self._notes)]
        ran = {(entry.task, index): entry for entry, index in found if entry is not None and index in entry.open}
        failed = self._suspects.died_under(ran)
        if failed is not None:
            reason = f"{self.name} {ending} while it ran, and so it was {DEATHS_MAX} times"
            self._leases.fail(ran[failed].lease, failed[1], Failure(reason, permanent=True))
