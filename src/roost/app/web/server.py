"""The API on a socket."""

import asyncio
import logging

from aiohttp import web

from roost.app.web.application import ADDRESS, ANSWERING, DOOR, SERVICE, TOKEN
from roost.app.web.auth import authenticate
from roost.app.web.door import Door, Malformed
from roost.app.web.errors import errors_as_json
from roost.app.web.python_session import seal_earlier_sessions
from roost.app.web.routes import ROUTES
from roost.app.web.sockets import SOCKETS, close_all
from roost.model.limits import REQUEST_BYTES_MAX
from roost.runtime.service import NodeService

#: How long requests that are being answered may go on when the server closes.
_CLOSE_GRACE_S = 2.0
_WAITING_CONNECTIONS_MAX = 128

#: For what the library says of requests.
_logger = logging.getLogger(__name__)
_logger.addFilter(Malformed())


class Server:
    """The API while it listens."""

    def __init__(self, listening: asyncio.Server, runner: web.AppRunner, address: str) -> None:
        self._listening = listening
        self._runner = runner
        self.address = address

    async def close(self) -> None:
        """Take no more connections, let running answers finish, and end."""
        self._listening.close()
        await self._runner.cleanup()


async def serve(service: NodeService, token: str, *, host: str = "127.0.0.1", port: int = 0) -> Server:
    """Listen; port 0 takes any that is free. Raise OSError if the address cannot be had."""
    door = Door()
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(
        door.protocol, host, port, backlog=_WAITING_CONNECTIONS_MAX, start_serving=False
    )
    address = _address_of(listening)
    app = make_app(service, token, address, door)
    runner = web.AppRunner(app, access_log=None, logger=_logger, shutdown_timeout=_CLOSE_GRACE_S)
    try:
        await runner.setup()
        assert runner.server is not None
        door.open(runner.server)
        await listening.start_serving()
    except BaseException:
        await runner.cleanup()
        listening.close()
        raise
    return Server(listening, runner, address)


def make_app(service: NodeService, token: str, address: str, door: Door) -> web.Application:
    app = web.Application(middlewares=[errors_as_json, authenticate], client_max_size=REQUEST_BYTES_MAX)
    app[SERVICE], app[TOKEN], app[ADDRESS], app[SOCKETS] = service, token, address, set()
    app[ANSWERING], app[DOOR] = set(), door
    for route in ROUTES:
        app.router.add_route(route.method, route.path, route.respond)
    app.on_startup.append(seal_earlier_sessions)
    app.on_shutdown.append(close_all)
    return app


def _address_of(listening: asyncio.Server) -> str:
    host, port = listening.sockets[0].getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
