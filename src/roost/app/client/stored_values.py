"""Arguments and results that are too large for a message: they go to the node, and come from it, as files."""

import pickle
from collections.abc import Callable
from hashlib import blake2b
from tempfile import TemporaryFile
from typing import Any, Final

from roost.app.client.pickling import load
from roost.app.control import Control
from roost.app.start import Address
from roost.executors.worker.folder import HASH_BYTES
from roost.model.errors import InvalidInput, Unavailable
from roost.model.limits import STORED_VALUE_BYTES_MAX, VALUE_BYTES_MAX
from roost.model.resources import format_size
from roost.wire.stored import Stored, reference_of, reference_to

#: Calls travel together, so that one may take half a message at most.
CALL_BYTES_MAX: Final = VALUE_BYTES_MAX // 2
#: A large value is on two disks before it is answered for.
_TIMEOUT_S: Final = 600.0


class StoredValues:
    """The values of one node."""

    def __init__(self, find: Callable[[], Address]) -> None:
        self._find = find

    def shrunk(self, call: bytes) -> bytes:
        """Return pickled arguments that fit into a message: themselves, or what stands for them at the node."""
        if len(call) <= CALL_BYTES_MAX:
            return call
        if len(call) > STORED_VALUE_BYTES_MAX:
            limit = format_size(STORED_VALUE_BYTES_MAX)
            raise InvalidInput(
                f"the arguments of one call are {len(call):,} bytes, more than {limit}; put them into a file and pass "
                "its name"
            )
        with self._node() as node:
            taken = node.post_bytes("/v1/values", call)
        return reference_to(Stored(taken["content"], taken["bytes"]))

    def read(self, data: bytes) -> Any:
        """Return a function's result, also if it has to be fetched first."""
        stored = reference_of(data)
        return load(data) if stored is None else self._fetched(stored)

    def _fetched(self, stored: Stored) -> Any:
        digest = blake2b(digest_size=HASH_BYTES)
        with self._node() as node, TemporaryFile() as file:
            for piece in node.pieces("/v1/values", content=stored.content, bytes=stored.size):
                digest.update(piece)
                file.write(piece)
            if digest.hexdigest() != stored.content:
                raise Unavailable(f"a result of {stored.size:,} bytes arrived damaged; ask for it again")
            file.seek(0)
            return pickle.load(file)

    def _node(self) -> Control:
        return Control(self._find, _TIMEOUT_S)
