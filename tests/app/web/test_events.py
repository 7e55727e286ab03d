"""The stream of changes: everything in order for those who read, and a clear goodbye for those who do not."""

import socket
from typing import Any

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from roost.app.web import events
from roost.core.actions import ProgressChanged, TaskChanged
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet
from roost.version import VERSION
from tests.app.web.running_api import TIMEOUT_S, TOKEN, RunningApi, wait_until


def next_event(listener: ClientConnection) -> Any:
    return msgspec.json.decode(listener.recv(TIMEOUT_S))


def close_of(listener: ClientConnection) -> tuple[int, str]:
    """Read on until the other side ends it; return its code and reason."""
    try:
        while True:
            listener.recv(TIMEOUT_S)
    except ConnectionClosed as closed:
        if closed.rcvd is None:
            raise
        return closed.rcvd.code, closed.rcvd.reason


def test_hello_comes_first_and_then_every_change(api: RunningApi) -> None:
    with api.listen() as listener:
        assert next_event(listener) == {"type": "hello", "version": VERSION, "node": "ash", "boot": 3}
        task = api.submit_one(array="1-5")
        run = api.service.run_ids()[0]
        api.post("/v1/runs/last/cancel", {"elements": "2-4"})
        api.in_loop(api.service.notify, ProgressChanged(task, 1, 0.5, "half"))
        assert next_event(listener) == {"type": "run", "run": run, "state": "added"}
        assert next_event(listener) == {"type": "task", "task": task, "state": "cancelled", "elements": "2-4"}
        told = {"type": "progress", "task": task, "index": 1, "path": "1", "fraction": 0.5, "note": "half"}
        assert next_event(listener) == told


def test_a_listener_hears_only_the_runs_it_chose(api: RunningApi) -> None:
    for _ in range(2):
        api.submit({"name": "work"})
    first, second = api.service.run_ids()
    with api.listen("2") as listener:
        assert next_event(listener)["type"] == "hello"
        api.post(f"/v1/runs/{first}/cancel")
        api.post(f"/v1/runs/{second}/cancel")
        assert next_event(listener)["task"] == f"{second}/work"


def test_an_unknown_run_cannot_be_listened_to(api: RunningApi) -> None:
    answer = api.get("/v1/events", run="7")
    assert (answer.status, answer.message) == (404, "there is no run '7'")
    assert api.service.listeners == []


def test_a_listener_that_leaves_is_forgotten(api: RunningApi) -> None:
    with api.listen() as listener:
        next_event(listener)
        assert len(api.in_loop(api.service.listeners.copy)) == 1
    wait_until(lambda: not api.in_loop(api.service.listeners.copy))


def test_what_a_listener_sends_is_ignored(api: RunningApi) -> None:
    with api.listen() as listener:
        next_event(listener)
        listener.send("hello?")
        listener.send(b"\x00")
        api.submit_one()
        assert next_event(listener)["type"] == "run"


def test_a_slow_listener_is_dropped_with_a_reason_and_the_others_are_not(
    api: RunningApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow one reads nothing while more changes come than its sockets and its backlog hold."""
    most = 100
    monkeypatch.setattr(events, "LISTENER_EVENTS_MAX", most)
    large = TaskChanged(TaskId("1-kedova/work"), "x" * 200_000, RangeSet.of([1]))
    address = api.server.address.removeprefix("http://")
    host, port = address.split(":")
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.connect((host, int(port)))
    slow_address = f"ws://{address}/v1/events?token={TOKEN}"
    with connect(slow_address, sock=narrow, max_queue=1, proxy=None) as slow, api.listen() as quick:
        assert next_event(quick)["type"] == "hello"
        for _ in range(4 * most):
            api.in_loop(api.service.notify, large)
            assert next_event(quick)["type"] == "task"
        wait_until(lambda: len(api.in_loop(api.service.listeners.copy)) == 1)
        assert close_of(slow) == (1013, "too slow: too many events waited; connect again and read the runs anew")
