"""Values that are too large to travel with their records, as processes that work for a node keep and load them.

Most processes never meet one. What hashes and moves files, a third of a worker's memory, is loaded with the first.
"""

import mmap
import os
import pickle
from typing import Any

from roost.executors.places import Places
from roost.executors.worker.room import NoRoom, lacks_room
from roost.model.errors import InvalidInput, Unavailable
from roost.model.limits import STORED_VALUE_BYTES_MAX
from roost.model.resources import format_size
from roost.wire.stored import Stored, parse_reference, reference_to

_places: list[Places] = []


def keep_values_in(places: Places) -> None:
    """Say where this process finds values, and leaves them."""
    _places[:] = [places]


def store(value: bytes) -> bytes:
    """Keep a pickled value as a file, on disk, and return what stands for it. Raise NoRoom if it does not fit."""
    if len(value) > STORED_VALUE_BYTES_MAX:
        limit = format_size(STORED_VALUE_BYTES_MAX)
        raise InvalidInput(f"its result takes {len(value):,} bytes; the limit is {limit}, so write it to a file")
    from roost.executors.worker.folder import settle  # noqa: PLC0415 - see above

    (places,) = _places
    incoming = places.blobs / f".incoming-{os.getpid()}-{os.urandom(8).hex()}"
    try:
        incoming.write_bytes(value)
        return reference_to(Stored(*settle(incoming, places)))
    except OSError as error:
        if lacks_room(error):
            raise NoRoom(f"its result could not be kept: {error.strerror}") from error
        raise
    finally:
        incoming.unlink(missing_ok=True)


def load_stored(text: str) -> Any:
    """Load a value; pickles of references call this. Raise Unavailable if it is not here, or not what was stored."""
    stored = parse_reference(text)
    if not _places:
        raise Unavailable(f"a value of {stored.size:,} bytes lies with the node, and is not loaded here")
    from roost.executors.worker.folder import hash_of  # noqa: PLC0415 - see above

    path = _places[0].blob_path(stored.content)
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as content:
            if hash_of(content) != stored.content:
                raise Unavailable(f"the file of a value of {stored.size:,} bytes, {path.name}, is damaged on this node")
            return pickle.loads(content)
    except FileNotFoundError:
        raise Unavailable(
            f"a value of {stored.size:,} bytes that it needs is not on this node, and no other that is there gave it"
        ) from None
