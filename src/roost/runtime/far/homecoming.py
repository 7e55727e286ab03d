"""Homecoming: results of runs that were submitted here come here, for their owner asks here.

Usually they are here already: a result is kept where its run was submitted. But the node may have been away while
others worked on.

Rules
- When a run of this node has ended, and for the newest ones when it starts, it is looked which accepted results are not
  here; they are brought (far/outcomes.py), one answer after the other, with a pause between them, so that nobody who
  works notices.
- What nobody who is there can give is tried again later, as long as the node lives. At most HOMECOMING_RUNS_MAX runs
  wait; the oldest are left where they are, and brought when somebody asks for them.
"""

import asyncio
import logging

from roost.core.actions import Change, RunChanged
from roost.core.node import Node
from roost.core.telling.views import ENDED
from roost.model.errors import RoostError, Unavailable
from roost.model.ids import RunId, TaskId
from roost.model.limits import HOMECOMING_RUNS_MAX
from roost.model.states import Done
from roost.runtime.far.reach import Reach
from roost.runtime.journal.journal import Journal

log = logging.getLogger(__name__)

#: Between two answers: about 10 MB in a second at most.
PAUSE_S = 0.1
#: Between two looks at tasks, of which a run may have very many.
LOOK_S = 0.001
#: How often a node that is alone looks whether it still is.
ALONE_S = 1.0
#: How long after a failure it is tried again.
TRY_AGAIN_S = 10.0


class Homecoming:
    """Make one inside a running loop, ``start`` it, ``close`` it; ``hear`` what becomes of runs."""

    def __init__(self, node: Node, journal: Journal, reach: Reach, *, try_again_s: float = TRY_AGAIN_S) -> None:
        self._node = node
        self._journal = journal
        self._reach = reach
        self._try_again_s = try_again_s
        #: The runs to look at, the newest last.
        self._runs: dict[RunId, None] = {}
        self._wake = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    def start(self) -> None:
        for run in self._journal.run_ids()[-HOMECOMING_RUNS_MAX:]:
            self._add(run)
        self._work = asyncio.get_running_loop().create_task(self._bring_all())

    def hear(self, change: Change) -> None:
        if isinstance(change, RunChanged) and change.state in ENDED:
            self._add(change.run)

    async def close(self) -> None:
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    def _add(self, run: RunId) -> None:
        self._runs.pop(run, None)
        self._runs[run] = None
        if len(self._runs) > HOMECOMING_RUNS_MAX:
            del self._runs[next(iter(self._runs))]
        self._wake.set()

    async def _bring_all(self) -> None:
        while True:
            await self._wake.wait()
            if not self._node.peers.others:
                await asyncio.sleep(ALONE_S)
                continue
            self._wake.clear()
            waiting: list[RunId] = []
            while self._runs:
                run, _ = self._runs.popitem()
                if not await self._bring(run):
                    waiting.append(run)
            if waiting:
                await asyncio.sleep(self._try_again_s)
                for run in reversed(waiting):
                    self._add(run)

    async def _bring(self, run: RunId) -> bool:
        """Bring what is missing of a run; return whether all of it is here, or none of it is wanted here."""
        try:
            if self._journal.run_record(run).spec.submitted.node != self._node.name:
                return True
            for task in self._journal.task_ids(run):
                await self._bring_task(task)
                await asyncio.sleep(LOOK_S)
        except Unavailable:
            return False
        except RoostError as error:
            log.warning("results of run %s are not brought here: %s", run, error)
        return True

    async def _bring_task(self, task: TaskId) -> None:
        shelf = self._reach.shelf
        while absent := shelf.absent_results(task, shelf.elements(task).in_state(Done)):
            await self._reach.outcomes.bring_any(task, absent)
            await asyncio.sleep(PAUSE_S)
