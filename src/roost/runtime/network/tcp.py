"""Streams: TLS 1.3 connections between nodes, for what does not fit into a datagram.

Rules
- One stream to a node, opened when something is to be sent and kept while it is used. One that the other node opened
  serves as well, so that only one of the two has to be reachable.
- Sending never waits. What does not fit into the queue of a slow node, or is for one that cannot be reached, is lost;
  so is what was on its way when a stream breaks. Other nodes do not notice.
- A node that could not be reached is left alone for a while, longer each time.
- What is on disks goes over streams of its own (content_streams.py), which come to the same port.
- Whoever connects is a stranger until its certificate has proved the cluster; few strangers may try at a time, and one
  that only holds its place makes room for the next (waiting_room.py). Addresses from which nodes of the cluster were
  heard have places of their own.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from roost.model.errors import PeerError, Unavailable
from roost.model.ids import NodeId
from roost.model.limits import HANDSHAKES_MAX, STREAM_QUEUE_BYTES_MAX, STREAMS_MAX
from roost.runtime.network.interfaces import Endpoint, format_endpoint
from roost.runtime.network.waiting_room import WaitingRoom
from roost.runtime.trust.certificates import Certificates, peer_name
from roost.wire.content import CONTENT_PROTOCOL
from roost.wire.frames import FrameReader, frame

#: How long a stream may take to be ready.
CONNECT_S = 5.0
#: How long an unused stream is kept. Longer: fewer handshakes. Shorter: fewer open connections.
IDLE_S = 60.0
#: The pause after a failure, which doubles from the first to the second.
PAUSE_MIN_S = 0.2
PAUSE_MAX_S = 5.0
#: After this long without a sign of the other machine, the kernel gives a stream up.
SILENCE_MS = 10_000

#: Gets a message of another node, whose name its certificate has proved.
Take = Callable[[NodeId, bytes], None]
#: Tells whether a node of the cluster was heard from an address.
IsKnown = Callable[[str], bool]
#: Takes over a connection of another node that is meant for content.
Admit = Callable[[NodeId, asyncio.Transport], None]


class Streams:
    """Make one, ``start`` it inside a running loop, ``close`` it. The listening socket stays its maker's."""

    def __init__(
        self,
        listening: socket.socket,
        certificates: Certificates,
        take: Take,
        admit: Admit,
        is_known: IsKnown = lambda _: False,
    ) -> None:
        self._listening = listening
        self._certificates = certificates
        self._take = take
        self.admit = admit
        self._is_known = is_known
        self._peers: dict[NodeId, _Peer] = {}
        self._streams: set[_Stream] = set()
        self._strangers, self._acquaintances = WaitingRoom(HANDSHAKES_MAX), WaitingRoom(HANDSHAKES_MAX)
        self._tasks: set[asyncio.Task[None]] = set()
        self._sweeper: asyncio.TimerHandle | None = None
        #: Strangers who could not prove to be of this cluster, and messages that were not sent.
        self.refused = 0
        self.lost = 0
        #: Why a node cannot be reached, until it can be.
        self.trouble: dict[NodeId, str] = {}

    def use(self, certificates: Certificates) -> None:
        """Prove and verify with these from now on; streams that are open stay so."""
        self._certificates = certificates

    def prepare(self) -> None:
        """There is another node: load what streams need now, so that the first message to it does not wait for that."""
        with suppress(Unavailable):  # Whoever opens a stream finds out, too, and can say so.
            self._certificates.make_contexts()

    def end_all(self) -> None:
        """Close all streams when what was said has left: their keys do not count any more, or this machine moved."""
        for stream in list(self._streams):
            stream.close()
        for peer in self._peers.values():
            peer.stream = None

    def start(self) -> None:
        self._spawn(self._accept_all())
        self._sweep()

    async def close(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for stream in list(self._streams):
            stream.abort()

    def send(self, node: NodeId, endpoint: Endpoint | None, message: bytes) -> None:
        """Send a message to a node, which is at this address if it is known."""
        try:
            framed = frame(message)
        except PeerError:
            self.lost += 1
            return
        peer = self._peer(node)
        peer.used_at = time.monotonic()
        if peer.stream is not None and not peer.stream.leads_elsewhere(endpoint):
            self._write(peer.stream, framed)
        elif peer.has_room(framed) and (peer.connecting or (endpoint is not None and peer.may_try())):
            peer.enqueue(framed)
            if not peer.connecting and endpoint is not None:
                peer.connecting = True
                self._spawn(self._connect(peer, endpoint))
        else:
            self.lost += 1

    def open_to(self) -> tuple[NodeId, ...]:
        return tuple(node for node, peer in self._peers.items() if peer.stream is not None)

    def _peer(self, node: NodeId) -> "_Peer":
        if node not in self._peers:
            self._peers[node] = _Peer(node)
        return self._peers[node]

    def _write(self, stream: "_Stream", framed: bytes) -> None:
        waiting = stream.waiting()
        if waiting and waiting + len(framed) > STREAM_QUEUE_BYTES_MAX:
            self.lost += 1
        else:
            stream.write(framed)

    def _spawn(self, work: "asyncio._CoroutineLike[None]") -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _connect(self, peer: "_Peer", endpoint: Endpoint) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_S):
                _, stream = await loop.create_connection(
                    lambda: _Stream(self, peer.node, endpoint),
                    *endpoint,
                    ssl=self._certificates.client_context,
                    server_hostname="",
                    ssl_handshake_timeout=CONNECT_S,
                )
            if stream.node is None:
                self._failed(peer, endpoint, "another node answers there")
        except OSError as error:  # Timeouts and TLS's refusals are among them.
            self._failed(peer, endpoint, reason_of(error))
        except Unavailable as error:
            self._failed(peer, endpoint, str(error))
        finally:
            peer.connecting = False

    def _failed(self, peer: "_Peer", endpoint: Endpoint, reason: str) -> None:
        self.lost += peer.failed()
        self.trouble[peer.node] = f"{format_endpoint(endpoint)} cannot be reached by TCP: {reason}"

    async def _accept_all(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, (host, *_) = await loop.sock_accept(self._listening)
            except OSError:
                # The connection went away meanwhile, or there are too many open files; others may come.
                await asyncio.sleep(PAUSE_MIN_S)
                continue
            if len(self._streams) >= STREAMS_MAX:
                connection.close()
            else:
                self._let_in(connection, host)

    def _let_in(self, connection: socket.socket, host: str) -> None:
        greeting = self._spawn(self._greet(connection))
        room = self._acquaintances if self._is_known(host) else self._strangers
        seat = room.enter(host, greeting.cancel)

        def over(ended: asyncio.Task[None]) -> None:
            room.leave(seat)
            if ended.cancelled():
                # It may have been shown out before its turn came; then nobody else closes it.
                connection.close()

        greeting.add_done_callback(over)

    async def _greet(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.connect_accepted_socket(
                lambda: _Stream(self, None, None),
                connection,
                ssl=self._certificates.server_context,
                ssl_handshake_timeout=CONNECT_S,
            )
        except OSError:
            self.refused += 1
        except Unavailable:
            connection.close()
            self.refused += 1

    # Told by the streams.

    def opened(self, stream: "_Stream", node: NodeId) -> None:
        self._streams.add(stream)
        self.trouble.pop(node, None)
        peer = self._peer(node)
        peer.pause_s = PAUSE_MIN_S
        peer.used_at = time.monotonic()
        if peer.stream is None or stream.opened_here:
            peer.stream = stream
            for framed in peer.dequeue():
                self._write(stream, framed)

    def heard(self, node: NodeId, message: bytes) -> None:
        self._peer(node).used_at = time.monotonic()
        self._take(node, message)

    def ended(self, stream: "_Stream", node: NodeId) -> None:
        self._streams.discard(stream)
        peer = self._peers.get(node)
        if peer is not None and peer.stream is stream:
            others = (other for other in self._streams if other.node == node)
            peer.stream = next(others, None)

    def _sweep(self) -> None:
        """Close what was not used for long, and forget those to whom nothing leads."""
        now = time.monotonic()
        for stream in list(self._streams):
            if stream.node is None or now - self._peer(stream.node).used_at > IDLE_S:
                stream.close()
        idle = [peer for peer in self._peers.values() if peer.is_idle(now)]
        for peer in idle:
            del self._peers[peer.node]
            self.trouble.pop(peer.node, None)
        self._sweeper = asyncio.get_running_loop().call_later(IDLE_S / 4, self._sweep)


class _Peer:
    """Another node: the stream to it, or what waits for one."""

    def __init__(self, node: NodeId) -> None:
        self.node = node
        self.stream: _Stream | None = None
        self.connecting = False
        self.used_at = time.monotonic()
        self.pause_s = PAUSE_MIN_S
        self._try_at = 0.0
        self._queue: list[bytes] = []
        self._queued_bytes = 0

    def may_try(self) -> bool:
        return time.monotonic() >= self._try_at

    def has_room(self, framed: bytes) -> bool:
        return not self._queue or self._queued_bytes + len(framed) <= STREAM_QUEUE_BYTES_MAX

    def enqueue(self, framed: bytes) -> None:
        self._queue.append(framed)
        self._queued_bytes += len(framed)

    def dequeue(self) -> list[bytes]:
        queue, self._queue, self._queued_bytes = self._queue, [], 0
        return queue

    def failed(self) -> int:
        """It cannot be reached: drop what waits, and return how much that was."""
        self._try_at = time.monotonic() + self.pause_s
        self.pause_s = min(2 * self.pause_s, PAUSE_MAX_S)
        return len(self.dequeue())

    def is_idle(self, now: float) -> bool:
        return self.stream is None and not self.connecting and now - self.used_at > IDLE_S


class _Stream(asyncio.Protocol):
    """One connection, from the proved certificate to its end."""

    def __init__(self, streams: Streams, wanted: NodeId | None, endpoint: Endpoint | None) -> None:
        """``wanted`` is whom we called; None if we were called."""
        self._streams = streams
        self._wanted = wanted
        self._endpoint = endpoint
        self._frames = FrameReader()
        self._transport: asyncio.Transport | None = None
        self.node: NodeId | None = None

    @property
    def opened_here(self) -> bool:
        return self._wanted is not None

    def leads_elsewhere(self, endpoint: Endpoint | None) -> bool:
        """Whether the node has moved since this was opened."""
        return self._endpoint is not None and endpoint is not None and endpoint != self._endpoint

    def waiting(self) -> int:
        return 0 if self._transport is None else self._transport.get_write_buffer_size()

    def write(self, framed: bytes) -> None:
        if self._transport is not None:
            self._transport.write(framed)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # Told by the loop.

    def connection_made(self, plain: asyncio.BaseTransport) -> None:
        # uvloop's transports do all that is asked of one, and are of no class that says so.
        self._transport = transport = cast("asyncio.Transport", plain)
        node = proved_name(transport)
        if node is None or self._wanted not in (None, node):
            self._streams.refused += 1
            transport.abort()
            return
        if self._wanted is None and _is_for_content(transport):
            self._transport = None
            self._streams.admit(node, transport)
            return
        notice_silence(transport)
        self.node = node
        self._streams.opened(self, node)

    def data_received(self, data: bytes) -> None:
        if self.node is None:
            return
        try:
            messages = self._frames.feed(data)
        except PeerError:
            self.abort()
            return
        for message in messages:
            self._streams.heard(self.node, message)

    def connection_lost(self, _exc: Exception | None) -> None:
        self._transport = None
        if self.node is not None:
            self._streams.ended(self, self.node)


def proved_name(transport: asyncio.Transport) -> NodeId | None:
    """Return the name that the certificate at the other end proves; None if it names no node."""
    try:
        return peer_name(transport.get_extra_info("ssl_object"))
    except PeerError:
        return None


def _is_for_content(transport: asyncio.Transport) -> bool:
    proved: ssl.SSLObject = transport.get_extra_info("ssl_object")
    return proved.selected_alpn_protocol() == CONTENT_PROTOCOL


def notice_silence(transport: asyncio.Transport) -> None:
    """Let what is written leave at once, and the kernel give up a machine that is gone."""
    connection = transport.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENCE_MS)


def reason_of(error: OSError) -> str:
    """Return in words why a node cannot be reached."""
    if isinstance(error, TimeoutError):
        return "it does not answer; a firewall may drop it"
    if isinstance(error, ssl.SSLError):
        return "it does not have the key of this cluster"
    return error.strerror or str(error)
