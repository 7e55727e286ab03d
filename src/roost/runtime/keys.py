"""The cluster's keys on disk: ``cluster.json`` in the node's home, for the user's eyes only.

Only the process that holds the home's lock changes the file; anyone who may read it may be a node of the cluster.
"""

import secrets

import msgspec

from roost.model.errors import InvalidInput, Unavailable
from roost.model.keys import SECRET_BYTES, ClusterId, ClusterKey, Keyring
from roost.model.limits import KEYS_FILE_BYTES_MAX
from roost.runtime.home import Home
from roost.runtime.private_files import read_private, write_private

_CLUSTER_ID_BYTES = 8
_FORMAT = 1


class _File(msgspec.Struct, frozen=True):
    """What is in the file."""

    format: int
    keyring: Keyring


class KeyStore:
    """Reads and changes the keys of one home. Every change is on disk when its method returns."""

    def __init__(self, home: Home) -> None:
        self.path = home.path / "cluster.json"

    def load(self) -> Keyring | None:
        """Return the keys, or None if this home belongs to no cluster yet."""
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
        return file.keyring

    def ensure(self, name: str) -> Keyring:
        """Return the keys; make a cluster of this name first if there is none."""
        keyring = self.load()
        if keyring is None:
            cluster = ClusterId(secrets.token_hex(_CLUSTER_ID_BYTES))
            keyring = Keyring(cluster, name, (ClusterKey(1, secrets.token_bytes(SECRET_BYTES)),))
            self._save(keyring)
        return keyring

    def rotate(self) -> Keyring:
        """Add a new key, which seals from now on; the older ones count until they are retired."""
        return self._save(self._required().rotated(secrets.token_bytes(SECRET_BYTES)))

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
        write_private(self.path, msgspec.json.encode(_File(_FORMAT, keyring)))
        return keyring
