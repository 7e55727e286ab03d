"""The API on its socket: where it listens, and how it ends."""

import asyncio
import http.client
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from roost.app.web.server import serve
from tests.app.web.plain_service import PlainService
from tests.app.web.running_api import TIMEOUT_S, TOKEN, RunningApi


def status_of(address: str) -> int:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_S)
    connection.request("GET", "/v1/status", headers={"Authorization": f"Bearer {TOKEN}"})
    status = connection.getresponse().status
    connection.close()
    return status


def test_it_listens_where_its_address_says(api: RunningApi) -> None:
    assert status_of(api.server.address) == 200


def test_a_wish_for_a_port_is_granted_or_an_error(tmp_path: Path) -> None:
    async def scenario() -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(OSError, match="in use"):
                await serve(PlainService(tmp_path), TOKEN, port=port)
        server = await serve(PlainService(tmp_path), TOKEN, port=port)
        assert server.address == f"http://127.0.0.1:{port}"
        assert await asyncio.to_thread(status_of, server.address) == 200
        await server.close()

    asyncio.run(scenario())


def test_it_listens_on_the_newer_loopback_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        server = await serve(PlainService(tmp_path), TOKEN, host="::1")
        assert server.address.startswith("http://[::1]:")
        assert await asyncio.to_thread(status_of, server.address) == 200
        await server.close()

    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    asyncio.run(scenario())


def test_a_closed_server_takes_no_more_connections(api: RunningApi) -> None:
    api.stop_serving()
    with pytest.raises(ConnectionRefusedError):
        status_of(api.server.address)
