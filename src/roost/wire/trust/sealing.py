"""Datagrams that only the cluster can read and write.

    magic "Rst" | version | key id, 4 bytes | session, 16 | counter, 8 | payload, encrypted | tag, 16

Everything before the payload is authenticated with it. Foreign traffic is dropped by its first bytes, that of another
cluster by its key id, both before any cryptography.

A session is one life of a node process, named by random bytes. It has a key of its own, made from the cluster's key
and its name, and the nonce is its counter, which only grows. So no nonce is used twice under one key, though all nodes
share a secret and none remembers anything over a restart. The counter goes on when the cluster's key changes.

This says that a node of the cluster made a datagram, not that it is new: see replay.py and liveness.py.
"""

import struct
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple, NewType

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from roost.model.errors import InvariantViolated, PeerError
from roost.model.limits import DATAGRAM_BYTES_MAX, SESSIONS_MAX
from roost.wire.bounded import Bounded
from roost.wire.trust.cluster_keys import KEY_ID_BYTES, ClusterKey, KeyId

#: One life of a node process.
SessionId = NewType("SessionId", bytes)

MAGIC = b"Rst"
VERSION = 1
SESSION_BYTES = 16
COUNTER_MAX = 2**64 - 1
HEADER_BYTES = 32
OVERHEAD_BYTES = HEADER_BYTES + 16
PAYLOAD_BYTES_MAX = DATAGRAM_BYTES_MAX - OVERHEAD_BYTES

_HEADER = struct.Struct(f">4s{KEY_ID_BYTES}s{SESSION_BYTES}sQ")
_PREFIX = MAGIC + bytes([VERSION])
_KEY_AT = len(_PREFIX)
_SESSION_AT = _KEY_AT + KEY_ID_BYTES
_COUNTER_AT = _SESSION_AT + SESSION_BYTES
#: A nonce has 96 bits, of which the counter fills 64.
_NONCE_PREFIX = bytes(4)


class Refusal(StrEnum):
    """Why a datagram was dropped."""

    SIZE = "too short or too long"
    FOREIGN = "not of Roost"
    VERSION = "of another version of Roost"
    UNKNOWN_KEY = "sealed with a key that this node does not have"
    FORGED = "forged or damaged"
    REPLAYED = "already seen or too old"
    MALFORMED = "sealed by a node of this cluster, but without meaning"


class Forged(PeerError):
    """No node of this cluster sealed these bytes as they are."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(f"a datagram is {reason}")
        self.reason = reason


class Opened(NamedTuple):
    session: SessionId
    counter: int
    payload: bytes
    key: KeyId


def claimed_session(datagram: bytes) -> SessionId:
    """Return the session that a datagram says it is of, which nothing has proved; too short a one names none."""
    return SessionId(datagram[_SESSION_AT:_COUNTER_AT])


def claimed_name(datagram: bytes) -> bytes:
    """Return what tells a datagram from all others of the cluster, which nothing has proved: session and counter."""
    return datagram[_SESSION_AT:HEADER_BYTES]


class _DatagramKey:
    """What a cluster's key becomes for datagrams, so that no other use of it can meet them."""

    def __init__(self, key: ClusterKey) -> None:
        self.id = key.id
        self._secret = HKDF(SHA256(), 32, salt=None, info=b"roost datagrams 1").derive(key.secret)

    def cipher(self, session: bytes) -> ChaCha20Poly1305:
        return ChaCha20Poly1305(HKDFExpand(SHA256(), 32, info=b"roost session 1 " + session).derive(self._secret))


class Sealer:
    """Seals as one session. There is one sealer to a session, ever: a second would use its nonces again."""

    def __init__(self, keys: Iterable[ClusterKey], session: SessionId) -> None:
        """The last key seals; the others only answer those who know no newer one."""
        assert len(session) == SESSION_BYTES
        self.session = session
        #: The counter of the next datagram.
        self.next_counter = 0
        self._ciphers: dict[KeyId, ChaCha20Poly1305] = {}
        self._newest = KeyId(b"")
        self.use(keys)

    def use(self, keys: Iterable[ClusterKey]) -> None:
        """Change the keys; what is sealed from now on counts on."""
        derived = [_DatagramKey(key) for key in keys]
        self._ciphers = {key.id: key.cipher(self.session) for key in derived}
        self._newest = derived[-1].id

    def seal(self, payload: bytes, key: KeyId | None = None) -> bytes:
        """Seal with the newest key, or with the given one if it still counts."""
        counter = self.next_counter
        if len(payload) > PAYLOAD_BYTES_MAX or counter > COUNTER_MAX:
            raise InvariantViolated(f"{len(payload):,} bytes as datagram {counter:,} of a session cannot be sealed")
        self.next_counter = counter + 1
        chosen = key if key in self._ciphers else self._newest
        header = _HEADER.pack(_PREFIX, chosen, self.session, counter)
        return header + self._ciphers[chosen].encrypt(_NONCE_PREFIX + header[_COUNTER_AT:], payload, header)


class Opener:
    """Opens what any session of the cluster sealed with a key that still counts."""

    def __init__(self, keys: Iterable[ClusterKey]) -> None:
        self._keys: dict[bytes, _DatagramKey] = {}
        self._ciphers: Bounded[bytes, ChaCha20Poly1305] = Bounded(SESSIONS_MAX)
        self.use(keys)

    def use(self, keys: Iterable[ClusterKey]) -> None:
        """Change the keys; what others sealed with one that is not among them is refused from now on."""
        self._keys = {key.id: _DatagramKey(key) for key in keys}
        self._ciphers = Bounded(SESSIONS_MAX)

    def open(self, datagram: bytes) -> Opened:
        """Raise Forged, and nothing else, whatever these bytes are."""
        if not OVERHEAD_BYTES <= len(datagram) <= DATAGRAM_BYTES_MAX:
            raise Forged(Refusal.SIZE)
        if not datagram.startswith(_PREFIX):
            raise Forged(Refusal.VERSION if datagram.startswith(MAGIC) else Refusal.FOREIGN)
        # Key and session together name a cipher.
        name = datagram[_KEY_AT:_COUNTER_AT]
        known = self._ciphers.get(name)
        cipher = known or self._new_cipher(name)
        counter = datagram[_COUNTER_AT:HEADER_BYTES]
        try:
            payload = cipher.decrypt(_NONCE_PREFIX + counter, datagram[HEADER_BYTES:], datagram[:HEADER_BYTES])
        except InvalidTag:
            raise Forged(Refusal.FORGED) from None
        if known is None:
            # Only now: forged sessions must not push out real ones.
            self._ciphers.put(name, cipher)
        session = SessionId(name[KEY_ID_BYTES:])
        return Opened(session, int.from_bytes(counter, "big"), payload, KeyId(name[:KEY_ID_BYTES]))

    def _new_cipher(self, name: bytes) -> ChaCha20Poly1305:
        key = self._keys.get(name[:KEY_ID_BYTES])
        if key is None:
            raise Forged(Refusal.UNKNOWN_KEY)
        return key.cipher(name[KEY_ID_BYTES:])
