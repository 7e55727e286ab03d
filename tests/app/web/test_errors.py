"""Whatever goes wrong is told in one sentence, and never with our own innards."""

import logging

import pytest

from roost.model.errors import InvalidInput, InvariantViolated, NotFound, PeerError, Unavailable
from roost.model.limits import MIB, REQUEST_BYTES_MAX
from tests.app.web.running_api import TOKEN, RunningApi


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (InvalidInput("this cannot be"), 400, "invalid"),
        (NotFound("this is not there"), 404, "not_found"),
        (Unavailable("not now"), 503, "unavailable"),
    ],
)
def test_our_errors_keep_their_sentence(api: RunningApi, error: Exception, status: int, kind: str) -> None:
    api.submit_one()
    api.service.refusal = error
    answer = api.post("/v1/runs/last/cancel")
    assert (answer.status, answer.kind, answer.message) == (status, kind, str(error))
    assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("error", [InvariantViolated("secret"), PeerError("secret"), ZeroDivisionError("secret")])
def test_what_is_our_own_fault_is_logged_and_not_told(
    api: RunningApi, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    api.submit_one()
    api.service.refusal = error
    with caplog.at_level(logging.ERROR):
        answer = api.post("/v1/runs/last/cancel")
    assert (answer.status, answer.kind) == (500, "internal")
    assert answer.message == "the node ran into an error of its own; its log has the details"
    assert b"secret" not in answer.body
    assert "secret" in caplog.text


def test_an_unknown_path_and_a_wrong_method_are_told(api: RunningApi) -> None:
    unknown = api.get("/v1/nothing")
    assert (unknown.status, unknown.message) == (404, "the API has no '/v1/nothing'; see /v1/openapi.json")
    wrong = api.send("DELETE", "/v1/runs")
    assert (wrong.status, wrong.kind, wrong.message) == (405, "invalid", "'/v1/runs' takes GET or POST, not DELETE")


@pytest.mark.parametrize("headers", [{}, {"Transfer-Encoding": "chunked"}])
def test_a_request_that_is_too_large_is_refused(api: RunningApi, headers: dict[str, str]) -> None:
    body = b"%x\r\n%s\r\n0\r\n\r\n" if headers else b"%.0x%s"
    content = b" " * (REQUEST_BYTES_MAX + 1)
    answer = api.send(
        "POST", "/v1/runs", body % (len(content), content), {"Authorization": f"Bearer {TOKEN}", **headers}
    )
    assert (answer.status, answer.kind) == (413, "too_large")
    assert answer.message == f"the request is larger than {REQUEST_BYTES_MAX // MIB} MiB; send it in several parts"
    api.hang_up()
    assert api.get("/v1/status").status == 200


def test_a_body_that_only_pretends_to_be_compressed_is_refused(api: RunningApi) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Encoding": "gzip"}
    answer = api.send("POST", "/v1/runs", b"this is not gzip", headers)
    assert (answer.status, answer.kind) == (400, "invalid")


def test_a_plain_request_for_a_websocket_is_refused(api: RunningApi) -> None:
    answer = api.get("/v1/events")
    assert (answer.status, answer.kind) == (400, "invalid")
