"""Who speaks now, without clocks: a session counts once it has proved to be alive, and each of its datagrams once.

A sealed datagram may be a recording: from a minute ago, or from before this process began, which cannot remember what
its predecessor got. So what a stranger (a session that has not proved itself) sends is not delivered. It is asked
instead: the challenge could not have been known before this process drew its secret, so the echo of it is new.

    stranger A                      this node B
      payload, counter 7  ──────▶   holds it, challenges A
                          ◀──────   challenge to A
      echo, counter 9     ──────▶   A is proved: its datagrams count from ``since`` on
      since 5, greeting

*Since* makes up for reordering. A notes its own counter when it first hears of B's session. What A sealed after that
was sealed during B's life, and cannot be a recording that B's predecessor got already; so B may deliver what it held
from there on, and refuses all before. What A sealed earlier is lost for B, as if it had been sent before B began. The
*greeting* is what A wants every new acquaintance to know, such as its last heartbeat; it comes with the proof, so that
first contact costs no heartbeat interval.

Loss: whoever is not proved is challenged again by its next datagram, but not more often than CHALLENGE_INTERVAL_S at
one address (recordings that come from elsewhere must not keep the real one from being asked).
Restart: a new process has a new session and is a stranger. Broadcast and unicast are alike here, and a payload does not
say for whom it was: an attacker may carry a datagram to another node than it was sent to, so a payload that is meant
for one node must name it.
"""

import hmac
import struct
from collections import Counter
from collections.abc import Sequence
from enum import IntEnum
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

from roost.model.errors import InvariantViolated
from roost.model.limits import HELD_BYTES_MAX, HELD_DATAGRAMS_MAX, SESSIONS_MAX, STRANGERS_MAX
from roost.wire.bounded import Bounded
from roost.wire.trust import sealing
from roost.wire.trust.cluster_keys import ClusterKey, KeyId
from roost.wire.trust.replay import ReplayWindow
from roost.wire.trust.sealing import SESSION_BYTES, Forged, Opened, Opener, Refusal, Sealer, SessionId

#: What the socket gave as the sender, handed back unread. An answer sent there must reach that sender.
Address: TypeAlias = tuple[str | int, ...]

#: How often one stranger is asked at most. A heartbeat is slower, so that each of them may ask again.
CHALLENGE_INTERVAL_S = 0.1
#: Addresses of one stranger for which that is remembered.
CHALLENGED_ADDRESSES_MAX = 4
CHALLENGE_BYTES = 16

_CHALLENGE = struct.Struct(f">{SESSION_BYTES}s{CHALLENGE_BYTES}s")
_ECHO = struct.Struct(f">{CHALLENGE_BYTES}sQ")
#: The most that one datagram, or a greeting, carries.
PAYLOAD_BYTES_MAX = sealing.PAYLOAD_BYTES_MAX - 1 - _ECHO.size


class Deliver(NamedTuple):
    """A payload of a living session that was not delivered before. ``key`` is the one that it was sealed with."""

    session: SessionId
    payload: bytes
    source: Address
    key: KeyId


class SealedAnswer(NamedTuple):
    """A sealed datagram to be sent to one address."""

    datagram: bytes
    address: Address


class _Kind(IntEnum):
    DATA = 0
    CHALLENGE = 1
    ECHO = 2


_KINDS = {bytes([kind]): kind for kind in _Kind}


class _Peer:
    """What is known of another session."""

    __slots__ = ("challenged_at", "held", "since", "window")

    def __init__(self, since: int) -> None:
        #: Our own next counter when we first heard of it.
        self.since = since
        self.challenged_at: Bounded[Address, float] = Bounded(CHALLENGED_ADDRESSES_MAX)
        self.held: list[tuple[int, Deliver]] = []
        #: Of a stranger, the challenges that were answered; of a proved session, everything that counted.
        self.window = ReplayWindow()


