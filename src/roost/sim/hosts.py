"""The machines: what happens to them, as explicit values, and what is left of them in between.

A machine has a name that stays; the node on it has one of its own, which is new when the disk was lost: delete a
node's folder and it is another node.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeAlias

import msgspec

from roost.model.ids import NodeId
from roost.sim.clocks import SimClock
from roost.sim.disk import SimDisk
from roost.sim.life import Life

FOREVER = float("inf")


class Crash(msgspec.Struct, frozen=True, tag="crash"):
    """A node dies, before it has done so many actions more, and starts again at ``until``."""

    at: float
    until: float
    machine: str
    #: Whether the power fails, or only the process ends.
    power: bool = True
    #: Actions that it still does; so that it dies between two of one event.
    after: int = 0
    lost_disk: bool = False


class Sleep(msgspec.Struct, frozen=True, tag="sleep"):
    """A lid is closed: nothing happens for a while, then everything at once."""

    at: float
    until: float
    machine: str
    #: Whether what is said to it meanwhile is lost; else it waits.
    deaf: bool = True


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """A node is stopped in order: it loses nothing that it was told to write."""

    at: float
    until: float
    machine: str


class Join(msgspec.Struct, frozen=True, tag="join"):
    """A machine is not there in the beginning."""

    at: float
    machine: str


HostFault: TypeAlias = Crash | Sleep | Leave | Join


class Churn(msgspec.Struct, frozen=True):
    """How often something happens to a machine, as mean seconds between two such things; 0 is never."""

    crash_every_s: float = 0.0
    sleep_every_s: float = 0.0
    leave_every_s: float = 0.0
    #: Mean seconds until it is back, and the least.
    away_s: float = 3.0
    stability_s: float = 0.5
    #: Probability that a machine joins late.
    join_late: float = 0.0
    #: Probability that one crash of the world takes a disk with it.
    lose_a_disk: float = 0.0


class Host:
    """A machine with what is on it."""

    def __init__(self, machine: str, cluster: int, cpus: float, clock: SimClock) -> None:
        self.machine = machine
        self.cluster = cluster
        self.cpus = cpus
        self.clock = clock
        self.disk = SimDisk(NodeId(machine))
        self.disks_lost = 0
        #: None while no node runs on it.
        self.life: Life | None = None
        #: Counts the lives of all disks, so that what was meant for an earlier one is known.
        self.boot = 0
        self.up_since = FOREVER
        self.down_until = 0.0
        self.asleep_until = 0.0
        self.deaf = False
        #: When somebody last set its clock.
        self.stepped_at = 0.0
        #: The end that is near, and how many actions more the node may do until then.
        self.ending: Crash | None = None
        self.fuse: int | None = None
        #: Whether it will never start again.
        self.dead = False
        #: When the node is woken for its next deadline.
        self.wake_at: float | None = None

    @property
    def name(self) -> NodeId:
        return self.disk.node

    def asleep(self, now: float) -> bool:
        return now < self.asleep_until

    def lose_disk(self) -> None:
        """Begin with an empty disk, and so with another node."""
        self.disks_lost += 1
        self.disk = SimDisk(NodeId(f"{self.machine}-{self.disks_lost + 1}"))


def draw_churn(rng: Random, machines: Sequence[str], until: float, churn: Churn) -> list[HostFault]:
    """Draw everything that happens to the machines before ``until``."""
    faults: list[HostFault] = []
    for machine in machines:
        # Somebody is there from the beginning.
        if machine != machines[0] and rng.random() < churn.join_late:
            faults.append(Join(rng.uniform(0.0, 0.7 * until), machine))
        for begin, end in _absences(rng, churn.crash_every_s, until, churn):
            faults.append(Crash(begin, end, machine, rng.random() < 0.6, rng.choice([0, 0, 1, 2, 5])))
        for begin, end in _absences(rng, churn.sleep_every_s, until, churn):
            faults.append(Sleep(begin, end, machine, rng.random() < 0.5))
        for begin, end in _absences(rng, churn.leave_every_s, until, churn):
            faults.append(Leave(begin, end, machine))
    return _with_lost_disk(rng, faults, churn)


def _absences(rng: Random, every_s: float, until: float, churn: Churn) -> list[tuple[float, float]]:
    absences: list[tuple[float, float]] = []
    at = 0.0
    while every_s:
        at += churn.stability_s + rng.expovariate(1 / every_s)
        if at >= until:
            break
        back = at + churn.stability_s + rng.expovariate(1 / churn.away_s)
        absences.append((at, back))
        at = back
    return absences


def _with_lost_disk(rng: Random, faults: list[HostFault], churn: Churn) -> list[HostFault]:
    """Let one crash take its disk: Roost promises to survive the loss of any one node, not of several at once."""
    crashes = [at for at, fault in enumerate(faults) if isinstance(fault, Crash)]
    if crashes and rng.random() < churn.lose_a_disk:
        at = rng.choice(crashes)
        faults[at] = msgspec.structs.replace(faults[at], lost_disk=True)
    return faults
