"""Bytes inside JSON: as text if they are UTF-8, else as base64, and always with a word that says which."""

import base64
import binascii
from typing import Literal, TypeAlias

from roost.model.errors import PeerError

Encoding: TypeAlias = Literal["utf-8", "base64"]


def encoded(data: bytes) -> tuple[str, Encoding]:
    try:
        return data.decode(), "utf-8"
    except UnicodeDecodeError:
        return base64.b64encode(data).decode(), "base64"


def decoded(text: str, encoding: str) -> bytes:
    """Return the bytes as they were. Raise PeerError for an encoding that nobody knows."""
    if encoding == "utf-8":
        return text.encode()
    if encoding == "base64":
        try:
            return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError) as error:
            raise PeerError(f"the node's answer is said to be base64 and is not: {error}") from None
    raise PeerError(f"the node's answer is encoded as '{encoding}', which this version does not know")
