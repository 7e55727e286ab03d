"""The API on a socket."""

import socket

from aiohttp import web

from roost.app.web.auth import authenticate
from roost.app.web.errors import errors_as_json
from roost.app.web.events import SOCKETS, close_all
from roost.app.web.keys import ADDRESS, ANSWERING, SERVICE, TOKEN
from roost.app.web.routes import ROUTES
from roost.app.web.session import seal_earlier_sessions
from roost.model.limits import REQUEST_BYTES_MAX
from roost.runtime.service import NodeService

#: How long requests that are being answered may go on when the server closes.
_CLOSE_GRACE_S = 2.0
_WAITING_CONNECTIONS_MAX = 128


class Server:
    """The API while it listens."""

    def __init__(self, runner: web.AppRunner, address: str) -> None:
        self._runner = runner
        self.address = address

    async def close(self) -> None:
        """Take no more connections, let running answers finish, and end."""
        await self._runner.cleanup()


async def serve(service: NodeService, token: str, *, host: str = "127.0.0.1", port: int = 0) -> Server:
    """Listen; port 0 takes any that is free. Raise OSError if the address cannot be had."""
    listening = _listen(host, port)
    address = _address_of(listening)
    runner = web.AppRunner(make_app(service, token, address), access_log=None, shutdown_timeout=_CLOSE_GRACE_S)
    try:
        await runner.setup()
        await web.SockSite(runner, listening, backlog=_WAITING_CONNECTIONS_MAX).start()
    except BaseException:
        await runner.cleanup()
        listening.close()
        raise
    return Server(runner, address)


def make_app(service: NodeService, token: str, address: str) -> web.Application:
    app = web.Application(middlewares=[errors_as_json, authenticate], client_max_size=REQUEST_BYTES_MAX)
    app[SERVICE], app[TOKEN], app[ADDRESS], app[SOCKETS] = service, token, address, set()
    app[ANSWERING] = set()
    for route in ROUTES:
        app.router.add_route(route.method, route.path, route.respond)
    app.on_startup.append(seal_earlier_sessions)
    app.on_shutdown.append(close_all)
    return app


def _listen(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
    except BaseException:
        listening.close()
        raise
    return listening


def _address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
