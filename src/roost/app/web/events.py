"""The stream of changes: a WebSocket of JSON texts for whoever wants to look on.

A listener that reads slower than changes come is dropped with a reason and may come back; what waits for it is
bounded, so that a forgotten browser tab never costs the node its memory.
"""

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial

import msgspec
from aiohttp import web
from aiohttp.http import WSCloseCode

from roost.api.requests import EventsQuery, Nothing
from roost.api.streamed import HelloEvent, ProgressEvent, RunEvent, StreamedEvent, TaskEvent
from roost.app.intake.selectors import select_runs
from roost.app.web.calls import Call
from roost.app.web.sockets import CLOSE_TIMEOUT_S, connected, until_one_ends
from roost.core.actions import Change, ProgressChanged, RunChanged, TaskChanged
from roost.model.errors import NotFound
from roost.model.ids import RunId, TaskId, run_of
from roost.model.limits import LISTENER_EVENTS_MAX
from roost.model.paths import parts_of, shown_index, shown_ranges
from roost.runtime.service import NodeService
from roost.version import VERSION

#: How often a silent listener is asked whether it is still there.
_HEARTBEAT_S = 30.0
_TOO_SLOW = "too slow: too many events waited; connect again and read the runs anew"
#: What a listener sends is not read by anyone.
_INCOMING_BYTES_MAX = 4096

_ENCODER = msgspec.json.Encoder()


class _Backlog:
    """The changes that wait for one listener."""

    def __init__(self, runs: frozenset[RunId] | None, parts: Callable[[TaskId], int]) -> None:
        self._parts = parts
        self._runs = runs
        self._queue: asyncio.Queue[Change] = asyncio.Queue(LISTENER_EVENTS_MAX)
        self.overflowed = asyncio.Event()

    def add(self, change: Change) -> None:
        if self.overflowed.is_set() or (self._runs is not None and _run_of(change) not in self._runs):
            return
        try:
            self._queue.put_nowait(change)
        except asyncio.QueueFull:
            self.overflowed.set()

    async def send_to(self, socket: web.WebSocketResponse) -> None:
        while True:
            await socket.send_str(_text(_shown(await self._queue.get(), self._parts)))


async def stream(call: Call[EventsQuery, Nothing]) -> web.WebSocketResponse:
    """Say hello, then send every change of the chosen runs until one side ends it."""
    everything = call.query.run == "all"
    runs = None if everything else frozenset(select_runs(call.query.run, call.service.run_ids()))
    backlog = _Backlog(runs, partial(_parts, call.service))
    stop_listening = call.service.listen(backlog.add)
    limits = {"timeout": CLOSE_TIMEOUT_S, "heartbeat": _HEARTBEAT_S, "max_msg_size": _INCOMING_BYTES_MAX}
    try:
        async with connected(call.request, **limits) as socket:
            await socket.send_str(_text(_hello(call.service)))
            # Until the listener leaves, the connection breaks or the backlog is full.
            with contextlib.suppress(ConnectionError):
                await until_one_ends(backlog.send_to(socket), _until_closed(socket), backlog.overflowed.wait())
            if backlog.overflowed.is_set() and not socket.closed:
                await socket.close(code=WSCloseCode.TRY_AGAIN_LATER, message=_TOO_SLOW.encode(), drain=False)
    finally:
        stop_listening()
    return socket


async def _until_closed(socket: web.WebSocketResponse) -> None:
    async for _ in socket:
        pass


def _hello(service: NodeService) -> HelloEvent:
    facts = service.facts()
    return HelloEvent(VERSION, facts.node, facts.boot)


def _run_of(change: Change) -> RunId:
    return change.run if isinstance(change, RunChanged) else run_of(change.task)


def _parts(service: NodeService, task: TaskId) -> int:
    try:
        return parts_of(service.spec(task))
    except NotFound:
        return 1


def _shown(change: Change, parts: Callable[[TaskId], int]) -> StreamedEvent:
    match change:
        case TaskChanged():
            return TaskEvent(change.task, change.state, shown_ranges(change.ranges, parts(change.task)))
        case RunChanged():
            return RunEvent(change.run, change.state)
        case ProgressChanged():
            path = shown_index(change.index, parts(change.task))
            return ProgressEvent(change.task, change.index, path, change.fraction, change.note)


def _text(event: StreamedEvent) -> str:
    return _ENCODER.encode(event).decode()
