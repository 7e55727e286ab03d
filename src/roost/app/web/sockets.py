"""WebSockets of the API: each is told when the node stops."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

from aiohttp import web
from aiohttp.http import WSCloseCode

#: Everyone who is connected now, listeners and sessions.
SOCKETS: Final[web.AppKey[set[web.WebSocketResponse]]] = web.AppKey("sockets")
#: How long the other end may take to answer a goodbye.
CLOSE_TIMEOUT_S = 1.0


@asynccontextmanager
async def connected(request: web.Request, **limits: Any) -> AsyncIterator[web.WebSocketResponse]:
    """Make a request a WebSocket, which is closed in the end."""
    socket = web.WebSocketResponse(compress=False, **limits)
    await socket.prepare(request)
    sockets = request.app[SOCKETS]
    sockets.add(socket)
    try:
        yield socket
    finally:
        sockets.discard(socket)
    await socket.close()


async def until_one_ends(*sides: Coroutine[Any, Any, object]) -> None:
    """Run all sides of a conversation until one of them ends, then none. Raise what went wrong in any of them."""
    tasks = [asyncio.create_task(side) for side in sides]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, Exception):
            raise outcome


async def close_all(app: web.Application) -> None:
    """Tell everyone at once that the node stops; those who do not answer are left behind."""
    closing = [
        asyncio.create_task(socket.close(code=WSCloseCode.GOING_AWAY, message=b"the node is stopping", drain=False))
        for socket in app[SOCKETS]
    ]
    if closing:
        _, silent = await asyncio.wait(closing, timeout=CLOSE_TIMEOUT_S)
        for task in silent:
            task.cancel()
        await asyncio.gather(*closing, return_exceptions=True)
