"""The API on a real socket, in a thread of its own, spoken to by an ordinary HTTP client."""

import asyncio
import http.client
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec
import pytest
from websockets.sync.client import ClientConnection, connect

from roost.app.web.server import Server, serve
from roost.model.ids import RunId, TaskId, task_id
from tests.app.web.plain_service import PlainService

TOKEN = "a-token-of-43-characters-that-nobody-guesses"
TIMEOUT_S = 20.0

T = TypeVar("T")


class Answer(NamedTuple):
    status: int
    body: bytes
    headers: http.client.HTTPMessage

    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def message(self) -> str:
        message: str = self.json()["error"]["message"]
        return message

    @property
    def kind(self) -> str:
        kind: str = self.json()["error"]["kind"]
        return kind


def wait_until(condition: Callable[[], bool]) -> None:
    """Ask again and again until it is so; fail if it takes too long."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not come"


class RunningApi:
    def __init__(self, home: Path) -> None:
        self.service = PlainService(home)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        serving = asyncio.run_coroutine_threadsafe(serve(self.service, TOKEN), self._loop)
        self.server: Server = serving.result(TIMEOUT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self.hang_up()
        self.stop_serving()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(TIMEOUT_S)
        self._loop.close()

    def stop_serving(self) -> None:
        """Close the server; doing it twice is harmless."""
        asyncio.run_coroutine_threadsafe(self.server.close(), self._loop).result(TIMEOUT_S)

    def hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def in_loop(self, function: Callable[..., T], *args: Any) -> T:
        """Call something where the node lives."""

        async def called() -> T:
            return function(*args)

        return asyncio.run_coroutine_threadsafe(called(), self._loop).result(TIMEOUT_S)

    def send(
        self, method: str, target: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send exactly this; without ``headers``, with the right token."""
        if self._connection is None:
            parts = urlsplit(self.server.address)
            self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_S)
        sent = {"Authorization": f"Bearer {TOKEN}"} if headers is None else dict(headers)
        self._connection.request(method, target, body, sent)
        response = self._connection.getresponse()
        return Answer(response.status, response.read(), response.headers)

    def get(self, path: str, **query: object) -> Answer:
        return self.send("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, body: object = None) -> Answer:
        return self.send("POST", path, msgspec.json.encode({} if body is None else body))

    def submit(self, *tasks: dict[str, Any], **fields: Any) -> RunId:
        """Submit tasks, with a harmless command where they have no work; return the run."""
        work = {"command": {"argv": ["true"]}}
        full = [task if {"function", "script", "value", "manual"} & task.keys() else {**work, **task} for task in tasks]
        answer = self.post("/v1/runs", {"tasks": full, **fields})
        assert answer.status == 201, answer.body
        return RunId(answer.json()["run"])

    def submit_one(self, **fields: Any) -> TaskId:
        """Submit a run of one task; return the task."""
        return task_id(self.submit({"name": "work", **fields}), "work")

    def listen(self, run: str = "all") -> ClientConnection:
        address = self.server.address.replace("http", "ws")
        return connect(f"{address}/v1/events?run={quote(run)}&token={TOKEN}", proxy=None, open_timeout=TIMEOUT_S)


@pytest.fixture
def api(tmp_path: Path) -> Iterator[RunningApi]:
    with RunningApi(tmp_path) as running:
        yield running
