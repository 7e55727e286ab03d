"""Packing: messages that leave together for one receiver go into as few envelopes as possible.

Small messages share datagrams of at most DATAGRAM_BYTES, which no network cuts into pieces; all larger ones share one
envelope for a stream.
"""

from collections.abc import Sequence
from typing import NamedTuple

from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.wire.codec import encode
from roost.wire.messages import MESH_VERSION, Envelope, Message, pack_envelope
from roost.wire.trust.sealing import OVERHEAD_BYTES

#: One datagram as it leaves: below what Ethernet, Wi-Fi and the usual tunnels carry whole.
DATAGRAM_BYTES = 1_200
#: What an envelope may have, since it is sealed and marked as data.
PAYLOAD_BYTES = DATAGRAM_BYTES - OVERHEAD_BYTES - 1
#: By which the length of an array grows with its entries.
_LENGTH_BYTES = 2


class Packed(NamedTuple):
    #: Envelopes that each fit into a datagram.
    small: list[bytes]
    #: One for a stream, or none.
    large: bytes | None


class Packer:
    """Packs in the name of one node."""

    def __init__(self, sender: NodeId) -> None:
        self._sender = sender

    def pack(self, receiver: NodeId | None, sent: Stamp, messages: Sequence[Message], now: float = 0.0) -> Packed:
        """``now`` is what this node's own clock shows."""
        whole = self.envelope(receiver, sent, messages, now)
        if len(whole) <= PAYLOAD_BYTES:
            return Packed([whole], None)
        if len(messages) == 1:
            return Packed([], whole)
        room = PAYLOAD_BYTES - len(self.envelope(receiver, sent, (), now)) - _LENGTH_BYTES
        small: list[list[Message]] = []
        large: list[Message] = []
        left = 0
        for message in messages:
            size = len(encode(message))
            if size > room:
                large.append(message)
                continue
            if size > left:
                small.append([])
                left = room
            small[-1].append(message)
            left -= size
        packed = [self.envelope(receiver, sent, group, now) for group in small]
        return Packed(packed, self.envelope(receiver, sent, large, now) if large else None)

    def envelope(self, receiver: NodeId | None, sent: Stamp, messages: Sequence[Message], now: float = 0.0) -> bytes:
        """Return one envelope with all of these, whatever its size."""
        to = NodeId("") if receiver is None else receiver
        return pack_envelope(Envelope(MESH_VERSION, self._sender, to, sent, tuple(messages), int(now * 1000)))
