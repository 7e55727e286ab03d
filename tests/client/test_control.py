"""The commands' HTTP client: answers as values, errors as ours, and a node that goes away and comes back."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.client.control import PIECE_BYTES, Control, NodeGone, address_of, node_of, run_path, this_home
from roost.client.start import Address
from roost.model.errors import InvalidInput, NotFound, PeerError, Unavailable
from roost.runtime.home import Home
from tests.app.cli.fake_node import TOKEN, FakeNode, error


@pytest.fixture
def control(node: FakeNode) -> Iterator[Control]:
    with node_of(Home(node.home)) as control:
        yield control


@pytest.fixture
def node(tmp_path: Path) -> Iterator[FakeNode]:
    fake = FakeNode(tmp_path / "home")
    fake.start()
    yield fake
    fake.stop()


def test_an_answer_is_decoded_and_the_token_is_sent(node: FakeNode, control: Control) -> None:
    node.answers["GET /v1/status"] = {"node": "attic"}
    assert control.get("/v1/status") == {"node": "attic"}


def test_parameters_that_are_none_are_left_out(node: FakeNode, control: Control) -> None:
    node.answers["GET /v1/runs"] = {"runs": []}
    control.get("/v1/runs", select="5,6", limit=None)
    assert node.asked[-1].query == {"select": "5,6"}


def test_a_body_is_posted_as_json(node: FakeNode, control: Control) -> None:
    node.answers["POST /v1/runs"] = (201, {"run": "1-kedova"})
    assert control.post("/v1/runs", {"name": "a"}) == {"run": "1-kedova"}
    assert node.posted("/v1/runs") == [{"name": "a"}]


@pytest.mark.parametrize(
    ("status", "kind", "expected"),
    [
        (400, "invalid", InvalidInput),
        (413, "too_large", InvalidInput),
        (404, "not_found", NotFound),
        (401, "unauthorized", Unavailable),
        (503, "unavailable", Unavailable),
        (500, "internal", PeerError),
    ],
)
def test_every_kind_of_error_keeps_its_sentence(
    node: FakeNode, control: Control, status: int, kind: str, expected: type[Exception]
) -> None:
    node.answers["GET /v1/status"] = (status, error(kind, "the sentence"))
    with pytest.raises(expected, match=r"^the sentence$"):
        control.get("/v1/status")


@pytest.mark.parametrize("body", [b"<html>", b'{"error": 3}', b"[]", b""])
def test_an_error_without_explanation_is_the_peers(node: FakeNode, control: Control, body: bytes) -> None:
    node.answers["GET /v1/status"] = (502, body)
    with pytest.raises(PeerError, match="502"):
        control.get("/v1/status")


def test_an_answer_that_is_not_json_is_refused(node: FakeNode, control: Control) -> None:
    node.answers["GET /v1/status"] = b"hello"
    with pytest.raises(PeerError, match="not JSON"):
        control.get("/v1/status")


def test_without_a_node_the_sentence_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(NodeGone, match="roost up"):
        address_of(Home(tmp_path / "nothing"))


def test_the_file_of_a_killed_node_is_not_believed(node: FakeNode) -> None:
    (node.home / "lock").write_text("1")
    with pytest.raises(NodeGone, match=r"a node starts here, and does not listen yet; see .*node\.log"):
        address_of(Home(node.home), patience_s=0.0)


def test_a_refused_connection_means_that_no_node_runs() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(NodeGone, match="roost up"):
        Control(lambda: Address(address, TOKEN)).get("/v1/status")


def test_a_node_that_hangs_is_reported_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(Unavailable, match="does not answer"):
            Control(lambda: Address(address, TOKEN), timeout_s=0.05).get("/v1/status")


def test_the_address_is_asked_for_again_after_a_restart(tmp_path: Path) -> None:
    first, second = FakeNode(tmp_path / "a"), FakeNode(tmp_path / "b")
    first.start()
    second.start()
    nodes = [first, second]
    for fake in nodes:
        fake.answers["GET /v1/status"] = {"at": fake.address}
    control = Control(lambda: Address(nodes[0].address, TOKEN))
    assert control.get("/v1/status") == {"at": first.address}
    first.stop()
    control.close()
    del nodes[0]
    assert control.get("/v1/status") == {"at": second.address}
    control.close()
    second.stop()


def test_the_home_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROOST_HOME", str(tmp_path))
    assert this_home().path == tmp_path


def test_odd_characters_of_a_selector_stay_one_part_of_the_path() -> None:
    assert run_path("a/b c", "logs") == "/v1/runs/a%2Fb%20c/logs"


def test_words_that_are_no_utf8_can_be_asked_for(node: FakeNode, control: Control) -> None:
    node.answers["GET /v1/runs"] = {"runs": []}
    control.get("/v1/runs", select="x\udcff")
    assert node.asked[-1].query == {"select": "x\U0010feff"}
    assert run_path("5/x\udcff") == "/v1/runs/5%2Fx%F4%8F%BB%BF"


def test_a_long_answer_comes_in_pieces_while_others_are_asked_for(node: FakeNode, control: Control) -> None:
    node.answers["GET /v1/runs/5/files"] = b"\xff" * (PIECE_BYTES + 3)
    node.answers["GET /v1/status"] = {"node": "attic"}
    pieces = control.pieces("/v1/runs/5/files", name="a b", task=None)
    assert len(next(pieces)) == PIECE_BYTES
    assert control.get("/v1/status") == {"node": "attic"}
    assert list(pieces) == [b"\xff" * 3]
    assert node.asked[0].query == {"name": "a b"}


def test_an_error_instead_of_pieces_keeps_its_sentence(node: FakeNode, control: Control) -> None:
    node.answers["GET /v1/runs/5/files"] = (404, error("not_found", "there is none"))
    with pytest.raises(NotFound, match="there is none"):
        next(control.pieces("/v1/runs/5/files"))


def test_pieces_that_end_too_early_are_not_taken_for_the_whole() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")

        thread = threading.Thread(target=answer)
        thread.start()
        control = Control(lambda: Address(f"http://127.0.0.1:{server.getsockname()[1]}", TOKEN))
        pieces = control.pieces("/v1/runs/5/files")
        assert next(pieces) == b"abc"
        with pytest.raises(NodeGone, match="before all was read"):
            next(pieces)
        thread.join()
