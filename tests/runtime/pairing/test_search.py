"""Invitations are found over real broadcast and multicast, on loopback and wherever else this machine has a network."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from ipaddress import IPv4Network
from typing import cast

import pytest

from roost.runtime.network.interfaces import Interface, interfaces
from roost.runtime.pairing import search
from roost.runtime.pairing.search import Responder, find_inviters

PATIENCE_S = 20.0
HERE = IPv4Network("127.0.0.0/8")


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def with_responders(
    act: Callable[[int], Awaitable[list[tuple[str, int]]]], *invitations: tuple[int, int]
) -> list[tuple[str, int]]:
    async def scenario() -> list[tuple[str, int]]:
        search_port = free_port()
        responders = [Responder(*invitation) for invitation in invitations]
        try:
            for responder in responders:
                await responder.listen(search_port)
            async with asyncio.timeout(PATIENCE_S):
                return await act(search_port)
        finally:
            for responder in responders:
                responder.close()

    return asyncio.run(scenario())


async def find_number(number: int, search_port: int) -> list[tuple[str, int]]:
    return await find_inviters(number, port=search_port, patience_s=PATIENCE_S)


def only(monkeypatch: pytest.MonkeyPatch, address: str, broadcast: str) -> None:
    monkeypatch.setattr(search, "interfaces", lambda: [Interface("net0", address, broadcast, HERE)])


def test_an_invitation_is_found_on_every_network_of_this_machine() -> None:
    found = with_responders(partial(find_number, 4821), (4821, 5000))
    assert ("127.0.0.1", 5000) in found
    assert {host for host, _ in found} <= {interface.address for interface in interfaces()}
    assert {port for _, port in found} == {5000}


@pytest.mark.parametrize("broadcast", ["127.255.255.255", "127.0.0.1"])
def test_broadcast_alone_finds_it(monkeypatch: pytest.MonkeyPatch, broadcast: str) -> None:
    only(monkeypatch, "127.0.0.1", broadcast)
    monkeypatch.setattr(search, "SEARCH_GROUP", "127.0.0.99")
    found = with_responders(partial(find_number, 4821), (4821, 5000))
    assert found == [("127.0.0.1", 5000)]


def test_multicast_alone_finds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "127.0.0.1", "127.0.0.99")
    found = with_responders(partial(find_number, 4821), (4821, 5000))
    assert found == [("127.0.0.1", 5000)]


def test_broadcast_on_a_real_interface_finds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = [interface for interface in interfaces() if not interface.address.startswith("127.")]
    if not real:
        pytest.skip("this machine has no network but its loopback")
    only(monkeypatch, real[0].address, real[0].broadcast)
    found = with_responders(partial(find_number, 4821), (4821, 5000))
    assert found == [(real[0].address, 5000)]


def test_two_invitations_of_one_machine_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "127.0.0.1", "127.255.255.255")
    for number, port in [(4821, 5000), (4822, 5001)]:
        asking = partial(find_number, number)
        found = with_responders(asking, (4821, 5000), (4822, 5001))
        assert found == [("127.0.0.1", port)]


def test_nobody_answers_for_an_invitation_that_nobody_holds() -> None:
    assert with_responders(lambda port: find_inviters(4821, port=port, patience_s=0.5), (4822, 5000)) == []


async def answers_to(search_port: int, *questions: bytes) -> list[tuple[str, int]]:
    """Return who answered; the last question is a good one, so that its answer tells that all were read."""
    loop = asyncio.get_running_loop()
    answers: list[tuple[str, int]] = []
    done = asyncio.Event()

    class Listener(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
            answers.append((data.decode(), addr[1]))
            done.set()

    transport, _ = await loop.create_datagram_endpoint(Listener, remote_addr=("127.0.0.1", search_port))
    for question in questions:
        transport.sendto(question)
    await done.wait()
    transport.close()
    return answers


def test_only_the_question_is_answered_and_the_answer_is_not_longer_than_it() -> None:
    question = b"roost: who holds invitation 4821?"
    noise = [
        b"",
        b"\xff" * 2000,
        b"roost: who holds invitation 99999?",
        b"roost: who holds invitation 4821? ",
        question,
    ]
    [(answer, _)] = with_responders(lambda port: answers_to(port, *noise), (4821, 65_535))
    assert answer == "roost: 4821 at 65535"
    assert len(answer) <= len(question)


def test_false_answers_are_ignored_and_their_number_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "127.0.0.1", "127.0.0.1")
    said = [
        b"\xff",
        b"roost: 4822 at 5000",
        b"roost: 4821 at 99999",
        b"roost: 4821 at 0",
        b"roost: 4821 at 7; rm -rf /",
    ]

    async def scenario() -> list[tuple[str, int]]:
        class Liar(asyncio.DatagramProtocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                self.transport = cast(asyncio.DatagramTransport, transport)

            def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
                for answer in (*said, *(b"roost: 4821 at %d" % port for port in range(1, 40))):
                    self.transport.sendto(answer, addr)

        loop = asyncio.get_running_loop()
        liar, _ = await loop.create_datagram_endpoint(Liar, local_addr=("127.0.0.1", 0))
        try:
            port = liar.get_extra_info("sockname")[1]
            return await find_inviters(4821, port=port, patience_s=PATIENCE_S)
        finally:
            liar.close()

    assert asyncio.run(scenario()) == [("127.0.0.1", port) for port in range(1, 17)]


def test_a_port_that_another_program_holds_alone_is_an_error() -> None:
    async def scenario(port: int) -> None:
        await Responder(4821, 5000).listen(port)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("", 0))
        with pytest.raises(OSError, match="in use"):
            asyncio.run(scenario(other.getsockname()[1]))
