"""What experiments ask the models: plain values in, plain values out, so that answers can be kept on disk."""

from collections.abc import Iterable
from decimal import Decimal

import msgspec

from roost.lab.availability import both_failures, lost_disks, transient
from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import Gossip, ReadRepair, Upkeep
from roost.lab.availability.precision import NEVER, exact, rate_of
from roost.lab.availability.transient import Transient
from roost.lab.experiment import Cell


class Network(msgspec.Struct, frozen=True):
    """Nodes that are away for a time; rates per second."""

    fails: float
    returns: float

    @property
    def times(self) -> Transient:
        return Transient(rate_of(exact(self.fails)), rate_of(exact(self.returns)))


class Disks(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes that come back without data; rates per second, with what is done about it."""

    fails: float
    returns: float
    nodes: int = 30
    objects: int = 300
    read_rate: float = 1.0
    read_repair: float = 1.0
    #: How often anti-entropy repair ends; 0: as (3.12) has it.
    anti_entropy_rate: float = 0.0
    theta: float = 1.0
    boot_s: float = 0.0
    gossip: str = Gossip.NODE.value
    one_read_mends: str = ReadRepair.ALL.value

    @property
    def times(self) -> Transient:
        return Transient(rate_of(exact(self.fails)), rate_of(exact(self.returns)))

    @property
    def upkeep(self) -> Upkeep:
        return Upkeep(
            nodes=self.nodes,
            objects=self.objects,
            read_rate=exact(self.read_rate),
            read_repair=exact(self.read_repair),
            anti_entropy_s=rate_of(exact(self.anti_entropy_rate)) if self.anti_entropy_rate else None,
            theta=exact(self.theta),
            boot_s=exact(self.boot_s),
            gossip=Gossip(self.gossip),
            one_read_mends=ReadRepair(self.one_read_mends),
        )


class Group(msgspec.Struct, frozen=True, kw_only=True):
    replicas: int
    read: str = "ONE"
    write: str = "ONE"
    #: The share of operations that are reads.
    reads: float = 1.0
    network: Network | None = None
    disks: Disks | None = None

    @property
    def consistency(self) -> Consistency:
        return Consistency(self.read, self.write, exact(self.reads))


class Asked(msgspec.Struct, frozen=True):
    groups: tuple[Group, ...]


class Answer(msgspec.Struct, frozen=True):
    #: The share of operations that fail.
    lacking: float
    #: None where no data is lost.
    mttf_s: float | None

    @property
    def percent(self) -> float:
        return 100 - 100 * self.lacking


def answer(asked: Asked) -> tuple[Answer, ...]:
    """Return for each group how available it is, and how long its data lasts."""
    return tuple(_answer(group) for group in asked.groups)


def cell_of(label: str, groups: Iterable[Group]) -> Cell[tuple[Answer, ...]]:
    """Return the cell that asks about these groups."""
    return Cell(label, answer, Asked(tuple(groups)))


def _answer(group: Group) -> Answer:
    network, disks, consistency = group.network, group.disks, group.consistency
    if disks is None:
        assert network is not None
        return Answer(float(transient.unavailability(network.times, group.replicas, consistency)), None)
    if network is None:
        fate = lost_disks.fate(disks.times, group.replicas, consistency, disks.upkeep)
    else:
        fate = both_failures.fate(network.times, disks.times, group.replicas, consistency, disks.upkeep)
    return Answer(float(fate.unavailability), _seconds(fate.mttf_s))


def _seconds(mttf_s: Decimal) -> float | None:
    return None if mttf_s == NEVER else float(mttf_s)
