"""What a node tells about the nodes around it and how they find each other: plain values for the API and its users."""

from enum import StrEnum
from typing import Literal

import msgspec

from roost.model.attributes import JAVASCRIPT, PROGRAMS_FOLDER, Attributes
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.model.vitals import Role
from roost.policy.reliability import Exponential, Reliability
from roost.wire.messages import Standing


class Offered(msgspec.Struct, frozen=True):
    """What a node offers, as far as people are told."""

    cpus: float
    memory_bytes: int
    #: The minor version of Python that its function workers run, e.g. "3.11".
    python: str
    #: The names of what is in its programs' folder, sorted.
    programs: tuple[str, ...] = ()
    #: Whether it has the engine that runs scripts.
    javascript: bool = False

    @staticmethod
    def of(capacity: Capacity) -> "Offered":
        programs = capacity.attributes.get(PROGRAMS_FOLDER)
        return Offered(
            capacity.cpus,
            capacity.memory_bytes,
            capacity.python,
            programs if isinstance(programs, tuple) else (),
            capacity.attributes.get(JAVASCRIPT) is True,
        )


class ReliabilityView(msgspec.Struct, frozen=True):
    """How long a node tends to stay on line, as it has worked it out from when it was there before."""

    model: Literal["exponential", "weibull"]
    #: How often it was on line, this time among them.
    periods: int
    #: False: too little history; the rest is what is assumed of a node at first.
    known: bool
    mean_s: float
    #: Of an exponential: failures per second.
    rate: float | None = None
    #: Of a Weibull: its scale in seconds, and its shape.
    scale: float | None = None
    shape: float | None = None

    @staticmethod
    def of(reliability: Reliability) -> "ReliabilityView":
        lifetime, periods, known = reliability.lifetime, reliability.periods, reliability.is_known
        if isinstance(lifetime, Exponential):
            return ReliabilityView("exponential", periods, known, lifetime.mean_s, rate=lifetime.rate)
        return ReliabilityView("weibull", periods, known, lifetime.mean_s, scale=lifetime.scale_s, shape=lifetime.shape)


class NodeView(msgspec.Struct, frozen=True):
    """One node of the cluster, as this one sees it."""

    node: NodeId
    #: Where it can be reached, "host:port"; "" if that is not known.
    address: str
    standing: Standing
    free_cpus: float
    #: What it offers; None if it has not said so to this node.
    offers: Offered | None
    #: Leases that it works on.
    leases: int
    #: None: only others have told of it.
    heard_s_ago: float | None
    #: Whether it is the coordinator.
    coordinator: bool
    #: Whether it takes no new work.
    draining: bool = False
    #: None if it has not said so to this node.
    reliability: ReliabilityView | None = None
    #: How much it has to give, from 0 to 1 (policy/performance.py); None if it has not told this node so of late.
    performance: float | None = None
    #: How stable it is, what it is there for, and why; null if it has not said anything to this node.
    state: str | None = None
    role: Role | None = None
    why: str | None = None
    #: What it says of itself, which tasks may require; empty if it has not said so to this node.
    attributes: Attributes = {}


class Way(StrEnum):
    MULTICAST = "multicast"
    BROADCAST = "broadcast"
    MDNS = "mdns"
    PEERS = "peers"
    GOSSIP = "gossip"


class WayReport(msgspec.Struct, frozen=True):
    """How one way does."""

    way: Way
    #: None: nobody was heard by it, and nothing speaks against it.
    works: bool | None
    #: Datagrams, or for mDNS announcements, that came by it, and how long ago the last did.
    heard: int
    heard_s_ago: float | None
    #: One sentence.
    said: str


class NetworkReport(msgspec.Struct, frozen=True):
    """How this node finds others, and what a person should know about it."""

    address: str
    ways: list[WayReport]
    remarks: list[str]
    #: Where another node is that has the name of this one, which must not be; "" if there is none.
    namesake_at: str = ""


class KeyChange(msgspec.Struct, frozen=True):
    """A new key of the cluster, and who has it."""

    key: str
    told: list[NodeId]
    #: Living nodes that have not confirmed it in time.
    untold: list[NodeId]
