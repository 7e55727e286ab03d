"""Real datagrams on this machine's own networks."""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

from roost.runtime.network import udp
from roost.runtime.network.interfaces import Endpoint, Interface, interfaces
from roost.runtime.network.own_port import OwnPort
from roost.runtime.network.udp import DRAIN_MAX, MESH_GROUP, Cast, Datagrams
from tests.runtime.driving import until
from tests.runtime.networking import run, some_port

Came = list[tuple[bytes, Endpoint, Cast]]


class Ear(Datagrams):
    """Notes what comes."""

    def __init__(self, meeting_port: int) -> None:
        self.port = OwnPort.bind(meeting_port)
        self.came: Came = []
        super().__init__(self.port, meeting_port)

    def note(self, datagram: bytes, source: Endpoint, cast: Cast) -> None:
        self.came.append((datagram, source, cast))

    def heard(self, cast: Cast) -> set[bytes]:
        return {datagram for datagram, _, by in self.came if by is cast}


@asynccontextmanager
async def ears(count: int, meeting_port: int | None = None) -> AsyncIterator[list[Ear]]:
    port = some_port() if meeting_port is None else meeting_port
    made = [Ear(port) for _ in range(count)]
    for ear in made:
        ear.start(ear.note)
    try:
        yield made
    finally:
        for ear in made:
            ear.close()
            ear.port.close()


def test_words_to_all_reach_every_node_of_this_machine_by_both_ways() -> None:
    async def scenario() -> None:
        async with ears(3) as (speaker, *others):
            speaker.send_to_all(b"hello")
            everybody = [speaker, *others]
            await until(lambda: all(ear.heard(cast) for ear in everybody for cast in (Cast.MULTICAST, Cast.BROADCAST)))
            for ear in everybody:
                assert ear.heard(Cast.UNICAST) == set()
                assert {source[1] for _, source, _ in ear.came} == {speaker.port.number}
            assert speaker.trouble == {}

    run(scenario())


def test_an_answer_to_where_a_datagram_came_from_finds_its_sender() -> None:
    async def scenario() -> None:
        async with ears(2) as (one, other):
            one.send_to_all(b"who is there?")
            await until(lambda: other.came)
            other.send(b"I am", other.came[0][1])
            await until(lambda: one.heard(Cast.UNICAST))
            assert one.heard(Cast.UNICAST) == {b"I am"}

    run(scenario())


def test_what_is_sent_to_the_meeting_port_of_one_machine_is_unicast() -> None:
    async def scenario() -> None:
        port = some_port()
        async with ears(1, port) as (ear,):
            ear.send(b"to you", ("127.0.0.1", port))
            await until(lambda: ear.came)
            assert ear.heard(Cast.UNICAST) == {b"to you"}

    run(scenario())


def test_a_flood_does_not_keep_the_loop_from_other_work() -> None:
    async def scenario() -> None:
        async with ears(1) as (ear,):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as flood:
                for _ in range(20 * DRAIN_MAX):
                    flood.sendto(os.urandom(100), ("127.0.0.1", ear.port.number))
            turns = [len(ear.came)]
            give_up = time.monotonic() + 20.0
            while len(ear.came) < 10 * DRAIN_MAX and time.monotonic() < give_up:
                await asyncio.sleep(0)
                turns.append(len(ear.came))
            steps = [after - before for before, after in pairwise(turns)]
            assert max(steps) == DRAIN_MAX

    run(scenario())


def test_what_has_come_in_can_be_heard_before_its_turn() -> None:
    async def scenario() -> None:
        async with ears(2) as (speaker, ear):
            speaker.send(b"to one", ("127.0.0.1", ear.port.number))
            speaker.send_to_all(b"to all")
            # Not a turn of the loop goes by.
            give_up = time.monotonic() + 20.0
            while len({datagram for datagram, _, _ in ear.came}) < 2 and time.monotonic() < give_up:
                ear.hear()
            assert ear.heard(Cast.UNICAST) == {b"to one"}
            assert ear.heard(Cast.MULTICAST) | ear.heard(Cast.BROADCAST) == {b"to all"}

    run(scenario())


def test_before_it_was_started_nothing_is_heard() -> None:
    ear = Ear(some_port())
    ear.send(b"to itself", ("127.0.0.1", ear.port.number))
    ear.hear()
    assert ear.came == []
    ear.port.close()


def test_a_port_that_another_program_has_is_told_and_unicast_goes_on() -> None:
    async def scenario() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("", 0))
            async with ears(2, taken.getsockname()[1]) as (one, other):
                assert "another program may have it" in one.trouble[Cast.MULTICAST]
                one.send_to_all(b"hello")
                assert one.trouble.keys() == {Cast.MULTICAST, Cast.BROADCAST}
                one.send(b"you", ("127.0.0.1", other.port.number))
                await until(lambda: other.came)

    run(scenario())


def test_a_network_that_comes_later_is_noticed_and_its_refusal_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with ears(1) as (ear,):
            assert not ear.look()
            known = interfaces()
            strange = Interface("eth9", "198.51.100.7", "198.51.100.255", known[0].network)
            monkeypatch.setattr(udp, "interfaces", lambda: [strange])
            assert ear.look()
            assert f"198.51.100.7 cannot join the group {MESH_GROUP}" in ear.trouble[Cast.MULTICAST]
            ear.send_to_all(b"hello")
            assert "eth9 (198.51.100.7) refuses it" in ear.trouble[Cast.MULTICAST]
            monkeypatch.undo()
            assert ear.look()
            ear.send_to_all(b"hello")
            assert ear.trouble == {}
            await until(lambda: ear.heard(Cast.MULTICAST))

    run(scenario())


def test_what_cannot_be_sent_is_lost_and_told_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with ears(1) as (ear,):
            ear.send(b"x", ("127.0.0.1", ear.port.number))
            assert ear.remarks() == []
            ear.send(bytes(70_000), ("127.0.0.1", 9))
            assert ear.remarks() == ["127.0.0.1 cannot be sent to: Message too long"]
            monkeypatch.setattr(udp, "RECENT_S", 0.0)
            assert ear.remarks() == []

    run(scenario())
