"""Real TLS streams on loopback."""

import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property

import pytest

from roost.model.errors import Unavailable
from roost.model.ids import NodeId
from roost.model.limits import HANDSHAKES_MAX
from roost.runtime.network import tcp
from roost.runtime.network.interfaces import Endpoint
from roost.runtime.network.tcp import Streams
from roost.runtime.trust.certificates import Certificates
from roost.wire.trust.cluster_keys import Keyring
from tests.runtime.driving import until
from tests.runtime.networking import new_keyring, run

ASH, ELM = NodeId("ash"), NodeId("elm")
RING = new_keyring()


class End:
    """One node's streams, and what came over them."""

    def __init__(self, node: NodeId, keyring: Keyring = RING) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.setblocking(False)
        self.endpoint: Endpoint = self.listening.getsockname()
        self.came: list[tuple[NodeId, bytes]] = []
        #: Addresses from which nodes of the cluster were heard.
        self.known: set[str] = set()
        certificates = Certificates(node, keyring)
        self.streams = Streams(
            self.listening, certificates, self.note, lambda *_: None, lambda host: host in self.known
        )

    def note(self, node: NodeId, message: bytes) -> None:
        self.came.append((node, message))


@asynccontextmanager
async def ends(*made: End) -> AsyncIterator[None]:
    for end in made:
        end.streams.start()
    try:
        yield
    finally:
        for end in made:
            await end.streams.close()
            end.listening.close()


def test_messages_of_any_size_come_in_order_with_the_name_that_was_proved() -> None:
    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        messages = [b"", b"x", bytes(3_000_000), b"last"]
        async with ends(ash, elm):
            for message in messages:
                ash.streams.send(ELM, elm.endpoint, message)
            await until(lambda: len(elm.came) == len(messages))
            assert elm.came == [(ASH, message) for message in messages]
            assert ash.streams.open_to() == (ELM,)

    run(scenario())


def test_a_stream_that_the_other_opened_serves_for_answers() -> None:
    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        async with ends(ash, elm):
            ash.streams.send(ELM, elm.endpoint, b"question")
            await until(lambda: elm.came)
            elm.streams.send(ASH, None, b"answer")
            await until(lambda: ash.came)
            assert ash.came == [(ELM, b"answer")]

    run(scenario())


def test_a_node_that_comes_back_is_reached_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "PAUSE_MIN_S", 0.01)

    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        async with ends(ash):
            async with ends(elm):
                ash.streams.send(ELM, elm.endpoint, b"one")
                await until(lambda: elm.came)
            await until(lambda: ash.streams.open_to() == ())
            ash.streams.send(ELM, elm.endpoint, b"lost")
            await until(lambda: "cannot be reached by TCP" in ash.streams.trouble.get(ELM, ""))
            again = End(ELM)
            async with ends(again):

                def arrived() -> bool:
                    ash.streams.send(ELM, again.endpoint, b"two")
                    return bool(again.came)

                await until(arrived)
                assert ash.streams.trouble == {}

    run(scenario())


def test_a_node_without_the_key_is_refused_whoever_calls() -> None:
    async def scenario() -> None:
        ash, stranger = End(ASH), End(ELM, new_keyring())
        async with ends(ash, stranger):
            stranger.streams.send(ASH, ash.endpoint, b"let me in")
            ash.streams.send(ELM, stranger.endpoint, b"who are you")
            await until(lambda: ash.streams.refused and ASH in stranger.streams.trouble)
            await until(lambda: "does not have the key" in ash.streams.trouble.get(ELM, ""))
            assert (ash.came, stranger.came) == ([], [])

    run(scenario())


def test_another_node_at_the_address_gets_nothing() -> None:
    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        async with ends(ash, elm):
            ash.streams.send(NodeId("oak"), elm.endpoint, b"for oak")
            await until(lambda: "another node answers there" in ash.streams.trouble.get(NodeId("oak"), ""))
            assert elm.came == []
            assert ash.streams.lost == 1

    run(scenario())


def test_a_slow_node_costs_its_own_queue_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "STREAM_QUEUE_BYTES_MAX", 100_000)

    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            async with ends(ash, elm):
                for _ in range(10):
                    ash.streams.send(NodeId("oak"), silent.getsockname(), bytes(30_000))
                assert ash.streams.lost == 7
                ash.streams.send(ELM, elm.endpoint, b"not held up")
                await until(lambda: elm.came)

    run(scenario())


