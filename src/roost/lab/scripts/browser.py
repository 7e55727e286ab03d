"""Chromium and Firefox without a window, driven without any other package: a page on loopback asks for its work.

The page is served by a small server of this process, at a path that nobody else knows. Loopback counts as a secure
context, so that WebGPU is there if the browser has an adapter.
"""

import os
import queue
import re
import secrets
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Final

from roost.lab.scripts import jobs
from roost.lab.scripts.engine import Answer, Lap, NotMeasured, Round, order_text, read_answer
from roost.lab.scripts.finding import program
from roost.lab.scripts.lifeline import running

#: A browser that is started for the first time, on a busy machine.
_START_S: Final = 60.0
_LOOK_S: Final = 0.2
_ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
#: Without a sandbox of its own, since that needs rights that containers do not have: it only ever loads our page.
_CHROMIUM: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--enable-unsafe-webgpu",
)
#: What is told apart in the long name that a browser gives itself.
_VERSION: Final = re.compile(r"(Firefox|Chrome)/[0-9.]+")
_FIREFOX_SETTINGS: Final = {
    "browser.shell.checkDefaultBrowser": False,
    "app.update.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "extensions.update.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "dom.webgpu.enabled": True,
    "gfx.webgpu.ignore-blocklist": True,
}


class Desk:
    """Where the threads that serve the page and the one that measures meet."""

    def __init__(self) -> None:
        self.path = f"/{secrets.token_urlsafe(16)}/"
        self.orders: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    @property
    def page(self) -> bytes:
        script = jobs.read("laps.js") + jobs.read("page.js")
        return f'<!doctype html><meta charset="utf-8"><title>Roost</title><script>{script}</script>'.encode()


class Desks(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{self.desk.path}"


class _Handler(BaseHTTPRequestHandler):
    server: Desks

    def do_GET(self) -> None:
        if self.path == self.server.desk.path:
            self._send(self.server.desk.page, "text/html")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Take the laps of the last order; answer with the next as soon as there is one."""
        desk = self.server.desk
        length = int(self.headers.get("Content-Length", "0"))
        if self.path != f"{desk.path}next" or length > _ANSWER_BYTES_MAX:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        desk.answers.put(self.rfile.read(length))
        order = desk.orders.get()
        if order is not None:
            self._send(order, "application/json")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- as the library calls it
        """Say nothing."""


class BrowserSession:
    """See Session."""

    def __init__(self, desk: Desk, process: "subprocess.Popen[bytes]") -> None:
        self._desk = desk
        self._process = process
        agent = self._answer(_START_S).opened
        found = _VERSION.search(agent)
        self.title = found[0].replace("/", " ") if found else agent

    def run(self, order: Round) -> tuple[Lap, ...]:
        self._desk.orders.put(order_text(order))
        return self._answer(order.limit_s).laps

    def _answer(self, limit_s: float) -> Answer:
        give_up = monotonic() + limit_s
        while True:
            try:
                return read_answer(self._desk.answers.get(timeout=_LOOK_S))
            except queue.Empty:
                if self._process.poll() is not None:
                    raise NotMeasured("it has ended") from None
                if monotonic() > give_up:
                    raise NotMeasured("it took longer than its time") from None


@contextmanager
def open_browser(engine: str) -> Iterator[BrowserSession]:
    """Start "chromium" or "firefox". Raise NotMeasured if it is not here, or does not open the page."""
    path = program(engine)
    desk = Desk()
    with TemporaryDirectory(prefix="roost-lab-", ignore_cleanup_errors=True) as folder, Desks(desk) as server:
        serving = threading.Thread(target=server.serve_forever, args=(_LOOK_S,), daemon=True)
        serving.start()
        try:
            words = _chromium(folder) if engine == "chromium" else _firefox(Path(folder))
            # Its own home, so that it neither reads nor leaves anything in the user's.
            with running([str(path), *words, server.url], os.environ | {"HOME": folder}) as process:
                yield BrowserSession(desk, process)
        finally:
            desk.orders.put(None)
            server.shutdown()


def _chromium(folder: str) -> tuple[str, ...]:
    return (*_CHROMIUM, f"--user-data-dir={folder}")


def _firefox(folder: Path) -> tuple[str, ...]:
    settings = (f'user_pref("{name}", {str(value).lower()});\n' for name, value in _FIREFOX_SETTINGS.items())
    (folder / "user.js").write_text("".join(settings), encoding="utf-8")
    return ("--headless", "--no-remote", "--profile", str(folder))
