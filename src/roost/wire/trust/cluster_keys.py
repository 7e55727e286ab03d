"""The keys of a cluster as values that merge.

Every node of a cluster knows its keys, and whoever knows one is a node of the cluster. A key is never changed: rotation
adds one of the next generation, and retirement moves the floor below which keys do not count. So a keyring is a lattice
like all that nodes share: they may rotate at the same time, hear of it late or twice, and still agree on the newest.
"""

from hashlib import blake2b
from typing import Any, NewType

import msgspec

from roost.model.errors import InvalidInput
from roost.model.limits import KEY_GENERATION_MAX, KEYS_MAX, NAME_LENGTH_MAX

#: Tells clusters apart, also those that people gave the same name.
ClusterId = NewType("ClusterId", str)
#: Names a key in the open; it says nothing about the secret.
KeyId = NewType("KeyId", bytes)

SECRET_BYTES = 32
KEY_ID_BYTES = 4


class ClusterKey(msgspec.Struct, frozen=True):
    """One secret of the cluster. It is shown nowhere: not in logs, tracebacks or tables."""

    generation: int
    secret: bytes
    #: When it was made, by the clock of the node that did, and which that was. 0 and "" of a cluster's first key.
    made_ms: int = 0
    maker: str = ""

    def __post_init__(self) -> None:
        if len(self.secret) != SECRET_BYTES:
            raise InvalidInput(f"a key of a cluster has {SECRET_BYTES} bytes, not {len(self.secret)}")
        if not 1 <= self.generation <= KEY_GENERATION_MAX:
            raise InvalidInput(f"a key's generation is a number from 1 to {KEY_GENERATION_MAX:,}")
        if not 0 <= self.made_ms < 2**63 or len(self.maker) > NAME_LENGTH_MAX:
            raise InvalidInput("a key was made at a time after 1970 by a node with a name")

    @property
    def id(self) -> KeyId:
        return KeyId(blake2b(self.secret, digest_size=KEY_ID_BYTES, person=b"roost key id").digest())

    @property
    def rank(self) -> tuple[int, int, str, bytes]:
        """The order in which all nodes see keys. Of two rotations at once, the later one by (time, node) is newer."""
        return self.generation, self.made_ms, self.maker, self.id

    def __repr__(self) -> str:
        return f"ClusterKey(generation={self.generation}, id={self.id.hex()})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("generation", self.generation), ("id", self.id.hex())]


class Keyring(msgspec.Struct, frozen=True):
    """A cluster's name and the keys of it that count, from the oldest to the newest."""

    cluster: ClusterId
    name: str
    keys: tuple[ClusterKey, ...]
    #: Keys of earlier generations do not count any more.
    floor: int = 1

    def __post_init__(self) -> None:
        if not 0 < len(self.cluster) <= NAME_LENGTH_MAX or not 0 < len(self.name) <= NAME_LENGTH_MAX:
            raise InvalidInput(f"a cluster's id and its name have 1 to {NAME_LENGTH_MAX} characters")
        if not (self.cluster + self.name).isprintable():
            raise InvalidInput("a cluster's id and its name have no control characters")
        if not 0 < len(self.keys) <= KEYS_MAX:
            raise InvalidInput(f"a cluster has 1 to {KEYS_MAX} keys, not {len(self.keys)}")
        ranks = [key.rank for key in self.keys]
        if ranks != sorted(set(ranks)) or self.keys[0].generation < self.floor:
            raise InvalidInput("the keys of a cluster are in the order of their generations, none below the floor")

    @property
    def newest(self) -> ClusterKey:
        """The key that seals and signs; the others only open and verify."""
        return self.keys[-1]

    def rotated(self, secret: bytes, made_ms: int = 0, maker: str = "") -> "Keyring":
        """Add a key of the next generation; all others still count."""
        if len(self.keys) == KEYS_MAX:
            raise InvalidInput(
                f"the cluster has {KEYS_MAX} keys already; retire the older ones first, or wait: each ends by itself, "
                "some days after its successor came ('roost keys')"
            )
        key = ClusterKey(self.newest.generation + 1, secret, made_ms, maker)
        return msgspec.structs.replace(self, keys=(*self.keys, key))

    def replaced(self, secret: bytes, made_ms: int = 0, maker: str = "") -> "Keyring":
        """Make a key that alone counts, for those who must not be told it know all the others.

        A generation is left out: whoever rotates at the same moment may tell them that key, and it must not count.
        """
        generation = self.newest.generation + 2
        return Keyring(self.cluster, self.name, (ClusterKey(generation, secret, made_ms, maker),), generation)

    def retired(self, generation: int) -> "Keyring":
        """Let the keys up to this generation count no longer."""
        if generation >= self.newest.generation:
            raise InvalidInput(f"generation {generation} cannot be retired: no newer key is there; rotate first")
        floor = max(self.floor, generation + 1)
        kept = tuple(key for key in self.keys if key.generation >= floor)
        return msgspec.structs.replace(self, keys=kept, floor=floor)

    def merge(self, other: "Keyring") -> "Keyring":
        """Join what two nodes of the cluster know; of more keys than may count, the newest stay."""
        if self.cluster != other.cluster:
            raise InvalidInput(f"the keys of cluster {other.name} do not belong to cluster {self.name}")
        floor = max(self.floor, other.floor)
        known = {key.rank: key for key in (*self.keys, *other.keys) if key.generation >= floor}
        keys = tuple(known[rank] for rank in sorted(known))[-KEYS_MAX:]
        return Keyring(self.cluster, min(self.name, other.name), keys, floor)
