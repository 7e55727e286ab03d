"""What an inviting and a joining node say to each other, over one plain TCP connection.

    joiner                                          inviter
      Hello(number, element)             ──────▶    the number is known, the invitation is open
                                         ◀──────    Reply(element)
      Confirm: I know the code           ──────▶    checked first: a wrong guess is counted before anything is told
                                         ◀──────    Confirm: so do I
      Sealed: my name                    ──────▶
                                         ◀──────    Sealed: the cluster's keys, addresses of nodes, your name
      Sealed: received                   ──────▶    the invitation has been used

The inviter may end it with Refused at any point. That is not authenticated: it is one of a few reasons, never text.
"""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from roost.model.errors import InvalidInput
from roost.model.ids import NodeId
from roost.model.limits import ADDRESS_LENGTH_MAX, ADDRESSES_MAX, NAME_LENGTH_MAX
from roost.wire.codec import decode, encode
from roost.wire.trust.cluster_keys import ClusterId, Keyring

#: Grows whenever a message changes its meaning; the two ends must agree.
PAIRING_VERSION = 1


class Reason(StrEnum):
    """Why an inviter refuses."""

    VERSION = "version"
    UNKNOWN = "unknown"
    WRONG_CODE = "wrong code"
    EXPIRED = "expired"
    VOID = "void"
    BUSY = "busy"


#: The reasons in words, for the one who wants to join.
EXPLAINED = {
    Reason.VERSION: "it runs another version of Roost; install the same one on both machines",
    Reason.UNKNOWN: "it holds no invitation of that number; check the first part of the code",
    Reason.WRONG_CODE: "the code is wrong; check every letter, or ask for a new one with 'roost invite'",
    Reason.EXPIRED: "the invitation has expired; ask for a new one with 'roost invite'",
    Reason.VOID: "the invitation was used, or guessed wrong too often; ask for a new one with 'roost invite'",
    Reason.BUSY: "another machine is being admitted; try again in a moment",
}


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    version: int
    number: int
    element: bytes


class Reply(msgspec.Struct, frozen=True, tag="reply"):
    element: bytes


class Confirm(msgspec.Struct, frozen=True, tag="confirm"):
    proof: bytes


class Sealed(msgspec.Struct, frozen=True, tag="sealed"):
    """Encrypted under a key that the exchange gave for this purpose."""

    content: bytes


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    reason: Reason


Message: TypeAlias = Hello | Reply | Confirm | Sealed | Refused


class Introduction(msgspec.Struct, frozen=True):
    """Who joins, for the person who invited."""

    node: NodeId
    #: The cluster whose keys it has; a node that comes back to its own keeps its name.
    cluster: ClusterId = ClusterId("")

    def __post_init__(self) -> None:
        _check_name(self.node)
        if len(self.cluster) > NAME_LENGTH_MAX:
            raise InvalidInput(f"a cluster's id has at most {NAME_LENGTH_MAX} characters")


class Admission(msgspec.Struct, frozen=True):
    """What a joining node gets. Its ``repr`` shows no secret, since that of a key does not."""

    keyring: Keyring
    #: The node that invited.
    inviter: NodeId
    #: Where nodes of the cluster may be found ("host:port").
    addresses: tuple[str, ...]
    #: What the joining node is called from now on, since no two in a cluster have one name.
    name: NodeId

    def __post_init__(self) -> None:
        _check_name(self.inviter)
        _check_name(self.name)
        if len(self.addresses) > ADDRESSES_MAX:
            raise InvalidInput(f"an admission names at most {ADDRESSES_MAX} addresses, not {len(self.addresses)}")
        for address in self.addresses:
            if not 0 < len(address) <= ADDRESS_LENGTH_MAX or not address.isprintable():
                raise InvalidInput(f"{address[:40]!r} is not the address of a node")


def encode_message(message: Message) -> bytes:
    return encode(message)


def decode_message(data: bytes) -> Message:
    """Raise PeerError if these bytes are no message of a pairing."""
    message: Message = decode(data, Message)  # type: ignore[arg-type]  # mypy has no type for "a union as a value"
    return message


def _check_name(node: NodeId) -> None:
    if not 0 < len(node) <= NAME_LENGTH_MAX or not node.isprintable():
        raise InvalidInput(f"a node's name has 1 to {NAME_LENGTH_MAX} printable characters")
