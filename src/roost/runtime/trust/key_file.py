"""The cluster's keys on disk: ``cluster.json`` in the node's home, for the user's eyes only.

Only the process that holds the home's lock changes the file; anyone who may read it may be a node of the cluster.
"""

import secrets
import time
from itertools import pairwise

import msgspec

from roost.model.errors import InvalidInput, Unavailable
from roost.model.limits import KEYS_FILE_BYTES_MAX
from roost.runtime.home import Home
from roost.runtime.private_files import read_private, write_private
from roost.wire.trust.cluster_keys import SECRET_BYTES, ClusterId, ClusterKey, Keyring

_CLUSTER_ID_BYTES = 8
_FORMAT = 1
#: How long an older key counts after a newer one came. Longer: machines that sleep find back. Shorter: a key that got
#: into wrong hands is worthless sooner.
OVERLAP_S = 7 * 86_400.0


class _File(msgspec.Struct, frozen=True):
    """What is in the file."""

    format: int
    keyring: Keyring
    #: When each key came to this home, by its own clock; no other clock is asked how old a key is.
    learnt_at: dict[str, float] = {}


class KeyAge(msgspec.Struct, frozen=True):
    """A key as people may see it."""

    id: str
    generation: int
    #: The node that made it; "" for the first one.
    maker: str
    #: Seconds since it came to this home; None if that was not written down.
    known_s: float | None
    #: Whether it is the newest, which seals; the others only open.
    newest: bool
    #: Seconds until it counts no longer; None while no newer one is there.
    ends_in_s: float | None


class KeyStore:
    """Reads and changes the keys of one home. Every change is on disk when its method returns."""

    def __init__(self, home: Home) -> None:
        self.path = home.path / "cluster.json"

    def load(self) -> Keyring | None:
        """Return the keys, or None if this home belongs to no cluster yet."""
        file = self._read()
        return None if file is None else file.keyring

    def _read(self) -> _File | None:
        content = read_private(self.path, KEYS_FILE_BYTES_MAX)
        if content is None:
            return None
        advice = "put it back from a copy, or remove it and join the cluster again with 'roost join'"
        try:
            file = msgspec.json.decode(content, type=_File)
        except (msgspec.MsgspecError, InvalidInput, UnicodeDecodeError, RecursionError) as error:
            # The reason names a field and never its content, which could be half a key.
            raise InvalidInput(f"{self.path} does not hold the keys of a cluster ({error}); {advice}") from None
        if file.format != _FORMAT:
            raise InvalidInput(
                f"{self.path} was written by another version of Roost (format {file.format}); use that one"
            )
        return file

    def ages(self) -> list[KeyAge]:
        """Return the keys that count, the newest first."""
        file, now = self._read(), time.time()
        if file is None:
            return []
        keys = file.keyring.keys
        came = [file.learnt_at.get(key.id.hex()) for key in keys]
        ends = [None if after is None else max(after + OVERLAP_S - now, 0.0) for after in came[1:]]
        return [
            KeyAge(key.id.hex(), key.generation, key.maker, None if at is None else now - at, key == keys[-1], ends_in)
            for key, at, ends_in in zip(keys, came, [*ends, None], strict=True)
        ][::-1]

    def ensure(self, name: str) -> Keyring:
        """Return the keys; make a cluster of this name first if there is none."""
        keyring = self.load()
        if keyring is None:
            cluster = ClusterId(secrets.token_hex(_CLUSTER_ID_BYTES))
            keyring = Keyring(cluster, name, (ClusterKey(1, secrets.token_bytes(SECRET_BYTES)),))
            self._save(keyring)
        return keyring

    def rotate(self, maker: str = "") -> Keyring:
        """Add a new key; the older ones count until they are retired."""
        return self._save(self._required().rotated(secrets.token_bytes(SECRET_BYTES), _now_ms(), maker))

    def replace(self, maker: str) -> Keyring:
        """Make a new key that alone counts, so that who has only the older ones is kept out."""
        return self._save(self._required().replaced(secrets.token_bytes(SECRET_BYTES), _now_ms(), maker))

    def expire(self) -> Keyring | None:
        """Retire the keys whose successor came OVERLAP_S ago; return what counts, None if there is no file."""
        file, now = self._read(), time.time()
        if file is None:
            return None
        keyring = file.keyring
        over = [
            older.generation
            for older, newer in pairwise(keyring.keys)
            if now - file.learnt_at.get(newer.id.hex(), now) >= OVERLAP_S and older.generation < newer.generation
        ]
        return self.retire(max(over)) if over else keyring

    def retire(self, generation: int) -> Keyring:
        """Let the keys up to this generation count no longer."""
        return self._save(self._required().retired(generation))

    def learn(self, keyring: Keyring) -> Keyring:
        """Merge what another node of this cluster knows."""
        known = self._required()
        merged = known.merge(keyring)
        return merged if merged == known else self._save(merged)

    def adopt(self, keyring: Keyring) -> Keyring:
        """Belong to this cluster from now on. The keys of another one that this home belonged to are lost."""
        return self._save(keyring)

    def forget(self) -> None:
        """Belong to no cluster. The keys are lost."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise Unavailable(f"{self.path} cannot be removed: {error.strerror}") from error

    def _required(self) -> Keyring:
        keyring = self.load()
        if keyring is None:
            raise Unavailable(
                f"{self.path.parent} belongs to no cluster yet; start a node with 'roost up', or join one"
            )
        return keyring

    def _save(self, keyring: Keyring) -> Keyring:
        known = self._read() if self.path.exists() else None
        before = {} if known is None else known.learnt_at
        now = time.time()
        learnt_at = {key.id.hex(): before.get(key.id.hex(), now) for key in keyring.keys}
        write_private(self.path, msgspec.json.encode(_File(_FORMAT, keyring, learnt_at)))
        return keyring


def _now_ms() -> int:
    return max(int(time.time() * 1000), 0)
