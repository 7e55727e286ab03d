"""Real TLS streams for content, on loopback, and peers that do what they should not."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from roost.model.errors import Unavailable, Unreachable
from roost.model.ids import NodeId, TaskId
from roost.model.limits import CONTENT_CHUNK_BYTES, CONTENT_QUESTIONS_MAX, CONTENT_STREAMS_MAX
from roost.runtime.network import content_streams
from roost.runtime.network.content_streams import ContentStreams
from roost.runtime.network.interfaces import Endpoint
from roost.runtime.network.tcp import Streams
from roost.runtime.trust.certificates import Certificates
from roost.wire.content import NOT_HERE, ChunkOf, ContentQuestion, Given, GivenHead, LogPart, pack_head
from roost.wire.trust.cluster_keys import Keyring
from tests.runtime.driving import until
from tests.runtime.networking import new_keyring, run

ASH, ELM = NodeId("ash"), NodeId("elm")
RING = new_keyring()
NAME = "ab" * 16
CHUNK = bytes(range(256)) * (CONTENT_CHUNK_BYTES // 256)


class End:
    """One node's streams of both kinds, and what others asked it for."""

    def __init__(self, node: NodeId, keyring: Keyring = RING) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.listening.setblocking(False)
        self.endpoint: Endpoint = self.listening.getsockname()
        self.places: dict[NodeId, Endpoint] = {}
        self.asked: list[tuple[NodeId, ContentQuestion]] = []
        self.messages: list[bytes] = []
        self.gate = asyncio.Event()
        self.gate.set()
        certificates = Certificates(node, keyring)
        self.content = ContentStreams(certificates, self.places.get, self.give)
        self.streams = Streams(
            self.listening, certificates, lambda _, message: self.messages.append(message), self.content.admit
        )

    async def give(self, node: NodeId, question: ContentQuestion) -> Given:
        self.asked.append((node, question))
        await self.gate.wait()
        match question:
            case ChunkOf(index=0):
                return Given(len(CHUNK), CHUNK)
            case LogPart(offset=offset):
                return Given(100, b"%d" % offset)
        return NOT_HERE


@asynccontextmanager
async def ends(*made: End) -> AsyncIterator[None]:
    for end in made:
        end.streams.start()
        end.content.start()
    try:
        yield
    finally:
        for end in made:
            await end.content.close()
            await end.streams.close()
            end.listening.close()


def pair() -> tuple[End, End]:
    ash, elm = End(ASH), End(ELM)
    ash.places[ELM] = elm.endpoint
    return ash, elm


def log(offset: int) -> LogPart:
    return LogPart(TaskId("1-bababa/a"), 0, "stdout", offset)


def play(act: Callable[[End, End], Awaitable[None]]) -> None:
    async def scenario() -> None:
        ash, elm = pair()
        async with ends(ash, elm):
            await act(ash, elm)

    run(scenario())


def test_questions_are_answered_in_their_order_with_the_name_that_was_proved() -> None:
    async def act(ash: End, elm: End) -> None:
        questions = [ChunkOf(NAME, 0), *(log(offset) for offset in range(20)), ChunkOf(NAME, 1), ChunkOf(NAME, 0)]
        answers = await asyncio.gather(*(ash.content.ask(ELM, question) for question in questions))
        assert answers[0] == answers[-1] == Given(len(CHUNK), CHUNK)
        assert answers[1:21] == [Given(100, b"%d" % offset) for offset in range(20)]
        assert answers[21] == NOT_HERE
        assert elm.asked == [(ASH, question) for question in questions]

    play(act)


def test_a_stream_that_the_other_opened_serves_as_well() -> None:
    async def act(ash: End, elm: End) -> None:
        with pytest.raises(Unreachable, match="nobody knows where ash is"):
            await elm.content.ask(ASH, log(1))
        await ash.content.open(ELM)
        await until(lambda: elm.content._streams)
        assert await elm.content.ask(ASH, log(2)) == Given(100, b"2")
        assert ash.asked == [(ELM, log(2))]

    play(act)


def test_messages_and_content_come_to_the_same_port_and_do_not_wait_for_each_other() -> None:
    async def act(ash: End, elm: End) -> None:
        elm.gate.clear()
        asking = asyncio.create_task(ash.content.ask(ELM, ChunkOf(NAME, 0)))
        await until(lambda: elm.asked)
        ash.streams.send(ELM, elm.endpoint, b"a heartbeat")
        await until(lambda: elm.messages == [b"a heartbeat"])
        assert not asking.done()
        elm.gate.set()
        assert await asking == Given(len(CHUNK), CHUNK)

    play(act)


def test_a_node_that_cannot_be_reached_or_is_another_is_told_of() -> None:
    async def act(ash: End, elm: End) -> None:
        ash.places[NodeId("oak")] = elm.endpoint
        with pytest.raises(Unreachable, match="another node answers there"):
            await ash.content.ask(NodeId("oak"), log(1))
        elm.listening.close()
        gone = socket.create_server(("127.0.0.1", 0))
        ash.places[NodeId("fir")] = gone.getsockname()
        gone.close()
        with pytest.raises(Unreachable, match="cannot be reached by TCP"):
            await ash.content.ask(NodeId("fir"), log(1))

    async def scenario() -> None:
        ash, elm = pair()
        async with ends(ash):
            elm.streams.start()
            await act(ash, elm)
            await elm.streams.close()
            await elm.content.close()

    run(scenario())


