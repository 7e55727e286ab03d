"""The postman: it carries what the core says to other nodes, and brings what they say.

Rules
- What leaves in one turn of the loop for one receiver leaves together. Small messages go by datagram, large ones by
  stream; words to all go to all networks once, and once more to each node that does not hear those (address_book.py).
- One datagram is sealed once, by however many ways it goes; whoever gets it twice takes it once.
- What nodes ask and tell each other for people always goes by stream, which loses nothing while it holds; the core
  has no part in it.
- A hello to all also goes to the configured peers, and one goes to whatever address another way has found.
- Whatever comes in is taken if it is of the cluster, of this version, and for this node; all else is dropped. Nothing
  that anybody sends can raise an error here.
"""

import asyncio
from collections.abc import Callable

from roost.core.actions import Send
from roost.core.events import Heard
from roost.core.mesh.membership.membership import Membership
from roost.core.node import Node
from roost.model.errors import InvalidInput, PeerError
from roost.model.ids import NodeId
from roost.model.limits import SESSIONS_MAX
from roost.runtime.clock import Clock
from roost.runtime.network.address_book import AddressBook
from roost.runtime.network.envelopes import Packer
from roost.runtime.network.interfaces import Endpoint
from roost.runtime.network.peers import Peers
from roost.runtime.network.tcp import Streams
from roost.runtime.network.udp import Cast, Datagrams
from roost.runtime.network.ways import Ways
from roost.runtime.trust.key_keeper import KeyKeeper
from roost.wire.bounded import Bounded
from roost.wire.messages import MESH_VERSION, Ask, Envelope, Hello, Message, Told, open_envelope
from roost.wire.trust import liveness as sealed
from roost.wire.trust.key_words import KeyWord, is_key_word, open_key_word, pack_key_word
from roost.wire.trust.liveness import Sessions
from roost.wire.trust.sealing import Refusal, SessionId, claimed_name, claimed_session

Feed = Callable[[Heard], None]
#: Gets what other nodes ask and tell for people (runtime/far).
TakeQuestion = Callable[[NodeId, Ask | Told], None]


