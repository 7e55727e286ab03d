"""Hashes that every node computes alike, whatever its process and machine."""

from hashlib import blake2b

DIGEST_BYTES = 8
FINGERPRINT_BYTES = 32


def digest_of(*parts: bytes) -> bytes:
    """Return a short digest of some bytes; where one part ends and the next begins matters."""
    hasher = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        hasher.update(len(part).to_bytes(8, "big"))
        hasher.update(part)
    return hasher.digest()


def fingerprint(value: bytes) -> bytes:
    """Return a digest that nobody can find a second value for, also if he wants to deceive."""
    return blake2b(value, digest_size=FINGERPRINT_BYTES).digest()


def rendezvous(key: str, node: str) -> bytes:
    """Return a node's weight for a key: the node with the largest is its own, and a leaving one hands over evenly."""
    return digest_of(key.encode(), node.encode())
