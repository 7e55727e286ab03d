"""Content streams: TLS connections of their own for what is on nodes' disks, so that no heartbeat waits behind it.

Rules
- They come to the same port as the streams of messages and prove the same certificates; TLS says which kind one is.
- A stream is opened by whoever asks something, and kept while it is used. One that the other node opened serves as
  well, so that only one of the two has to be reachable.
- Questions on one stream are answered one after the other. The next part is read while the one before it leaves, and
  no more than that: who reads slowly is written to slowly.
- A node that sends nothing for STALL_S while it is asked, or takes nothing for so long while it is answered, is broken
  off; so is one that says what means nothing, asks too much at a time, or sends what nobody asked for.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final, cast

from roost.model.errors import PeerError, Unavailable, Unreachable
from roost.model.ids import NodeId
from roost.model.limits import CONTENT_CHUNK_BYTES, CONTENT_QUESTIONS_MAX, CONTENT_STREAMS_MAX
from roost.runtime.network.interfaces import Endpoint, format_endpoint
from roost.runtime.network.tcp import CONNECT_S, IDLE_S, notice_silence, proved_name, reason_of
from roost.runtime.trust.certificates import Certificates
from roost.wire.content import (
    LENGTH_BYTES,
    ContentQuestion,
    Given,
    GivenHead,
    head_length,
    open_head,
    pack_head,
)

#: How long nothing may come, or leave, while something should.
STALL_S: Final = 10.0

#: Answers what another node asks for.
Give = Callable[[NodeId, ContentQuestion], Awaitable[Given]]
#: Tells where a node is; None if nobody knows.
Whereabouts = Callable[[NodeId], Endpoint | None]


class ContentStreams:
    """Make one, ``start`` it inside a running loop, ``close`` it."""

    def __init__(self, certificates: Certificates, endpoint: Whereabouts, give: Give) -> None:
        self._certificates = certificates
        self._endpoint = endpoint
        self.give = give
        self._streams: set[_ContentStream] = set()
        self._opening: dict[NodeId, asyncio.Task[_ContentStream]] = {}
        self._sweeper: asyncio.TimerHandle | None = None

    def use(self, certificates: Certificates) -> None:
        """Prove and verify with these from now on; streams that are open stay so."""
        self._certificates = certificates

    def start(self) -> None:
        self._sweep()

    async def close(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        opening = list(self._opening.values())
        for task in opening:
            task.cancel()
        await asyncio.gather(*opening, return_exceptions=True)
        self.end_all()

    def end_all(self) -> None:
        """Break all streams off: their keys do not count any more, or this machine moved."""
        for stream in list(self._streams):
            stream.abort()

    def admit(self, node: NodeId, transport: asyncio.Transport) -> None:
        """Take over a connection whose other end has proved to be this node."""
        if len(self._streams) >= CONTENT_STREAMS_MAX:
            transport.abort()
            return
        stream = _ContentStream(self, None, node)
        transport.set_protocol(stream)
        stream.connection_made(transport)

    async def ask(self, node: NodeId, question: ContentQuestion) -> Given:
        """Return the answer of a node. Raise Unavailable if none can be had."""
        stream = self._to(node)
        if stream is None:
            stream = await self.open(node)
        return await stream.ask(question)

    async def open(self, node: NodeId) -> "_ContentStream":
        """Open a stream to a node, once for all who want it. Raise Unreachable if that cannot be done."""
        opening = self._opening.get(node)
        if opening is None:
            opening = self._opening[node] = asyncio.create_task(self._open(node))
            opening.add_done_callback(lambda ended: self._opened(node, ended))
        return await asyncio.shield(opening)

    def _opened(self, node: NodeId, ended: "asyncio.Task[_ContentStream]") -> None:
        del self._opening[node]
        if not ended.cancelled():
            # Those who wait are told; if nobody does any more, that is no error of the node's.
            ended.exception()

    async def _open(self, node: NodeId) -> "_ContentStream":
        endpoint = self._endpoint(node)
        if endpoint is None:
            raise Unreachable(f"nobody knows where {node} is")
        where = format_endpoint(endpoint)
        try:
            async with asyncio.timeout(CONNECT_S):
                _, stream = await asyncio.get_running_loop().create_connection(
                    lambda: _ContentStream(self, node, None),
                    *endpoint,
                    ssl=self._certificates.content_context,
                    server_hostname="",
                    ssl_handshake_timeout=CONNECT_S,
                )
        except OSError as error:  # Timeouts and TLS's refusals are among them.
            raise Unreachable(f"{where} cannot be reached by TCP: {reason_of(error)}") from error
        if stream.node is None:
            raise Unreachable(f"{where} cannot be reached by TCP: another node answers there")
        return stream

    def _to(self, node: NodeId) -> "_ContentStream | None":
        return next((stream for stream in self._streams if stream.node == node), None)

    def _sweep(self) -> None:
        """Close what was not used for long."""
        now = time.monotonic()
        for stream in list(self._streams):
            if now - stream.used_at > IDLE_S:
                stream.abort()
        self._sweeper = asyncio.get_running_loop().call_later(IDLE_S / 4, self._sweep)

    # Told by the streams.

    def begun(self, stream: "_ContentStream") -> None:
        self._streams.add(stream)

    def ended(self, stream: "_ContentStream") -> None:
        self._streams.discard(stream)


class _ContentStream(asyncio.BufferedProtocol):
    """One connection, from the proved certificate to its end. What comes is read to where it stays."""

    def __init__(self, streams: ContentStreams, wanted: NodeId | None, node: NodeId | None) -> None:
        """``wanted`` is whom we called; ``node`` who called us, and has proved it."""
        self._streams = streams
        self._wanted = wanted
        self.node = node
        self.used_at = time.monotonic()
        self._transport: asyncio.Transport | None = None
        #: What is being read: the length of a head, a head, or what belongs to the head that was read last.
        self._room = bytearray(LENGTH_BYTES)
        self._filled = 0
        self._take: Callable[[bytearray], None] = self._take_length
        self._given: GivenHead | None = None
        #: Whoever waits for answers, in their order.
        self._answers: deque[asyncio.Future[Given]] = deque()
        self._questions: deque[ContentQuestion] = deque()
        self._answering: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()

    async def ask(self, question: ContentQuestion) -> Given:
        """Return the answer. Raise Unavailable if the stream ends, or stalls, before it is here."""
        if self._transport is None or len(self._answers) >= CONTENT_QUESTIONS_MAX:
            raise Unavailable(f"{self.node} cannot be asked for content now")
        if not self._answers:
            self.used_at = time.monotonic()
        answer: asyncio.Future[Given] = asyncio.get_running_loop().create_future()
        self._answers.append(answer)
        self._transport.write(pack_head(question))
        try:
            while not answer.done():
                await asyncio.wait((answer,), timeout=STALL_S)
                if not answer.done() and time.monotonic() - self.used_at >= STALL_S:
                    self.abort()
            return answer.result()
        finally:
            answer.cancel()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()
            self._end()

    def _end(self) -> None:
        self._transport = None
        self._streams.ended(self)
        if self._answering is not None:
            self._answering.cancel()
        for answer in self._answers:
            if not answer.done():
                answer.set_exception(Unavailable(f"the stream to {self.node} broke off"))
        self._answers.clear()

    # Told by the loop.

    def connection_made(self, plain: asyncio.BaseTransport) -> None:
        # uvloop's transports do all that is asked of one, and are of no class that says so.
        transport = cast("asyncio.Transport", plain)
        node = self.node or proved_name(transport)
        if node is None or self._wanted not in (None, node):
            self.node = None
            transport.abort()
            return
        notice_silence(transport)
        transport.set_write_buffer_limits(high=CONTENT_CHUNK_BYTES)
        self.node = node
        self._transport = transport
        self._streams.begun(self)

    def connection_lost(self, _exc: Exception | None) -> None:
        if self._transport is not None:
            self._end()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def get_buffer(self, _sizehint: int) -> memoryview:
        return memoryview(self._room)[self._filled :]

    def buffer_updated(self, count: int) -> None:
        self.used_at = time.monotonic()
        # What still comes after the end is read over and over, to nowhere.
        self._filled = 0 if self._transport is None else self._filled + count
        if self._filled < len(self._room):
            return
        try:
            self._take(self._room)
        except PeerError:
            self.abort()

    def _expect(self, length: int, take: Callable[[bytearray], None]) -> None:
        self._room, self._filled, self._take = bytearray(length), 0, take

    def _take_length(self, data: bytearray) -> None:
        self._expect(head_length(data), self._take_head)

    def _take_head(self, data: bytearray) -> None:
        head = open_head(data)
        self._expect(LENGTH_BYTES, self._take_length)
        if not isinstance(head, GivenHead):
            self._asked(head)
        elif not self._answers:
            raise PeerError("an answer came to what was not asked")
        elif head.length:
            self._given = head
            self._expect(head.length, self._take_body)
        else:
            self._answered(Given(head.size))

    def _take_body(self, data: bytearray) -> None:
        assert self._given is not None, "a head comes before its body"
        self._expect(LENGTH_BYTES, self._take_length)
        self._answered(Given(self._given.size, data))

    def _answered(self, given: Given) -> None:
        answer = self._answers.popleft()
        if not answer.done():
            answer.set_result(given)

    # Answering.

    def _asked(self, question: ContentQuestion) -> None:
        if len(self._questions) >= CONTENT_QUESTIONS_MAX:
            raise PeerError("too much is asked at a time")
        self._questions.append(question)
        if self._answering is None:
            self._answering = asyncio.get_running_loop().create_task(self._answer_all())

    async def _answer_all(self) -> None:
        assert self.node is not None, "only a proved node is heard"
        while self._questions and self._transport is not None:
            given = await self._streams.give(self.node, self._questions[0])
            try:
                async with asyncio.timeout(STALL_S):
                    await self._writable.wait()
            except TimeoutError:
                self._answering = None
                self.abort()
                return
            self.used_at = time.monotonic()
            self._transport.writelines((pack_head(GivenHead(given.size, len(given.body))), given.body))
            self._questions.popleft()
        self._answering = None
