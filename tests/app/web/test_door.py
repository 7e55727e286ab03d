"""Strangers at the API have few places and little time; whoever has shown the token stays."""

import logging
import socket
from urllib.parse import urlsplit

import pytest
from aiohttp.http_exceptions import BadStatusLine

from roost.app.web import door
from roost.app.web.door import MALFORMED_EVERY_S, Malformed
from roost.model.limits import HTTP_STRANGERS_MAX
from tests.app.web.running_api import TIMEOUT_S, RunningApi


def connected(api: RunningApi) -> socket.socket:
    parts = urlsplit(api.server.address)
    return socket.create_connection((parts.hostname or "", parts.port), timeout=TIMEOUT_S)


def test_connections_that_only_idle_do_not_keep_the_owner_out(api: RunningApi) -> None:
    idle = [connected(api) for _ in range(3 * HTTP_STRANGERS_MAX)]
    assert api.get("/v1/status").status == 200
    assert idle[0].recv(1) == b"", "who waited longest made room"
    more = [connected(api) for _ in range(2 * HTTP_STRANGERS_MAX)]
    assert api.get("/v1/status").status == 200, "a connection that has shown the token makes room for nobody"
    for connection in [*idle, *more]:
        connection.close()


def test_a_stranger_who_says_nothing_is_shown_out(api: RunningApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "STRANGER_S", 0.05)
    with connected(api) as silent:
        assert silent.recv(1) == b""
    with connected(api) as without_token:
        without_token.sendall(b"GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        answer = b"".join(iter(lambda: without_token.recv(4096), b""))
        assert b" 401 " in answer, "it is answered, and shown out then"


def test_whoever_has_shown_the_token_may_be_silent(api: RunningApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "STRANGER_S", 0.2)
    with api.listen() as listening:
        listening.recv(TIMEOUT_S)
        with connected(api) as silent:
            assert silent.recv(1) == b"", "that long has passed"
        run = api.submit({"name": "a"})
        assert run in str(listening.recv(TIMEOUT_S))


def test_what_is_no_http_is_refused_and_leaves_no_traceback_in_the_log(
    api: RunningApi, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        with connected(api) as garbled:
            garbled.sendall(b"GET / HTTP/9.9\r\nbad header\r\n\r\n")
            assert b" 400 " in garbled.recv(4096)
    assert "Traceback" not in caplog.text
    assert caplog.text.count("malformed") <= 1


def record(error: Exception | None) -> logging.LogRecord:
    return logging.LogRecord("x", logging.ERROR, "x", 1, "it failed", (), (type(error), error, None) if error else None)


def test_malformed_requests_are_counted_and_told_now_and_then() -> None:
    now = [100.0]
    malformed = Malformed(lambda: now[0])
    first = record(BadStatusLine("x"))
    assert malformed.filter(first)
    assert (first.getMessage(), first.exc_info, first.levelname) == (
        "1 malformed request was refused",
        None,
        "WARNING",
    )
    assert [malformed.filter(record(BadStatusLine("x"))) for _ in range(3)] == [False] * 3
    now[0] += MALFORMED_EVERY_S
    later = record(BadStatusLine("x"))
    assert malformed.filter(later)
    assert later.getMessage() == "4 malformed requests were refused"


def test_other_errors_pass_as_they_are() -> None:
    error = record(ValueError("ours"))
    assert Malformed().filter(error)
    assert (error.getMessage(), error.levelname) == ("it failed", "ERROR")
    assert Malformed().filter(record(None))
