"""Arguments and results that are too large for a message: they go to the node, and come from it, as files.

Most programs have none. What speaks HTTP and hashes files is loaded with the first, since to load it takes as long as
some ten calls.
"""

import pickle
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from roost.client.start import Address
from roost.model.errors import InvalidInput, NotFound, PeerError, Unavailable
from roost.model.limits import STORED_VALUE_BYTES_MAX, VALUE_BYTES_MAX
from roost.model.resources import format_size
from roost.wire.stored import REFERENCE_START, Stored, reference_of, reference_to

if TYPE_CHECKING:
    from roost.client.control import Control

T = TypeVar("T")

#: Calls travel together, so that one may take half a message at most.
CALL_BYTES_MAX: Final = VALUE_BYTES_MAX // 2
#: How long a node may be away, or not have a value, and between two times that it is asked.
PATIENCE_S: Final = 30.0
_PAUSE_S: Final = 0.1
#: A large value is on two disks before it is answered for.
_TIMEOUT_S: Final = 600.0


class StoredValues:
    """The values of one node. A node that goes away in the middle is waited for, as for all else of a session."""

    def __init__(self, find: Callable[[], Address], patience_s: float = PATIENCE_S) -> None:
        self._find = find
        self._patience_s = patience_s

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
        return self._patiently(partial(self._sent, call))

    def all_shrunk(self, calls: list[bytes]) -> list[bytes]:
        """Do that for many."""
        return calls if max(map(len, calls), default=0) <= CALL_BYTES_MAX else [self.shrunk(call) for call in calls]

    def read(self, data: bytes) -> Any:
        """Return a function's result, also if it has to be fetched first, which takes its time."""
        # As ``load`` does, without a call more for each of a million results.
        stored = reference_of(data) if data.startswith(REFERENCE_START) else None
        if stored is None:
            return pickle.loads(data)
        try:
            return self._patiently(partial(self._fetched, stored))
        except NotFound:
            raise Unavailable(
                f"a result of {stored.size:,} bytes is on a machine that is away; ask again when it is back, with "
                "roost.attach(id)"
            ) from None

    def _patiently(self, act: Callable[[], T]) -> T:
        give_up = time.monotonic() + self._patience_s
        while True:
            try:
                return act()
            except (Unavailable, NotFound):
                if time.monotonic() >= give_up:
                    raise
            time.sleep(_PAUSE_S)

    def _sent(self, call: bytes) -> bytes:
        with self._node() as node:
            taken = node.post_bytes("/v1/values", call)
        return reference_to(Stored(taken["content"], taken["bytes"]))

    def _fetched(self, stored: Stored) -> Any:
        from hashlib import blake2b  # noqa: PLC0415 - see above
        from tempfile import TemporaryFile  # noqa: PLC0415 - see above

        from roost.executors.worker.folder import HASH_BYTES  # noqa: PLC0415 - see above

        digest = blake2b(digest_size=HASH_BYTES)
        with self._node() as node, TemporaryFile() as file:
            for piece in node.pieces("/v1/values", content=stored.content, bytes=stored.size):
                digest.update(piece)
                file.write(piece)
            if digest.hexdigest() != stored.content:
                raise PeerError(f"a result of {stored.size:,} bytes is damaged on the disk of the node")
            file.seek(0)
            return pickle.load(file)

    def _node(self) -> "Control":
        from roost.client.control import Control  # noqa: PLC0415 - see above

        return Control(self._find, _TIMEOUT_S)
