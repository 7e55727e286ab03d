"""Chunks of files: how many a content has, how long each is, and what hashes they have.

Hashes of chunks are SHA-256: they tell which of several nodes gave a wrong one. Processors compute it three times as
quickly as the BLAKE2 that names the whole, and nobody keeps them.
"""

from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from roost.model.limits import CONTENT_CHUNK_BYTES, CONTENT_LISTED_CHUNKS
from roost.wire.content import NOT_HERE, Given


def chunk_count(size: int) -> int:
    """Return how many chunks a content has; an empty one has an empty chunk."""
    return max(1, -(-size // CONTENT_CHUNK_BYTES))


def chunk_length(size: int, index: int) -> int:
    return min(CONTENT_CHUNK_BYTES, size - index * CONTENT_CHUNK_BYTES)


def chunk_hash(chunk: bytes | bytearray) -> bytes:
    return sha256(chunk).digest()


def read_chunk(path: Path, index: int) -> Given:
    """Return one chunk of a file. It waits for the disk."""
    return read_part(path, index * CONTENT_CHUNK_BYTES)


def read_part(path: Path, offset: int) -> Given:
    """Return what a file has from a place on, as much as one answer holds. It waits for the disk."""
    try:
        with path.open("rb", buffering=0) as file:
            size = file.seek(0, 2)
            file.seek(offset)
            return Given(size, _read(file))
    except FileNotFoundError:
        return NOT_HERE


def read_hashes(path: Path, first: int) -> Given:
    """Return the hashes of a file's chunks from one on, as many as one answer holds. It waits for the disk."""
    try:
        with path.open("rb", buffering=0) as file:
            size = file.seek(0, 2)
            file.seek(first * CONTENT_CHUNK_BYTES)
            last = min(first + CONTENT_LISTED_CHUNKS, chunk_count(size))
            return Given(size, b"".join(chunk_hash(_read(file)) for _ in range(first, last)))
    except FileNotFoundError:
        return NOT_HERE


def _read(file: BinaryIO) -> bytes:
    """Read a chunk; a disk may give it in several parts."""
    parts = []
    missing = CONTENT_CHUNK_BYTES
    while missing and (part := file.read(missing)):
        parts.append(part)
        missing -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
