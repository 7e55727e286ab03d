"""The keys of a living node: how a new key comes to all others, and when the older ones end.

Rules
- Whoever rotates tells all living nodes the new key, by stream, again until each has confirmed it. From then on all
  understand it. It seals only after SPREAD_S, so that meanwhile nobody says what another cannot open.
- A node that slept still seals with an older key. While that counts, whoever hears it tells it the newer ones.
- An older key counts for OVERLAP_S after its successor came (key_file.py). Who was away longer has to join again.
- To keep a machine out, a key is made that alone counts. Only the node that made it still understands the older ones
  for SPREAD_S, to tell it to the living; it does not listen to the machine that is kept out, and nobody else passes
  such a key on. Who is away then has to join again as well.
- Rotations at the same time merge (wire/trust/cluster_keys.py): all keys count, and all agree which is the newest.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol

from roost.model.errors import InvalidInput, RoostError
from roost.model.ids import NodeId
from roost.model.limits import MEMBERS_MAX
from roost.runtime.trust.key_file import KeyStore
from roost.wire.bounded import Bounded
from roost.wire.trust.cluster_keys import KeyId, Keyring
from roost.wire.trust.key_words import KeyKnown, KeysTold, KeyWord

#: How long a new key has to come to all living nodes before it seals.
SPREAD_S = 5.0
#: The pause before a node that has not confirmed is told again, and before one that seals with an older key is.
TELL_AGAIN_S = 0.5
#: How often a node looks whether an older key has ended.
EXPIRE_EVERY_S = 600.0


class Hands(Protocol):
    """What the keeper needs of the network."""

    def use_keys(self, understood: Keyring, sealing: KeyId, *, anew: bool) -> None:
        """Open and verify with all of these, seal with that one; ``anew``: older streams do not count any more."""

    def tell_key(self, node: NodeId, word: KeyWord) -> None:
        """Say this to a node, by stream."""

    def key_is_known(self) -> None:
        """All living nodes have confirmed the key that was made here, or have had their time."""


class KeyKeeper:
    """Times are those of one clock that does not jump."""

    def __init__(self, me: NodeId, store: KeyStore, keyring: Keyring, hands: Hands) -> None:
        self._me = me
        self._store = store
        self._hands = hands
        #: What counts, as it is on disk.
        self.keyring = keyring
        self._understood = keyring
        self._sealing = keyring.newest.id
        self._spread_until: float | None = None
        #: Living nodes that have not confirmed the newest key.
        self._unconfirmed: dict[NodeId, None] = {}
        #: The machine that is kept out while its key is still understood here.
        self._kept_out: NodeId | None = None
        self._expire_at = 0.0
        self._told_at: Bounded[NodeId, float] = Bounded(MEMBERS_MAX)

    @property
    def unconfirmed(self) -> tuple[NodeId, ...]:
        return tuple(self._unconfirmed)

    @property
    def spreading(self) -> bool:
        """Whether ``tick`` should be called every TELL_AGAIN_S."""
        return self._spread_until is not None

    def is_kept_out(self, node: NodeId) -> bool:
        return node == self._kept_out

    # What people ask.

    def rotate(self, others: Iterable[NodeId], now: float) -> KeyId:
        """Make a new key and tell all others."""
        self.keyring = self._understood = self._store.rotate(self._me)
        self._spread(others, now)
        return self.keyring.newest.id

    def keep_out(self, node: NodeId, others: Iterable[NodeId], now: float) -> KeyId:
        """Make a key that alone counts, and tell all others but this one."""
        if node == self._me:
            raise InvalidInput("this node cannot keep itself out; 'roost leave' lets it leave the cluster")
        before = self._understood
        self.keyring = self._store.replace(self._me)
        newest = self.keyring.newest
        # More keys than may count would be too many to understand as well; the oldest have the fewest friends.
        self._understood = before.merge(Keyring(before.cluster, before.name, (newest,), before.floor))
        self._kept_out, self._sealing = node, newest.id
        self._spread([other for other in others if other != node], now)
        return newest.id

    def _spread(self, others: Iterable[NodeId], now: float) -> None:
        self._spread_until = now + SPREAD_S
        self._unconfirmed = dict.fromkeys(others)
        self._use(anew=False)
        self._tell_unconfirmed()
        if not self._unconfirmed:
            self._hands.key_is_known()

    def _tell_unconfirmed(self) -> None:
        for node in self._unconfirmed:
            self._hands.tell_key(node, KeysTold(self.keyring))

    # What other nodes do.

    def heard(self, node: NodeId, key: KeyId, now: float) -> None:
        """A datagram of a node was sealed with this key; if that is an older one, tell it the newest."""
        if key == self.keyring.newest.id or self.spreading or all(key != known.id for known in self.keyring.keys):
            return
        told_at = self._told_at.get(node)
        if told_at is None or now - told_at >= TELL_AGAIN_S:
            self._told_at.put(node, now)
            self._hands.tell_key(node, KeysTold(self.keyring))

    def told(self, node: NodeId, word: KeyWord, now: float) -> None:
        """A node, whose name its certificate has proved, says something about keys."""
        if isinstance(word, KeyKnown):
            if word.key == self.keyring.newest.id:
                self._unconfirmed.pop(node, None)
                if not self._unconfirmed:
                    self._hands.key_is_known()
        elif word.keyring.cluster == self.keyring.cluster and not self.is_kept_out(node):
            self._learn(node, word.keyring, now)

    def _learn(self, node: NodeId, told: Keyring, now: float) -> None:
        before = self.keyring
        self.keyring = self._store.learn(told)
        self._hands.tell_key(node, KeyKnown(self.keyring.newest.id))
        if self.keyring == before:
            return
        if self._kept_out is None:
            self._understood = self.keyring
        if self._counts(self._sealing):
            if self.keyring.newest != before.newest and self._spread_until is None:
                self._spread_until = now + SPREAD_S
        else:
            self._sealing = self.keyring.newest.id
        self._use(anew=self.keyring.floor > before.floor)

    def _counts(self, key: KeyId) -> bool:
        return any(key == known.id for known in self.keyring.keys)

    # Time.

    def tick(self, now: float) -> None:
        """Tell those again who have not confirmed; end what is over. Calling it early does no harm."""
        if self._spread_until is not None and now < self._spread_until:
            self._tell_unconfirmed()
            return
        ended, self._spread_until = self._spread_until is not None, None
        before = self.keyring
        if now >= self._expire_at:
            self._expire_at = now + EXPIRE_EVERY_S
            # A file that somebody has spoilt is doctor's to tell; what counts in memory goes on to count.
            with suppress(RoostError):
                self.keyring = self._store.expire() or before
        if ended or self.keyring != before:
            anew = self.keyring.floor > self._understood.floor
            self._understood, self._sealing, self._kept_out = self.keyring, self.keyring.newest.id, None
            self._use(anew=anew)
        if ended:
            self._hands.key_is_known()

    def _use(self, *, anew: bool) -> None:
        self._hands.use_keys(self._understood, self._sealing, anew=anew)
