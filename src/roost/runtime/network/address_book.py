"""Where the other nodes are, and which of them hear what is said to all.

Rules
- A node is where its datagrams come from, since it sends from the port at which it listens; one that was never heard,
  or has announced another address since, is where it says.
- A machine may be heard from several of its addresses. The first is kept while it is heard from, because a stream
  leads there.
- A node whose words to all came here is taken to hear ours as well. To every other one they are said once more, alone:
  it lives in another network, or the network keeps such words from passing.
- When this machine's networks change, nobody counts as hearing until heard again.
"""

from typing import NamedTuple

from roost.model.ids import NodeId
from roost.model.limits import MEMBERS_MAX
from roost.runtime.network.interfaces import Endpoint, parse_endpoint
from roost.wire.bounded import Bounded

#: How long a place is believed without a word from it while another brings some. A node beats twice in a second.
KEEP_PLACE_S = 3.0


class Sighting(NamedTuple):
    """What was seen of a node when it was last heard."""

    endpoint: Endpoint
    #: What it had announced by then.
    announced: str
    #: By the node's clock.
    at: float


class AddressBook:
    def __init__(self) -> None:
        self._seen: Bounded[NodeId, Sighting] = Bounded(MEMBERS_MAX)
        self._heard_in_common: Bounded[NodeId, bool] = Bounded(MEMBERS_MAX)
        self._hosts: Bounded[str, bool] = Bounded(MEMBERS_MAX)

    def is_known(self, host: str) -> bool:
        """Whether a node of the cluster was heard from this address."""
        return host in self._hosts

    def heard(self, node: NodeId, endpoint: Endpoint, announced: str, now: float) -> None:
        self._hosts.put(endpoint[0], True)
        seen = self._seen.get(node)
        if seen is None or seen.endpoint == endpoint or not _is_kept(seen, endpoint, now):
            self._seen.put(node, Sighting(endpoint, announced, now))

    def heard_in_common(self, node: NodeId) -> None:
        """Something that it said to all came here as such."""
        self._heard_in_common.put(node, True)

    def hears_all(self, node: NodeId) -> bool:
        return node in self._heard_in_common

    def networks_changed(self) -> None:
        self._heard_in_common = Bounded(MEMBERS_MAX)

    def seen(self, node: NodeId) -> Sighting | None:
        return self._seen.get(node)

    def endpoint(self, node: NodeId, announced: str) -> Endpoint | None:
        """Return where to send to a node that announces this address; None if nobody knows."""
        seen = self._seen.get(node)
        if seen is not None and seen.announced == announced:
            return seen.endpoint
        return parse_endpoint(announced) or (seen.endpoint if seen is not None else None)


def _is_kept(seen: Sighting, endpoint: Endpoint, now: float) -> bool:
    """Whether a node that is heard from elsewhere stays where it was; with another port it is another life of it."""
    return seen.endpoint[1] == endpoint[1] and now - seen.at < KEEP_PLACE_S
