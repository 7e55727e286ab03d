"""The network of one node, put together: its port, its datagrams and streams, the ways to find others, the postman.

Make one before the node: it says where the node can be reached, and whether the machine has another. ``attach`` the
node, ``start``, ``close``.
"""

import asyncio
import secrets
from collections.abc import Callable
from ipaddress import IPv4Address

from roost.core.actions import Send
from roost.core.events import Heard, Moved
from roost.core.mesh.mesh import Mesh, Surroundings
from roost.core.node import Node
from roost.core.telling.network_views import KeyChange, NetworkReport, Way
from roost.model.errors import NotFound, Unavailable
from roost.model.ids import NodeId
from roost.runtime.clock import Clock
from roost.runtime.home import Home
from roost.runtime.naming import with_letters
from roost.runtime.network.content_streams import ContentStreams, Give
from roost.runtime.network.interfaces import Endpoint, format_endpoint
from roost.runtime.network.mdns import Mdns
from roost.runtime.network.mesh_settings import MeshSettings
from roost.runtime.network.own_port import OwnPort
from roost.runtime.network.peers import Peers
from roost.runtime.network.postman import Postman, TakeQuestion
from roost.runtime.network.tcp import Streams
from roost.runtime.network.udp import LOOK_S, Datagrams
from roost.runtime.trust.certificates import Certificates
from roost.runtime.trust.key_file import KeyStore
from roost.runtime.trust.key_keeper import TELL_AGAIN_S, KeyKeeper
from roost.wire.content import NOT_HERE, ContentQuestion, Given
from roost.wire.messages import Ask, Told
from roost.wire.trust.cluster_keys import KeyId, Keyring
from roost.wire.trust.key_words import KeyWord
from roost.wire.trust.liveness import Sessions
from roost.wire.trust.sealing import SESSION_BYTES, SessionId


