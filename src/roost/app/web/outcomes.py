"""What goes out to one client of a session: answers first, then outcomes of the tasks it watches.

Changes are collected as ranges while the socket is busy and read from the node only when they can be sent, so that a
slow client costs a few ranges, never the results themselves. Results pass through unopened. Those that lie on other
nodes are told when they have been brought (bringing.py).
"""

import asyncio
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from aiohttp import web

from roost.api.python_session import Answer, Ended, Failures, Outcome, Results, Taken, encode_message, together
from roost.app.web.bringing import Bringing
from roost.core.actions import Change, RunChanged, TaskChanged
from roost.core.telling.views import ENDED
from roost.model.errors import Damaged
from roost.model.ids import RunId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.runtime.service import NodeService

if TYPE_CHECKING:
    from roost.model.segments import Segment

#: Results in one message, more or less: large enough to be cheap, small enough that answers get in between.
_MESSAGE_BYTES: Final = 1024 * 1024
_FAILURES_PER_MESSAGE: Final = 200
#: Messages that travel in one frame; larger ones have one of their own.
_TOGETHER_BYTES: Final = 64 * 1024
#: How long the answer to a submission waits for the first results.
_PATIENCE_S: Final = 0.002


def is_end(change: RunChanged) -> bool:
    """Tell whether a run is over: it is called done, failed or cancelled then."""
    return change.state in ENDED


class Outcomes:
    """The outgoing side of a session. Everything but ``write`` returns at once."""

    def __init__(self, service: NodeService, socket: web.WebSocketResponse) -> None:
        self._service = service
        self._socket = socket
        self._answers: deque[bytes] = deque()
        #: What the client still waits for.
        self._wanted: dict[TaskId, RangeSet] = {}
        #: What has ended since it was last told: task -> state -> ranges.
        self._news: dict[TaskId, dict[str, RangeSet]] = {}
        self._wake = asyncio.Event()
        self._patience: asyncio.TimerHandle | None = None
        self._bringing = Bringing(service, self._note)

    def answer(self, answer: Answer) -> None:
        self._answers.append(encode_message(answer))
        if isinstance(answer, Taken):
            # Nobody waits for it yet, and short work is done in a moment: then both travel together.
            if self._patience is None and not self._wake.is_set():
                self._patience = asyncio.get_running_loop().call_later(_PATIENCE_S, self._wake.set)
        else:
            self._wake.set()

    def watch(self, task: TaskId, ranges: RangeSet) -> None:
        """Tell the client whatever becomes of these elements from now on."""
        self._wanted[task] = self._wanted.get(task, EMPTY) | ranges

    def forget(self, task: TaskId) -> None:
        self._wanted.pop(task, None)

    def catch_up(self, task: TaskId, ranges: RangeSet) -> None:
        """Watch elements of which some may have ended already."""
        self.watch(task, ranges)
        self._note_ended(task, ranges)

    def hear(self, change: Change) -> None:
        if isinstance(change, TaskChanged):
            if change.task in self._wanted and change.state in ENDED:
                self._note(change.task, change.state, change.ranges)
        elif isinstance(change, RunChanged) and is_end(change):
            self._note_run(change.run)

    def _note_run(self, run: RunId) -> None:
        """Tell what was aborted: nothing happens to such elements, they are only never reached."""
        for task in [task for task in self._wanted if run_of(task) == run]:
            self._note_ended(task, self._wanted[task])

    def _note_ended(self, task: TaskId, ranges: RangeSet) -> None:
        now = self._service.task(task).ranges
        for state in ENDED:
            self._note(task, state, now.get(state, EMPTY) & ranges)

    def _note(self, task: TaskId, state: str, ranges: RangeSet) -> None:
        ranges &= self._wanted.get(task, EMPTY)
        if ranges:
            states = self._news.setdefault(task, {})
            states[state] = states.get(state, EMPTY) | ranges
            self._wake.set()

    async def write(self) -> None:
        """Send what there is to send, until cancelled or the client is gone."""
        try:
            await self._write()
        finally:
            await self._bringing.close()

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None
            for frame in self._frames():
                await self._socket.send_bytes(frame)

    def _frames(self) -> Iterator[bytes]:
        """Yield everything that there is to send, small messages together: each frame costs as much as its messages."""
        parts: list[bytes] = []
        size = 0
        while self._answers or self._news:
            while self._answers:
                parts.append(self._answers.popleft())
            for message in self._next_news():
                data = encode_message(message)
                if size + len(data) > _TOGETHER_BYTES and parts:
                    yield together(parts)
                    parts, size = [], 0
                parts.append(data)
                size += len(data)
        if parts:
            yield together(parts)

    def _next_news(self) -> Iterator[Outcome]:
        if self._news:
            task = next(iter(self._news))
            for state, ranges in self._news.pop(task).items():
                yield from self._messages(task, state, ranges)

    def _messages(self, task: TaskId, state: str, ranges: RangeSet) -> Iterator[Outcome]:
        if state == "failed":
            # A failed attempt is news only if no other follows.
            ranges &= self._service.task(task).ranges.get("failed", EMPTY)
        ranges -= self._bringing.far_of(task, state, ranges)
        left = self._wanted.get(task, EMPTY) - ranges
        if left:
            self._wanted[task] = left
        else:
            self._wanted.pop(task, None)
        if state == "done":
            yield from self._results(task, ranges)
        elif state == "failed":
            yield from self._failures(task, ranges)
        elif ranges:
            yield Ended(task, state, ranges)

    def _results(self, task: TaskId, ranges: RangeSet, *, again: bool = True) -> Iterator[Results]:
        batch: list[Segment] = []
        size = 0
        left = ranges
        with suppress(Damaged):
            for segment in self._service.results(task, ranges):
                if batch and size + len(segment.payload) > _MESSAGE_BYTES:
                    yield Results(task, tuple(batch))
                    batch, size = [], 0
                batch.append(segment)
                size += len(segment.payload)
                left -= segment.ranges
        if batch:
            yield Results(task, tuple(batch))
        if left:
            # What is damaged is no longer here; it is told when it has been brought, or made again.
            far = self._bringing.far_of(task, "done", left)
            if far:
                self._wanted[task] = self._wanted.get(task, EMPTY) | far
            if left - far and (again or left != ranges):
                yield from self._results(task, left - far, again=False)

    def _failures(self, task: TaskId, ranges: RangeSet) -> Iterator[Failures]:
        failures = list(self._service.failures(task, ranges))
        for at in range(0, len(failures), _FAILURES_PER_MESSAGE):
            yield Failures(task, tuple(failures[at : at + _FAILURES_PER_MESSAGE]))
