import socket
import threading

import pytest

from roost.api.python_session import SESSION_VERSION, Hello, Named, NameRun, Welcome, decode_from_node, encode_message
from roost.client.link import Link, LinkBroken
from roost.client.start import Address
from roost.model.errors import Unavailable
from tests.client.small_node import SmallNode

HELLO = encode_message(Hello(SESSION_VERSION, "me", "owner", "host"))


def test_messages_go_both_ways(node: SmallNode) -> None:
    link = Link(node.find(), "/v1/session")
    link.send(HELLO)
    assert isinstance(decode_from_node(link.receive()[0]), Welcome)
    link.send(encode_message(NameRun(7)))
    named = decode_from_node(link.receive()[0])
    assert isinstance(named, Named)
    assert named.key == 7
    link.close()
    link.release()


def test_a_wrong_token_is_refused_with_a_sentence(node: SmallNode) -> None:
    with pytest.raises(Unavailable, match="takes no session"):
        Link(Address(node.find().url, "wrong"), "/v1/session")


def test_nobody_there_is_a_broken_link() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(LinkBroken, match="no node answers"):
            Link(Address(f"http://127.0.0.1:{port}", "token"), "/v1/session")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 404 Not Found\r\n\r\n", b"what?\r\n\r\n"])
def test_something_else_that_listens_is_no_node(answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answering() -> None:
            accepted, _ = server.accept()
            with accepted:
                accepted.recv(65536)
                accepted.sendall(answer)

        thread = threading.Thread(target=answering)
        thread.start()
        with pytest.raises(Unavailable):
            Link(Address(f"http://127.0.0.1:{server.getsockname()[1]}", "token"), "/v1/session")
        thread.join(10)


def test_receiving_ends_when_the_node_goes_away(node: SmallNode) -> None:
    link = Link(node.find(), "/v1/session")
    link.send(HELLO)
    link.receive()
    node.drop()
    with pytest.raises(LinkBroken):
        link.receive()
    with pytest.raises(LinkBroken):
        link.send(b"into nothing")
    link.release()


def test_closing_wakes_the_thread_that_receives(node: SmallNode) -> None:
    link = Link(node.find(), "/v1/session")
    link.send(HELLO)
    link.receive()
    ended: list[Exception] = []

    def reading() -> None:
        try:
            link.receive()
        except LinkBroken as error:
            ended.append(error)

    reader = threading.Thread(target=reading)
    reader.start()
    link.close()
    reader.join(10)
    assert len(ended) == 1
    link.release()
