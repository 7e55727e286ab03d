"""Messages between postmen over real sockets; the cores behind them are only looked at."""

import secrets
import socket
from functools import partial
from pathlib import Path

from roost.core.actions import Send
from roost.core.events import Heard
from roost.core.telling.network_views import Way
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, NodeId, TaskId
from roost.runtime.network.interfaces import interfaces, main_address, parse_endpoint
from roost.runtime.network.mesh_settings import MeshSettings
from roost.wire.messages import (
    MESH_VERSION,
    Ask,
    Envelope,
    Facts,
    Hello,
    Kept,
    Members,
    News,
    Standing,
    StoryOf,
    Told,
    pack_envelope,
)
from roost.wire.trust.liveness import Sessions
from roost.wire.trust.sealing import SESSION_BYTES, Refusal, SessionId
from tests.runtime.driving import until
from tests.runtime.networking import Station, new_keyring, run, some_port, stations

ASH, ELM = NodeId("ash"), NodeId("elm")
LARGE = Facts(blobs=((BlobHash("0" * 32), bytes(50_000)),))


def hello(station: Station) -> Hello:
    return Hello(News(station.node.name, 1, 0, Standing.ALIVE, station.network.address))


async def introduce(*met: Station) -> None:
    """Let all say hello to all, as cores do, and believe it."""
    for station in met:
        station.network.send(Send(None, hello(station)))
    await until(lambda: all(len({heard.sender for heard in station.heard}) >= len(met) - 1 for station in met))
    for station in met:
        for other in met:
            if other is not station:
                station.node.handle(Heard(other.node.name, Stamp(1, 0, other.node.name), hello(other)), 1.0)
        station.heard.clear()


