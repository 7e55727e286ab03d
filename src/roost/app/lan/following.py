"""What one client follows: PROGRESS for each of its tasks whenever something changes, until the task has ended.

Nothing is queued. What has changed is looked up when the client can take it, so that a slow one gets fewer lines, and
costs no more than the last line of each of its tasks.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from roost.app.lan.ids import uuid_of
from roost.app.lan.progress import has_ended, progress_of
from roost.app.lan.protocol import Progress
from roost.core.actions import Change, RunChanged
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import RunId, TaskId, run_of
from roost.model.limits import LAN_SUBSCRIPTIONS_MAX
from roost.runtime.service import NodeService

#: A program may tell its progress as often as it likes; a client hears of a task so often at most.
GAP_S: Final = 0.2
#: That a task begins to run is told by no event, so one looks; less often if there are many to look at.
LOOK_S: Final = 1.0
_LOOK_PER_TASK_S: Final = 0.005
#: LAN 4.5: progress is reported every 15 seconds, also if it is the same.
REPEAT_S: Final = 15.0


class _Told(NamedTuple):
    progress: Progress
    at: float


class Following:
    """Make one inside a running loop. It listens to the node only while there is something to follow.

    If it cannot go on it calls ``hang_up``: a client that hears nothing more must notice.
    """

    def __init__(
        self,
        service: NodeService,
        send: Callable[[Sequence[Progress]], Awaitable[None]],
        hang_up: Callable[[], None],
    ) -> None:
        self._service = service
        self._send = send
        self._hang_up = hang_up
        self._followed: dict[TaskId, _Told | None] = {}
        self._touched: set[TaskId] = set()
        self._wake = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None

    def check_room(self, tasks: Iterable[TaskId]) -> None:
        """Raise InvalidInput if so many more cannot be followed."""
        count = len(self._followed.keys() | set(tasks))
        if count > LAN_SUBSCRIPTIONS_MAX:
            raise InvalidInput(f"that would be {count:,} subscriptions; one connection has {LAN_SUBSCRIPTIONS_MAX:,}")

    def add(self, tasks: Iterable[TaskId]) -> None:
        """Follow these tasks too; what they are now is told first, also if it was told before."""
        for task in tasks:
            self._followed[task] = None
            self._touched.add(task)
        self._wake.set()
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())
            self._telling.add_done_callback(self._on_end)

    async def wait(self) -> None:
        """Return when all that is followed has ended, or the client is gone."""
        if self._telling is not None:
            with suppress(ConnectionError):
                await self._telling

    async def stop(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await self._telling

    def _on_end(self, telling: asyncio.Task[None]) -> None:
        if not telling.cancelled() and telling.exception() is not None:
            self._hang_up()

    def hear(self, change: Change) -> None:
        if isinstance(change, RunChanged):
            self._touch_run(change.run)
        elif change.task in self._followed:
            self._touched.add(change.task)
            self._wake.set()

    def _touch_run(self, run: RunId) -> None:
        tasks = [task for task in self._followed if run_of(task) == run]
        if tasks:
            self._touched.update(tasks)
            self._wake.set()

    async def _tell(self) -> None:
        stop_listening = self._service.listen(self.hear)
        try:
            while self._followed:
                await self._until_news()
                told = self._news()
                if told:
                    await self._send(told)
                if self._followed:
                    await asyncio.sleep(GAP_S)
        finally:
            stop_listening()

    async def _until_news(self) -> None:
        """Wait for a change, or until it is time to look at everything."""
        try:
            async with asyncio.timeout(LOOK_S + _LOOK_PER_TASK_S * len(self._followed)):
                await self._wake.wait()
        except TimeoutError:
            self._touched.update(self._followed)
        self._wake.clear()

    def _news(self) -> list[Progress]:
        """Look at what was touched; return what the client has not heard, and forget what has ended."""
        now = asyncio.get_running_loop().time()
        touched, self._touched = self._touched, set()
        news = []
        # In the order of the subscriptions, not of the set.
        for task in [task for task in self._followed if task in touched]:
            last = self._followed[task]
            progress = self._look(task, last)
            if progress is None:
                del self._followed[task]
                continue
            if last is None or last.progress != progress or now - last.at >= REPEAT_S:
                news.append(progress)
                self._followed[task] = _Told(progress, now)
            if has_ended(progress):
                del self._followed[task]
        return news

    def _look(self, task: TaskId, last: _Told | None) -> Progress | None:
        try:
            return progress_of(self._service.task(task), uuid_of(task), last and last.progress)
        except NotFound:
            return None