class Network:
    def __init__(self, home: Home, keyring: Keyring, settings: MeshSettings) -> None:
        """Take a port. Raise Unavailable if none can be had."""
        self._home = home
        self._keyring = keyring
        try:
            self._own = OwnPort.bind(settings.udp_port)
        except OSError as error:
            advice = "'roost config set mesh off' lets it work alone"
            raise Unavailable(f"the node can have no port for others: {error.strerror or error}; {advice}") from error
        session, secret = SessionId(secrets.token_bytes(SESSION_BYTES)), secrets.token_bytes(32)
        self._sessions = Sessions(keyring.keys, session, secret)
        self._datagrams = Datagrams(self._own, settings.udp_port)
        self._peers = Peers(settings.peers)
        self._look_timer: asyncio.TimerHandle | None = None
        self._key_timer: asyncio.TimerHandle | None = None
        self._key_is_known = asyncio.Event()
        self._announced = self.address
        self._ending: set[asyncio.Task[None]] = set()

    def distinct(self, proposed: NodeId) -> NodeId:
        """Return a name for a new node: as proposed, with letters if another node of this machine was there before."""
        return proposed if self._own.first_here else with_letters(proposed)

    def surroundings(self) -> Surroundings:
        return Surroundings(self.address)

    def attach(
        self, node: Node, feed: Callable[[Heard | Moved], None], clock: Clock, questions: TakeQuestion, give: Give
    ) -> None:
        """``feed`` is for the core, ``questions`` for what nodes ask and tell each other for people, ``give`` for what
        they want of what is on this disk."""
        assert isinstance(node.medium, Mesh), "only a node of a mesh has a network"
        self._node = node
        self._members = node.medium.members
        self._feed = feed
        self._clock = clock
        self._postman = Postman(node, self._members, feed, clock, self._sessions, self._peers, questions)
        certificates = Certificates(node.name, self._keyring)
        self._give = give
        self._content = ContentStreams(certificates, self._postman.endpoint, self._give_to)
        self._streams = Streams(
            self._own.tcp, certificates, self._postman.on_frame, self._content.admit, self._postman.book.is_known
        )
        self.keys = KeyKeeper(node.name, KeyStore(self._home), self._keyring, self)
        self._postman.connect(self._datagrams, self._streams, self.keys)
        self._mdns = self._new_mdns()

    def _new_mdns(self) -> Mdns:
        return Mdns(self._node.name, self._datagrams.address, self._keyring.cluster, self._found)

    def start(self) -> None:
        """Begin to hear. Nothing is said before the core says something."""
        self._datagrams.start(self._postman.on_datagram)
        self._streams.start()
        self._content.start()
        self._peers.start()
        self._mdns.start()
        self._look_again()

    def send(self, said: Send) -> None:
        self._postman.send(said)

    def hear(self) -> None:
        """Take what others have said by now, before something is decided that it may change."""
        self._datagrams.hear()

    def ask_or_tell(self, node: NodeId, message: Ask | Told) -> None:
        self._postman.ask_or_tell(node, message)

    async def carry(self, node: NodeId, question: ContentQuestion) -> Given:
        """Ask a node for a part of what is on its disk. Raise Unavailable if no answer can be had."""
        return await self._content.ask(node, question)

    async def call_back(self, node: NodeId) -> None:
        """Open a content stream to a node that cannot open one to this. Raise Unreachable if that cannot be done."""
        await self._content.open(node)

    async def _give_to(self, node: NodeId, question: ContentQuestion) -> Given:
        return NOT_HERE if self.keys.is_kept_out(node) else await self._give(node, question)

    @property
    def address(self) -> str:
        return format_endpoint(self._datagrams.address)

    def address_of(self, node: NodeId) -> str:
        """Return where a node is spoken to; "" if nobody knows."""
        endpoint = self._postman.endpoint(node)
        return "" if endpoint is None else format_endpoint(endpoint)

    def seen_s_ago(self, node: NodeId) -> float | None:
        """Return how long ago a datagram of a node came; None if none ever did."""
        seen = self._postman.book.seen(node)
        return None if seen is None else max(self._clock.now() - seen.at, 0.0)

    async def close(self) -> None:
        """Say what was to be said, goodbye perhaps; then hear and say nothing more."""
        for timer in (self._look_timer, self._key_timer):
            if timer is not None:
                timer.cancel()
        self._postman.carry()
        self._datagrams.close()
        await asyncio.gather(self._mdns.close(), *self._ending)
        await self._peers.close()
        await self._content.close()
        await self._streams.close()
        self._own.close()

    def report(self) -> NetworkReport:
        ways, now = self._postman.ways, self._clock.now()
        ways.peers = self._peers.found
        ways.trouble = {Way.MDNS: self._mdns.trouble} if self._mdns.trouble else {}
        unreachable = {node: why for node, why in self._streams.trouble.items() if node in self._node.peers.others}
        remarks = ways.remarks(self._sessions.dropped, unreachable, self._neighbours(), now)
        remarks += self._datagrams.remarks()
        return NetworkReport(self.address, ways.report(self._datagrams.trouble, now), remarks, ways.namesake_at)

    def _neighbours(self) -> list[NodeId]:
        """Return the living nodes in the networks of this machine."""
        networks = [interface.network for interface in self._datagrams.interfaces]
        found = []
        for node in self._node.peers.others:
            seen = self._postman.book.seen(node)
            if seen is not None and any(IPv4Address(seen.endpoint[0]) in network for network in networks):
                found.append(node)
        return found

    def _found(self, endpoint: Endpoint) -> None:
        self._postman.ways.announced(endpoint, self._clock.now())
        self._postman.greet(endpoint)

    def _look_again(self) -> None:
        if self._datagrams.look():
            self._postman.book.networks_changed()
            if self.address != self._announced:
                self._move()
            self._postman.greet_all()
        self._postman.refresh_greeting()
        self._postman.ways.peers = self._peers.found
        self.keys.tick(self._clock.now())
        self._look_timer = asyncio.get_running_loop().call_later(LOOK_S, self._look_again)

    def _move(self) -> None:
        """Tell all ways where this node is now. Its sockets listen on every address, and need no change."""
        self._announced = self.address
        self._feed(Moved(self.address))
        self._streams.end_all()
        self._content.end_all()
        ending = asyncio.get_running_loop().create_task(self._mdns.close())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        self._mdns = self._new_mdns()
        self._mdns.start()

    async def change_key(self, without: NodeId | None) -> KeyChange:
        """Make a new key, wait until the living nodes have it, for SPREAD_S at most, and say who has.

        With ``without`` that one is not told, and all older keys end at once. Raise NotFound if nobody knows it.
        """
        others, now = self._node.peers.others, self._clock.now()
        self._key_is_known.clear()
        if without is None:
            key = self.keys.rotate(others, now)
        else:
            if without != self._node.name and self._members.member(without) is None:
                raise NotFound(f"no node of this cluster is called '{without[:64]}'; 'roost nodes' lists them")
            key = self.keys.keep_out(without, others, now)
        await self._key_is_known.wait()
        untold = self.keys.unconfirmed
        told = [node for node in others if node not in (*untold, without)]
        return KeyChange(key.hex(), told, list(untold))

    # Told by the keeper of the keys.

    def use_keys(self, understood: Keyring, sealing: KeyId, *, anew: bool) -> None:
        keys = [key for key in understood.keys if key.id != sealing]
        self._sessions.use_keys([*keys, *(key for key in understood.keys if key.id == sealing)])
        certificates = Certificates(self._node.name, understood)
        self._streams.use(certificates)
        self._content.use(certificates)
        if anew:
            self._streams.end_all()
            self._content.end_all()
        if self._key_timer is None and self.keys.spreading:
            self._tick_keys()

    def tell_key(self, node: NodeId, word: KeyWord) -> None:
        self._postman.send_key_word(node, word)

    def key_is_known(self) -> None:
        self._key_is_known.set()

    def _tick_keys(self) -> None:
        self._key_timer = None
        self.keys.tick(self._clock.now())
        if self.keys.spreading and self._key_timer is None:
            self._key_timer = asyncio.get_running_loop().call_later(TELL_AGAIN_S, self._tick_keys)