def test_a_hello_reaches_strangers_and_small_words_go_both_ways(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash", "elm") as (ash, elm):
            await introduce(ash, elm)
            ash.network.send(Send(ELM, Kept(7)))
            await until(lambda: Kept(7) in elm.messages())
            elm.network.send(Send(ASH, Kept(8)))
            await until(lambda: Kept(8) in ash.messages())
            assert {heard.sender for heard in elm.heard} == {ASH}

    run(scenario())


def test_messages_of_one_turn_leave_in_one_datagram(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash", "elm") as (ash, elm):
            await introduce(ash, elm)
            for number in range(10):
                ash.network.send(Send(ELM, Kept(number)))
            await until(lambda: len(elm.heard) == 10)
            assert elm.messages() == [Kept(number) for number in range(10)]
            assert len({heard.sent for heard in elm.heard}) == 1, "one envelope has one stamp"

    run(scenario())


def test_large_words_go_by_stream_to_one_and_to_each(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash", "elm", "oak") as (ash, elm, oak):
            await introduce(ash, elm, oak)
            ash.network.send(Send(ELM, LARGE))
            await until(lambda: LARGE in elm.messages())
            ash.network.send(Send(None, LARGE))
            await until(lambda: LARGE in oak.messages() and elm.messages().count(LARGE) == 2)
            assert oak.messages().count(LARGE) == 1

    run(scenario())


def test_words_to_all_come_once_however_many_ways_they_took(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash", "elm") as (ash, elm):
            await introduce(ash, elm)
            for number in range(5):
                ash.network.send(Send(None, Kept(number)))
                await until(partial(elm.has_heard, Kept(number)))
            works = {way.way: way.works for way in elm.network.report().ways}
            assert works[Way.MULTICAST]
            assert works[Way.BROADCAST]
            assert elm.messages() == [Kept(number) for number in range(5)]

    run(scenario())


def test_another_cluster_hears_nothing_and_knows_why(tmp_path: Path) -> None:
    async def scenario() -> None:
        settings = MeshSettings(some_port())
        async with (
            stations(tmp_path / "ours", "ash", "elm", settings=settings) as (ash, elm),
            stations(tmp_path / "theirs", "oak", settings=settings) as (oak,),
        ):
            await introduce(ash, elm)
            oak.network.send(Send(None, hello(oak)))
            await until(lambda: any("another cluster" in line for line in oak.network.report().remarks))
            await until(lambda: any("another cluster" in line for line in ash.network.report().remarks))
            assert oak.heard == []

    run(scenario())


def test_peers_are_greeted_where_nothing_reaches_all(tmp_path: Path) -> None:
    async def scenario() -> None:
        keyring, port, here = new_keyring(), some_port(), main_address(interfaces())
        async with (
            stations(tmp_path, "ash", keyring=keyring, settings=MeshSettings(port)) as (ash,),
            stations(tmp_path, "elm", keyring=keyring, settings=MeshSettings(some_port(), ((here, port),))) as (elm,),
        ):
            elm.network.send(Send(None, hello(elm)))
            await until(lambda: hello(elm) in ash.messages())
            ash.node.handle(Heard(ELM, Stamp(1, 0, ELM), hello(elm)), 1.0)
            ash.network.send(Send(ELM, Members(())))
            await until(lambda: Members(()) in elm.messages())
            assert {way.way for way in elm.network.report().ways if way.works} == {Way.PEERS}
            ash.network.send(Send(None, Kept(1)))
            await until(lambda: Kept(1) in elm.messages())

    run(scenario())


class Member:
    """Somebody who has the key, and may say what is wrong."""

    def __init__(self, station: Station) -> None:
        target = parse_endpoint(station.network.address)
        assert target is not None
        self._target = ("127.0.0.1", target[1])
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.setblocking(False)
        keys = station.network._keyring.keys
        self._sessions = Sessions(keys, SessionId(secrets.token_bytes(SESSION_BYTES)), secrets.token_bytes(32))

    def say(self, payload: bytes) -> None:
        """Send, and answer challenges that have come meanwhile."""
        self._socket.sendto(self._sessions.wrap(payload), self._target)
        try:
            while True:
                datagram, source = self._socket.recvfrom(65_536)
                for answer in self._sessions.on_datagram(datagram, source, 0.0):
                    self._socket.sendto(answer[0], source)
        except BlockingIOError:
            return

    def close(self) -> None:
        self._socket.close()


def letter(version: int = MESH_VERSION, sender: str = "elm", receiver: str = "", number: int = 1) -> bytes:
    sent = Stamp(1, 0, NodeId(sender))
    return pack_envelope(Envelope(version, NodeId(sender), NodeId(receiver), sent, (Kept(number),)))


def test_what_has_no_meaning_or_is_for_another_is_dropped_and_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash") as (ash,):
            member = Member(ash)
            dropped = ash.network._sessions.dropped

            def heard_after(payload: bytes) -> bool:
                member.say(payload)
                member.say(letter(number=99))
                return ash.has_heard(Kept(99))

            for payload in (b"nonsense", letter(2**40), letter(receiver="oak"), letter(sender="ash")):
                ash.heard.clear()
                await until(partial(heard_after, payload))
            assert Kept(1) not in ash.messages()
            assert dropped[Refusal.MALFORMED]
            told = " ".join(ash.network.report().remarks)
            assert ash.network.report().namesake_at == "127.0.0.1"
            assert "another version" in told
            assert "the clock of elm is" in told, "its stamps are of 1970"
            member.close()

    run(scenario())


def test_questions_for_people_go_by_stream_and_past_the_core(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash", "elm") as (ash, elm):
            await introduce(ash, elm)
            question, answer = Ask(1, StoryOf(())), Told(1, reasons=((TaskId("1-bababa/a"), ("so " * 600_000,)),))
            ash.network.ask_or_tell(ELM, question)
            await until(lambda: elm.asked == [(ASH, question)])
            elm.network.ask_or_tell(ASH, answer)
            await until(lambda: ash.asked == [(ELM, answer)])
            assert not any(isinstance(message, Ask | Told) for message in (*ash.messages(), *elm.messages()))

    run(scenario())