class Sessions:
    """One per node process. ``session`` and ``secret`` are random bytes, drawn anew for every process."""

    def __init__(self, keys: Sequence[ClusterKey], session: SessionId, secret: bytes) -> None:
        """The last of the keys seals; all of them open."""
        assert len(secret) >= CHALLENGE_BYTES
        self.session = session
        #: What was dropped, and why.
        self.dropped: Counter[Refusal] = Counter()
        self._secret = secret
        self._sealer = Sealer(keys, session)
        self._opener = Opener(keys)
        self._greeting = b""
        self._proved: Bounded[SessionId, _Peer] = Bounded(SESSIONS_MAX)
        self._strangers: Bounded[SessionId, _Peer] = Bounded(STRANGERS_MAX)
        self._forgotten = 0

    def use_keys(self, keys: Sequence[ClusterKey]) -> None:
        """Rotate: the last of these seals from now on, all of them open. Who has proved to be alive still has."""
        self._sealer.use(keys)
        self._opener.use(keys)

    def greet_with(self, payload: bytes) -> None:
        """Let this payload come with every proof from now on; an empty one is not sent."""
        _check_size(payload)
        self._greeting = payload

    def wrap(self, payload: bytes, key: KeyId | None = None) -> bytes:
        """Seal a payload, for one node or for all; with an older key for a node that knows no newer one."""
        _check_size(payload)
        return self._sealer.seal(b"\0" + payload, key)

    def proved(self, session: SessionId) -> bool:
        return session in self._proved

    def on_datagram(self, datagram: bytes, source: Address, now: float) -> list[Deliver | SealedAnswer]:
        """Take whatever arrived. Never raises; what is dropped is counted."""
        try:
            opened = self._opener.open(datagram)
        except Forged as forged:
            return self._drop(forged.reason)
        if opened.session == self.session:
            return []  # Our own broadcast comes back.
        kind = _KINDS.get(opened.payload[:1])
        if kind is None:
            return self._drop(Refusal.MALFORMED)
        peer = self._proved.get(opened.session)
        if peer is None:
            return self._from_stranger(opened, kind, source, now)
        if not peer.window.accept(opened.counter):
            return self._drop(Refusal.REPLAYED)
        if kind is _Kind.DATA:
            return [Deliver(opened.session, opened.payload[1:], source, opened.key)]
        if kind is _Kind.CHALLENGE:
            return [*self._echo(opened, peer, source)]
        return []  # It answers a challenge that was repeated.

    def _drop(self, reason: Refusal) -> list[Deliver | SealedAnswer]:
        self.dropped[reason] += 1
        return []

    def _from_stranger(self, opened: Opened, kind: _Kind, source: Address, now: float) -> list[Deliver | SealedAnswer]:
        peer = self._strangers.get(opened.session)
        if peer is None:
            peer = _Peer(self._sealer.next_counter)
            self._strangers.put(opened.session, peer)
        if kind is _Kind.ECHO and (proof := self._proof(opened)) is not None:
            return [*self._accept(opened, peer, source, *proof)]
        if kind is _Kind.DATA and len(opened.payload) <= HELD_BYTES_MAX:
            held = Deliver(opened.session, opened.payload[1:], source, opened.key)
            peer.held = [*peer.held, (opened.counter, held)][-HELD_DATAGRAMS_MAX:]
        answers: list[SealedAnswer] = []
        if kind is _Kind.CHALLENGE and peer.window.accept(opened.counter):
            answers = self._echo(opened, peer, source)
        return [*answers, *self._challenge(opened, peer, source, now)]

    def _challenge(self, opened: Opened, peer: _Peer, source: Address, now: float) -> list[SealedAnswer]:
        last = peer.challenged_at.get(source)
        if last is not None and now - last < CHALLENGE_INTERVAL_S:
            return []
        peer.challenged_at.put(source, now)
        content = _CHALLENGE.pack(opened.session, self._challenge_to(opened.session))
        return [self._answer(_Kind.CHALLENGE, content, opened, source)]

    def _echo(self, opened: Opened, peer: _Peer, source: Address) -> list[SealedAnswer]:
        """Answer a challenge, if it is one to us."""
        content = opened.payload[1:]
        if len(content) != _CHALLENGE.size:
            self._drop(Refusal.MALFORMED)
            return []
        asked, challenge = _CHALLENGE.unpack(content)
        if asked != self.session:
            return []
        return [self._answer(_Kind.ECHO, _ECHO.pack(challenge, peer.since) + self._greeting, opened, source)]

    def _answer(self, kind: _Kind, content: bytes, opened: Opened, source: Address) -> SealedAnswer:
        """Seal with the key that the other used: it may know no newer one."""
        return SealedAnswer(self._sealer.seal(bytes([kind]) + content, opened.key), source)

    def _challenge_to(self, session: SessionId) -> bytes:
        """Return what only this process can ask of only this session.

        Nothing has to be kept of it, so that strangers cost nothing. It changes when a proved session is forgotten:
        else a recorded echo of that session could prove it again, and its recorded datagrams would count once more.
        """
        asked = session + self._forgotten.to_bytes(8, "big")
        return blake2b(asked, key=self._secret, digest_size=CHALLENGE_BYTES, person=b"roost challenge").digest()

    def _proof(self, opened: Opened) -> tuple[int, bytes] | None:
        """Return since when the sender's datagrams count, and its greeting, if it echoes what it was asked."""
        if len(opened.payload) <= _ECHO.size:
            return None
        challenge, since = _ECHO.unpack_from(opened.payload, 1)
        if since > opened.counter or not hmac.compare_digest(challenge, self._challenge_to(opened.session)):
            return None
        return since, opened.payload[1 + _ECHO.size :]

    def _accept(self, opened: Opened, peer: _Peer, source: Address, since: int, greeting: bytes) -> list[Deliver]:
        # Once a proved session was forgotten, this may be it: what it sealed before the echo may have been delivered.
        peer.window = ReplayWindow(opened.counter if self._forgotten else since)
        held = sorted(peer.held, key=lambda entry: entry[0])
        peer.held = []
        delivered = [deliver for counter, deliver in held if peer.window.accept(counter)]
        peer.window.accept(opened.counter)
        if greeting:
            delivered.append(Deliver(opened.session, greeting, source, opened.key))
        self._strangers.discard(opened.session)
        self._forgotten += self._proved.put(opened.session, peer)
        return delivered


def _check_size(payload: bytes) -> None:
    if len(payload) > PAYLOAD_BYTES_MAX:
        raise InvariantViolated(f"a payload of {len(payload):,} bytes is larger than a datagram carries")
