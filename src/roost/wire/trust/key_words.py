"""What nodes tell each other about the keys of their cluster, over TLS streams and nowhere else.

These are no messages of the core (messages.py): they never fit into a datagram's envelope, so that a key cannot leave
by one, whatever mistake is made, and a key that comes by one is not understood.
"""

from typing import TypeAlias

import msgspec

from roost.wire.codec import decode, encode
from roost.wire.trust.cluster_keys import KeyId, Keyring

#: How these begin in a stream; an envelope is an array, and begins with another byte.
_PREFIX = b"roost keys 1:"


class KeysTold(msgspec.Struct, frozen=True, tag="told"):
    """All keys of the cluster that the sender knows and that count."""

    keyring: Keyring


class KeyKnown(msgspec.Struct, frozen=True, tag="known"):
    """The sender has this key on its disk, and understands what is sealed with it."""

    key: KeyId


KeyWord: TypeAlias = KeysTold | KeyKnown


def pack_key_word(word: KeyWord) -> bytes:
    return _PREFIX + encode(word)


def is_key_word(data: bytes) -> bool:
    return data.startswith(_PREFIX)


def open_key_word(data: bytes) -> KeyWord:
    """Raise PeerError if this is none."""
    word: KeyWord = decode(data[len(_PREFIX) :], KeyWord)  # type: ignore[arg-type]  # mypy has no type for "a union"
    return word
