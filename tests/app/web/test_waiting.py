"""Processes that say that they wait: the node hears it, and that they are gone."""

from collections.abc import Iterator

import pytest
from websockets.sync.client import ClientConnection, connect

from roost.api.element_waiting import WAITING_PATH, Waiting, encode_waiting
from tests.client.small_node import TOKEN, SmallNode, until


@pytest.fixture
def socket(node: SmallNode) -> Iterator[ClientConnection]:
    url = node.find().url.replace("http", "ws") + WAITING_PATH
    with connect(url, additional_headers={"Authorization": f"Bearer {TOKEN}"}, compression=None) as opened:
        yield opened


@pytest.fixture
def node() -> Iterator[SmallNode]:
    with SmallNode() as running:
        yield running


def say(socket: ClientConnection, lease: int, index: int | None, *, waits: bool) -> None:
    socket.send(encode_waiting(Waiting(lease, index, waits)))


def test_a_wait_begins_and_ends(node: SmallNode, socket: ClientConnection) -> None:
    say(socket, 7, 3, waits=True)
    say(socket, 7, 3, waits=False)
    until(lambda: node.service.waits == [(7, 3, True), (7, 3, False)])


def test_a_process_that_is_gone_waits_no_more(node: SmallNode, socket: ClientConnection) -> None:
    say(socket, 7, None, waits=True)
    until(lambda: len(node.service.waits) == 1)
    socket.close()
    until(lambda: node.service.waits[1:] == [(7, None, False)])


def test_an_end_without_a_beginning_is_no_news(node: SmallNode, socket: ClientConnection) -> None:
    say(socket, 7, 3, waits=False)
    say(socket, 8, 0, waits=True)
    until(lambda: node.service.waits == [(8, 0, True)])


def test_what_is_no_message_ends_the_connection_and_its_waits(node: SmallNode, socket: ClientConnection) -> None:
    say(socket, 7, 3, waits=True)
    socket.send(b"\xc1")
    until(lambda: node.service.waits == [(7, 3, True), (7, 3, False)])