def test_strangers_who_only_hold_connections_do_not_keep_nodes_out() -> None:
    """A newcomer takes the place of whoever has waited longest, so that one try is enough."""

    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        async with ends(ash, elm):
            silent = [socket.create_connection(elm.endpoint) for _ in range(2 * HANDSHAKES_MAX)]
            await until(lambda: elm.streams._strangers.shown_out >= HANDSHAKES_MAX)
            assert len(elm.streams._strangers) == HANDSHAKES_MAX
            ash.streams.send(ELM, elm.endpoint, b"here")
            await until(lambda: elm.came)
            assert silent[0].recv(1) == b"", "the first were shown out"
            for connection in silent:
                connection.close()

    run(scenario())


def test_addresses_of_the_cluster_have_places_of_their_own() -> None:
    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        async with ends(ash, elm):
            silent = [socket.create_connection(elm.endpoint) for _ in range(HANDSHAKES_MAX)]
            await until(lambda: len(elm.streams._strangers) == HANDSHAKES_MAX)
            elm.known.add("127.0.0.1")
            ash.streams.send(ELM, elm.endpoint, b"here")
            await until(lambda: elm.came)
            assert elm.streams._strangers.shown_out == 0
            for connection in silent:
                connection.close()

    run(scenario())


def test_bytes_that_are_no_frame_end_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        async with ends(ash, elm):
            monkeypatch.setattr(tcp, "frame", lambda message: message)
            ash.streams.send(ELM, elm.endpoint, b"\xff" * 8)
            await until(lambda: ash.streams.open_to() == (ELM,))
            await until(lambda: ash.streams.open_to() == ())
            assert elm.came == []

    run(scenario())


def test_an_unused_stream_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "IDLE_S", 0.05)

    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        async with ends(ash, elm):
            ash.streams.send(ELM, elm.endpoint, b"one")
            await until(lambda: elm.came)
            await until(lambda: ash.streams.open_to() == () and elm.streams.open_to() == ())

    run(scenario())


def test_after_a_change_of_keys_only_those_who_have_it_connect() -> None:
    async def scenario() -> None:
        ash, elm, oak = End(ASH), End(ELM), End(NodeId("oak"))
        async with ends(ash, elm, oak):
            elm.streams.send(ASH, ash.endpoint, b"before")
            await until(lambda: len(ash.came) == 1)
            changed = RING.replaced(b"x" * 32)
            for end, name in ((ash, "ash"), (elm, "elm")):
                end.streams.use(Certificates(NodeId(name), changed))
                end.streams.end_all()
            await until(lambda: not ash.streams.open_to() and not elm.streams.open_to())
            elm.streams.send(ASH, ash.endpoint, b"after")
            oak.streams.send(ASH, ash.endpoint, b"who am I")
            await until(lambda: len(ash.came) == 2 and oak.streams.trouble)
            assert [message for _, message in ash.came] == [b"before", b"after"]

    run(scenario())


class Unusable(Certificates):
    """Certificates of a node that can make none, as with too many open files."""

    @cached_property
    def server_context(self) -> ssl.SSLContext:
        raise Unavailable("too many open files")

    @cached_property
    def client_context(self) -> ssl.SSLContext:
        raise Unavailable("too many open files")


def test_a_node_that_can_make_no_certificate_says_so_and_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tcp, "PAUSE_MIN_S", 0.0)

    async def scenario() -> None:
        ash, elm = End(ASH), End(ELM)
        ash.streams.use(Unusable(ASH, RING))
        async with ends(ash, elm):
            ash.streams.prepare()
            ash.streams.send(ELM, elm.endpoint, b"lost")
            elm.streams.send(ASH, ash.endpoint, b"lost")
            await until(lambda: ash.streams.trouble and ash.streams.refused and ASH in elm.streams.trouble)
            assert ash.streams.trouble[ELM].endswith("cannot be reached by TCP: too many open files")
            ash.streams.use(Certificates(ASH, RING))
            await until(lambda: ash.streams.send(ELM, elm.endpoint, b"heard") or elm.came)
            assert (ASH, b"heard") in elm.came

    run(scenario())
