"""Only who has the token gets in, and only under a local name."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roost.app.web.auth import is_loopback
from roost.app.web.routes import ROUTES
from tests.app.web.running_api import TOKEN, RunningApi

TARGETS = [(route.method, route.path.replace("{run}", "last")) for route in ROUTES]
HEADER_TEXT = st.text(st.characters(min_codepoint=33, max_codepoint=255, exclude_characters="\x7f"), max_size=60)


@pytest.mark.parametrize(("method", "target"), [*TARGETS, ("GET", "/"), ("PUT", "/v1/runs"), ("GET", "/v1/nothing")])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
    ],
)
def test_without_the_token_no_route_answers(api: RunningApi, method: str, target: str, headers: dict[str, str]) -> None:
    before = api.service.snapshot()
    answer = api.send(method, target, b"{}" if method == "POST" else None, headers)
    assert (answer.status, answer.kind) == (401, "unauthorized")
    assert answer.message.startswith("the token is missing or wrong; ")
    assert api.service.snapshot() == before


@given(scheme=HEADER_TEXT, token=HEADER_TEXT)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_guess_gets_in(api: RunningApi, scheme: str, token: str) -> None:
    headers = {"Authorization": f"{scheme} {token}".encode("latin-1").decode("latin-1")}
    assert api.send("POST", "/v1/shutdown", b"{}", headers).status == 401
    assert api.send("GET", "/v1/status", None, {"Authorization": f"Bearer {token}"}).status == 401
    assert not api.service.stopped


def test_the_scheme_may_be_written_in_small_letters(api: RunningApi) -> None:
    assert api.send("GET", "/v1/status", None, {"Authorization": f"bearer {TOKEN}"}).status == 200


def test_the_token_counts_in_the_query_of_sockets_only(api: RunningApi) -> None:
    assert api.send("GET", f"/v1/status?token={TOKEN}", None, {}).status == 401
    # Let in, and then refused because it is not a WebSocket.
    assert api.send("GET", f"/v1/events?token={TOKEN}", None, {}).status == 400
    assert api.send("GET", f"/v1/events?token={TOKEN}x", None, {}).status == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "10.0.0.1", "127.0.0.1.nip.io", "[", ""]
)
def test_a_page_from_elsewhere_is_refused_though_it_has_the_token(api: RunningApi, host: str) -> None:
    answer = api.send("GET", "/v1/status", None, {"Authorization": f"Bearer {TOKEN}", "Host": host})
    assert (answer.status, answer.kind) == (401, "unauthorized")
    assert answer.message == "this node answers only to its local name; use 127.0.0.1 or localhost"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1:1", "127.1.2.3", "[::1]:80"])
def test_local_names_are_answered(api: RunningApi, host: str) -> None:
    assert api.send("GET", "/v1/status", None, {"Authorization": f"Bearer {TOKEN}", "Host": host}).status == 200


def test_only_loopback_addresses_are_local() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "::1")))
    assert not any(map(is_loopback, ("", "0.0.0.0", "::", "192.168.0.1", "localhost.", "roost")))