class Postman:
    """``send`` is for what the core says; ``on_datagram`` and ``on_frame`` are for the sockets."""

    def __init__(
        self,
        node: Node,
        members: Membership,
        feed: Feed,
        clock: Clock,
        sessions: Sessions,
        peers: Peers,
        questions: TakeQuestion,
    ) -> None:
        self._node = node
        self._members = members
        self._questions = questions
        self._feed = feed
        self._clock = clock
        self._sessions = sessions
        self._peers = peers
        self._packer = Packer(node.name)
        self._outbox: dict[NodeId | None, list[Message]] = {}
        #: The node of each session that was heard.
        self._names: Bounded[SessionId, NodeId] = Bounded(SESSIONS_MAX)
        #: Whether the core has said hello, and so wants to be met.
        self._greets = False
        self.book = AddressBook()
        self.ways = Ways()

    def connect(self, datagrams: Datagrams, streams: Streams, keys: KeyKeeper) -> None:
        """Begin to carry; the sockets must have been made to give what they get to this one."""
        self._datagrams = datagrams
        self._streams = streams
        self._keys = keys

    # Out.

    def send(self, said: Send) -> None:
        if not self._outbox:
            asyncio.get_running_loop().call_soon(self.carry)
        self._outbox.setdefault(said.to, []).append(said.message)

    def send_key_word(self, node: NodeId, word: KeyWord) -> None:
        """Keys travel by stream, whatever their size."""
        self._streams.send(node, self.endpoint(node), pack_key_word(word))

    def ask_or_tell(self, node: NodeId, message: Ask | Told) -> None:
        """Say something to a node by stream, at once."""
        now = self._clock.now()
        payload = self._packer.envelope(node, self._node.stamp_at(now), [message], now)
        self._streams.send(node, self.endpoint(node), payload)

    def greet(self, endpoint: Endpoint) -> None:
        """Say hello at an address where a node may be."""
        for payload in self._hellos():
            self._datagrams.send(self._sessions.wrap(payload), endpoint)

    def greet_all(self) -> None:
        """Say hello on all networks, and to the peers: there are new networks."""
        for payload in self._hellos():
            datagram = self._sessions.wrap(payload)
            self._datagrams.send_to_all(datagram)
            for endpoint in self._peers.found:
                self._datagrams.send(datagram, endpoint)

    def refresh_greeting(self) -> None:
        """Let new acquaintances get a hello with their first answer; now and then, so that its stamp is not old."""
        for payload in self._hellos():
            self._sessions.greet_with(payload)

    def _hellos(self) -> list[bytes]:
        """Return a hello with what the core says of itself now, if it has said one."""
        if not self._greets:
            return []
        now = self._clock.now()
        return self._packer.pack(None, self._node.stamp_at(now), [Hello(self._members.news)], now).small

    def carry(self) -> None:
        """Let everything leave that was said so far."""
        outbox, self._outbox = self._outbox, {}
        for receiver, messages in outbox.items():
            now = self._clock.now()
            packed = self._packer.pack(receiver, self._node.stamp_at(now), messages, now)
            if receiver is None:
                self._say_to_all(packed.small, packed.large, messages)
            else:
                self._say_to(receiver, packed.small, packed.large)

    def _say_to(self, node: NodeId, small: list[bytes], large: bytes | None) -> None:
        endpoint = self.endpoint(node)
        if endpoint is not None:
            for payload in small:
                self._datagrams.send(self._sessions.wrap(payload), endpoint)
        if large is not None:
            self._streams.send(node, endpoint, large)

    def _say_to_all(self, small: list[bytes], large: bytes | None, messages: list[Message]) -> None:
        others = self._node.peers.others
        places = [self.endpoint(node) for node in others if not self.book.hears_all(node)]
        if any(isinstance(message, Hello) for message in messages):
            self._greets = True
            self.refresh_greeting()
            places += self._peers.found
        for payload in small:
            datagram = self._sessions.wrap(payload)
            self._datagrams.send_to_all(datagram)
            for endpoint in dict.fromkeys(places):
                if endpoint is not None:
                    self._datagrams.send(datagram, endpoint)
        if large is not None:
            for node in others:
                self._streams.send(node, self.endpoint(node), large)

    def endpoint(self, node: NodeId) -> Endpoint | None:
        """Return where to speak to a node; None if nobody knows."""
        return self.book.endpoint(node, self._announced(node))

    def _announced(self, node: NodeId) -> str:
        member = self._members.member(node)
        return "" if member is None else member.news.address

    # In.

    def on_datagram(self, datagram: bytes, source: Endpoint, cast: Cast) -> None:
        session = claimed_session(datagram)
        if session == self._sessions.session:
            return  # Our own words to all come back, from every network; no more work for them.
        seen_before, now = self._sessions.dropped[Refusal.REPLAYED], self._clock.now()
        for result in self._sessions.on_datagram(datagram, source, now):
            if isinstance(result, sealed.SealedAnswer):
                self._datagrams.send(result.datagram, _endpoint_of(result.address))
            else:
                self.ways.repetitions.taken(claimed_name(datagram), now)
                self._take_payload(result, cast)
        if self._sessions.dropped[Refusal.REPLAYED] != seen_before:
            self.ways.repetitions.again(claimed_name(datagram), len(self._datagrams.interfaces), now)
            self._seen_again(session, source, cast)

    def on_frame(self, node: NodeId, payload: bytes) -> None:
        if self._keys.is_kept_out(node):
            return
        if is_key_word(payload):
            self._take_key_word(node, payload)
            return
        envelope = self._opened(payload)
        if envelope is not None and envelope.sender == node:
            self._deliver(envelope)

    def _take_key_word(self, node: NodeId, payload: bytes) -> None:
        try:
            self._keys.told(node, open_key_word(payload), self._clock.now())
        except (PeerError, InvalidInput):
            self._sessions.dropped[Refusal.MALFORMED] += 1

    def _take_payload(self, delivered: sealed.Deliver, cast: Cast) -> None:
        source = _endpoint_of(delivered.source)
        envelope = self._opened(delivered.payload, source)
        if envelope is None:
            return
        sender, now = envelope.sender, self._clock.now()
        if sender == self._node.name:
            self.ways.namesake(source)
            return
        if self._keys.is_kept_out(sender):
            return
        self._keys.heard(sender, delivered.key, now)
        if self._names.get(delivered.session) is None:
            self._streams.prepare()
            self.ways.clock(sender, envelope.wall_ms / 1000 - now)
        self._names.put(delivered.session, sender)
        announced = self._announced(sender)
        by_hearsay = bool(announced) and self.book.seen(sender) is None
        self.ways.heard(cast, source, now, by_hearsay=by_hearsay)
        self.book.heard(sender, source, announced, now)
        if cast is not Cast.UNICAST:
            self.book.heard_in_common(sender)
        self._deliver(envelope)

    def _seen_again(self, session: SessionId, source: Endpoint, cast: Cast) -> None:
        """What was taken already came by another way as well, which therefore works."""
        node = self._names.get(session)
        if node is not None and cast is not Cast.UNICAST:
            self.ways.heard(cast, source, self._clock.now())
            self.book.heard_in_common(node)

    def _opened(self, payload: bytes, source: Endpoint | None = None) -> Envelope | None:
        try:
            envelope = open_envelope(payload)
        except PeerError:
            self._sessions.dropped[Refusal.MALFORMED] += 1
            return None
        if envelope.version != MESH_VERSION:
            if source is not None:
                self.ways.other_version(source)
            return None
        return envelope

    def _deliver(self, envelope: Envelope) -> None:
        if envelope.receiver in ("", self._node.name):
            for message in envelope.messages:
                if isinstance(message, Ask | Told):
                    self._questions(envelope.sender, message)
                else:
                    self._feed(Heard(envelope.sender, envelope.sent, message, envelope.wall_ms))


def _endpoint_of(address: sealed.Address) -> Endpoint:
    return str(address[0]), int(address[1])
