"""The port of LAN's protocol with a plain node behind it, in a thread of its own, and a telnet to speak to it."""

import asyncio
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, TypeVar

from roost.app.lan.endpoint import Endpoint
from roost.app.lan.programs import Programs
from roost.app.lan.server import serve_lan
from tests.app.web.plain_service import PlainService

TOKEN = "a-token-of-43-characters-that-nobody-guesses"
TIMEOUT_S = 20.0

T = TypeVar("T")


class Telnet:
    """A raw socket that sends what a person types."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.socket = socket.create_connection(endpoint, timeout=TIMEOUT_S)
        self._begun = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def type(self, line: str) -> None:
        self.socket.sendall(line.encode() + b"\r\n")

    def hear(self) -> str:
        """Return the next line; an empty text is the end."""
        while b"\r\n" not in self._begun:
            data = self.socket.recv(65536)
            if not data:
                assert not self._begun, "the last line has no end"
                return ""
            self._begun += data
        line, _, self._begun = self._begun.partition(b"\r\n")
        return line.decode()

    def ask(self, line: str) -> str:
        self.type(line)
        return self.hear()


class RunningLan:
    def __init__(self, folder: Path, patience_s: float = TIMEOUT_S, host: str = "127.0.0.1") -> None:
        self.service = PlainService(folder)
        self.programs = Programs(folder / "programs")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._patience_s = patience_s
        self._host = host

    def __enter__(self) -> Self:
        self._thread.start()
        opening = serve_lan(self.service, Endpoint(self._host, 0), self.programs, TOKEN, patience_s=self._patience_s)
        self.server = asyncio.run_coroutine_threadsafe(opening, self._loop).result(TIMEOUT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop_serving()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(TIMEOUT_S)
        self._loop.close()

    def stop_serving(self) -> None:
        """Close the port; doing it twice is harmless."""
        asyncio.run_coroutine_threadsafe(self.server.close(), self._loop).result(TIMEOUT_S)

    def in_loop(self, function: Callable[..., T], *args: Any) -> T:
        """Call something where the node lives."""

        async def called() -> T:
            return function(*args)

        return asyncio.run_coroutine_threadsafe(called(), self._loop).result(TIMEOUT_S)

    def telnet(self) -> Telnet:
        return Telnet(self.server.endpoint)

    def add_program(self, name: str, text: str = "#!/bin/sh\n") -> Path:
        return add_program(self.programs.folder, name, text)


def add_program(folder: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path
