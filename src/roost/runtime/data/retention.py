"""Retention: what forgotten runs leave on this disk is removed, and old runs are forgotten if the owner wants it.

Rules
- The logs of a forgotten run go at once. Files that no result names any more go when they are old enough that nobody
  can be about to name them; the journal's file gives its empty pages back, a few at a time.
- What was begun to be brought and has not been gone on with for long is removed, too.
- ``keep_runs`` is a wish of this machine's owner about what was handed in here. A run of his that ended so long ago is
  forgotten everywhere, and with it nothing on which another run builds that stays.
- Nobody waits for any of it: it is done in small steps, while nothing is being written.
"""

import asyncio
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from roost.core.actions import Accepted, Change, RunChanged
from roost.core.events import ForgetAsked
from roost.core.node import Node
from roost.core.telling.views import RunView
from roost.executors.places import Places
from roost.model.errors import RoostError
from roost.model.ids import CauseId, RunId
from roost.model.limits import CLOCK_LEAD_MAX_S
from roost.model.resources import format_duration
from roost.runtime.data.partial import PARTIAL
from roost.runtime.journal.journal import Journal

log = logging.getLogger(__name__)

#: A file younger than this may be the output of an element whose result is on its way.
FILE_AGE_S = 600.0
#: A content of which parts came is kept so long for the rest. Longer: less comes twice. Shorter: more room.
PARTIAL_AGE_S = 86_400.0
#: How often it is looked for what has become old.
LOOK_EVERY_S = 600.0
#: Between two steps of giving room back, and how many of them may be of no use, because others write or read.
STEP_S = 0.1
VAIN_STEPS_MAX = 600
#: Runs that are forgotten in one step: their rows go in one transaction.
TOGETHER_MAX = 50

Ask = Callable[[ForgetAsked], "asyncio.Future[Accepted]"]


class Retention:
    """Make one inside a running loop, ``start`` it, ``close`` it; ``hear`` what becomes of runs."""

    def __init__(
        self,
        node: Node,
        journal: Journal,
        places: Places,
        ask: Ask,
        view: Callable[[RunId], RunView],
        new_cause: Callable[[str], CauseId],
        *,
        keep_s: float | None = None,
        file_age_s: float = FILE_AGE_S,
        look_every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._node = node
        self._journal = journal
        self._places = places
        self._ask = ask
        self._view = view
        self._new_cause = new_cause
        self._keep_s = keep_s
        self._file_age_s = file_age_s
        self._look_every_s = look_every_s
        self._gone: dict[RunId, None] = {}
        self._wake = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._work = asyncio.get_running_loop().create_task(self._go_on())

    def hear(self, change: Change) -> None:
        if isinstance(change, RunChanged) and change.state == "forgotten":
            self._gone[change.run] = None
            self._wake.set()

    async def close(self) -> None:
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    async def _go_on(self) -> None:
        while True:
            if self._keep_s is not None:
                await self._forget_old(self._keep_s)
            await self._clear()
            # Not wait_for: before Python 3.12 it overlooks that it is to end if it is woken at the same moment.
            with suppress(TimeoutError):
                async with asyncio.timeout(self._look_every_s):
                    await self._wake.wait()
            self._wake.clear()

    # Old runs.

    async def _forget_old(self, keep_s: float) -> None:
        own = [run for run in self._journal.run_ids() if self._is_own(run)]
        old = [view for view in map(self._view, own) if is_older(view, keep_s, time.time())]
        for runs in in_turn(old, self._journal.has_run):
            try:
                await self._ask(ForgetAsked(self._new_cause("forget"), runs))
                count = "1 run" if len(runs) == 1 else f"{len(runs):,} runs"
                log.info("forgot %s that ended more than %s ago", count, format_duration(keep_s))
            except RoostError as error:
                log.info("old runs are not forgotten yet: %s", error)

    def _is_own(self, run: RunId) -> bool:
        return self._journal.run_record(run).spec.submitted.node == self._node.name

    # What forgotten runs leave.

    async def _clear(self) -> None:
        while self._gone:
            run = next(iter(self._gone))
            await asyncio.to_thread(shutil.rmtree, self._places.logs / run, ignore_errors=True)
            del self._gone[run]
        removed = await asyncio.to_thread(self._remove, self._journal.orphans())
        if removed:
            self._journal.free(removed)
        await asyncio.to_thread(self._remove_partial)
        await self._give_back()

    async def _give_back(self) -> None:
        """Have the journal's file shrink to what it holds, step by step, for as long as that is any use."""
        vain = 0
        while (before := self._journal.free_pages) and vain < VAIN_STEPS_MAX:
            if self._journal.is_calm:
                self._journal.free()
            await asyncio.sleep(STEP_S)
            vain = 0 if self._journal.free_pages < before else vain + 1

    def _remove_partial(self) -> None:
        """Remove what did not come whole, and nobody goes on with."""
        for path in self._places.blobs.glob(f"{PARTIAL}*"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime >= PARTIAL_AGE_S:
                    path.unlink()

    def _remove(self, contents: Iterable[str]) -> list[str]:
        """Remove files that are old enough; return those that are not there any more."""
        gone = []
        for content in contents:
            path = self._places.blob_path(content)
            try:
                if time.time() - path.stat().st_ctime < self._file_age_s:
                    continue
                path.unlink()
            except FileNotFoundError:
                pass
            except OSError as error:
                log.warning("%s cannot be removed: %s", path, error.strerror)
                continue
            gone.append(content)
        return gone


def is_older(view: RunView, age_s: float, now: float) -> bool:
    """Whether a run has ended so long ago."""
    return view.finished_at is not None and view.finished_at + age_s <= now


def is_dated_ahead(view: RunView, now: float) -> bool:
    """Whether a run is said to end in the future: a clock was wrong, then or now, and nobody knows how old it is."""
    return view.finished_at is not None and view.finished_at > now + CLOCK_LEAD_MAX_S


def in_turn(views: Iterable[RunView], exists: Callable[[RunId], bool]) -> list[tuple[RunId, ...]]:
    """Return which of these runs can be forgotten, in steps: what builds on another goes no later than that."""
    chosen = {view.record.spec.id: view for view in views}
    while bound := [run for run, view in chosen.items() if _is_needed(view, chosen, exists)]:
        for run in bound:
            del chosen[run]
    newest_first = sorted(chosen, key=lambda run: chosen[run].record.spec.submitted, reverse=True)
    return [tuple(newest_first[at : at + TOGETHER_MAX]) for at in range(0, len(newest_first), TOGETHER_MAX)]


def _is_needed(view: RunView, chosen: dict[RunId, RunView], exists: Callable[[RunId], bool]) -> bool:
    return any(other not in chosen and exists(other) for other in view.record.needed_by)


def folder_bytes(folder: Path) -> int:
    """Return how much the files in a folder and below it take."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(parent) / name).lstat().st_size
    return total