def test_a_stranger_gets_nothing() -> None:
    async def scenario() -> None:
        ash, stranger = End(ASH), End(ELM, new_keyring())
        stranger.places[ASH] = ash.endpoint
        async with ends(ash, stranger):
            with pytest.raises(Unavailable):
                await stranger.content.ask(ASH, log(1))
            assert ash.asked == []

    run(scenario())


def test_who_waits_for_an_answer_is_told_that_the_stream_broke_and_the_next_opens_another() -> None:
    async def act(ash: End, elm: End) -> None:
        elm.gate.clear()
        asking = asyncio.create_task(ash.content.ask(ELM, log(1)))
        await until(lambda: elm.asked)
        elm.content.end_all()
        with pytest.raises(Unavailable, match="the stream to elm broke off"):
            await asking
        elm.gate.set()
        assert await ash.content.ask(ELM, log(2)) == Given(100, b"2")

    play(act)


def test_a_node_that_stalls_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_streams, "STALL_S", 0.1)

    async def act(ash: End, elm: End) -> None:
        elm.gate.clear()
        with pytest.raises(Unavailable, match="broke off"):
            await ash.content.ask(ELM, log(1))

    play(act)


def test_an_answer_that_nobody_waits_for_any_more_is_thrown_away() -> None:
    async def act(ash: End, elm: End) -> None:
        elm.gate.clear()
        hasty = asyncio.create_task(ash.content.ask(ELM, ChunkOf(NAME, 0)))
        await until(lambda: elm.asked)
        hasty.cancel()
        patient = asyncio.create_task(ash.content.ask(ELM, log(7)))
        elm.gate.set()
        assert await patient == Given(100, b"7")

    play(act)


def test_more_streams_than_there_are_places_are_refused() -> None:
    async def act(ash: End, elm: End) -> None:
        for _ in range(CONTENT_STREAMS_MAX):
            await ash.content.open(ELM)
        await until(lambda: len(elm.content._streams) == CONTENT_STREAMS_MAX)
        await ash.content.open(ELM)
        await until(lambda: len(ash.content._streams) == CONTENT_STREAMS_MAX)
        assert len(elm.content._streams) == CONTENT_STREAMS_MAX

    play(act)


# A peer of the cluster that does not keep to the rules.


async def rude(elm: End, *said: bytes) -> bytes:
    """Say something as a node of the cluster, and return what comes until the stream ends."""
    context = Certificates(ASH, RING).content_context
    reader, writer = await asyncio.open_connection(*elm.endpoint, ssl=context, server_hostname="")
    for data in said:
        writer.write(data)
    try:
        return await asyncio.wait_for(reader.read(), 10)
    except (ConnectionError, ssl.SSLError):
        return b""
    finally:
        writer.transport.abort()


@pytest.mark.parametrize(
    "said",
    [
        b"\x00\x00",
        b"\xff\xff" + bytes(100),
        b"\x00\x05wrong",
        pack_head(GivenHead(5, 5)) + b"12345",
        pack_head(ChunkOf("../../../../etc/passwd____________", 0)),
    ],
    ids=["no head", "a long head", "no words", "an unasked answer", "no name"],
)
def test_who_says_what_means_nothing_is_broken_off(said: bytes) -> None:
    async def act(_: End, elm: End) -> None:
        assert await rude(elm, said) == b""
        assert elm.asked == []
        await until(lambda: not elm.content._streams)

    play(act)


def test_who_asks_too_much_at_a_time_is_broken_off() -> None:
    async def act(_: End, elm: End) -> None:
        elm.gate.clear()
        assert await rude(elm, pack_head(log(1)) * (CONTENT_QUESTIONS_MAX + 1)) == b""
        assert len(elm.asked) <= 1

    play(act)


def test_who_takes_nothing_is_broken_off_and_was_not_read_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_streams, "STALL_S", 0.2)

    async def act(_: End, elm: End) -> None:
        context = Certificates(ASH, RING).content_context
        reader, writer = await asyncio.open_connection(*elm.endpoint, ssl=context, server_hostname="")
        writer.transport.pause_reading()
        writer.write(pack_head(ChunkOf(NAME, 0)) * CONTENT_QUESTIONS_MAX)
        await until(lambda: elm.asked)
        await until(lambda: not elm.content._streams)
        assert len(elm.asked) < CONTENT_QUESTIONS_MAX, "what is not taken is not read from the disk"
        writer.transport.abort()
        del reader

    play(act)


def test_more_is_not_asked_than_the_other_answers_at_a_time() -> None:
    async def act(ash: End, elm: End) -> None:
        elm.gate.clear()
        stream = await ash.content.open(ELM)
        asking = [asyncio.create_task(stream.ask(log(offset))) for offset in range(CONTENT_QUESTIONS_MAX)]
        await until(lambda: elm.asked)
        with pytest.raises(Unavailable, match="cannot be asked for content now"):
            await stream.ask(log(0))
        elm.gate.set()
        assert len(await asyncio.gather(*asking)) == CONTENT_QUESTIONS_MAX

    play(act)
