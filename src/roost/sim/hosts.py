"""The machines: what happens to them, as explicit values, and what is left of them in between.

A machine has a name that stays; the node on it has one of its own, which is new when the disk was lost: delete a
node's folder and it is another node.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeAlias

import msgspec

from roost.core.events import GiveWay
from roost.model.ids import NodeId
from roost.model.online import OnlineLog, Stretch
from roost.model.resources import Capacity
from roost.model.vitals import AT_EASE, Vitals
from roost.sim.clocks import SimClock
from roost.sim.journal import SimDisk
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


class Visit(msgspec.Struct, frozen=True, tag="visit"):
    """The owner of a machine uses it: the node offers little or nothing meanwhile, and what runs gives way."""

    at: float
    until: float
    machine: str
    #: What it offers meanwhile.
    cpus: float = 0.0
    how: GiveWay = GiveWay.FINISH


class Feel(msgspec.Struct, frozen=True, tag="feel"):
    """A machine is so from now on, in battery, load and link."""

    at: float
    machine: str
    vitals: Vitals


HostFault: TypeAlias = Crash | Sleep | Leave | Join | Visit | Feel


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


class Owners(msgspec.Struct, frozen=True):
    """How often people use the machines that are theirs."""

    #: Mean seconds between two visits; 0 is never.
    every_s: float = 0.0
    #: Mean seconds that one lasts.
    for_s: float = 5.0
    #: Probability that a machine has an owner who comes at all.
    share: float = 0.7


#: How long machines tend to stay, and about how often they did.
MEAN_STAYS_S = (60.0, 3600.0, 1e6)
STAYS = (0, 2, 5, 30, 100)


def draw_past(luck: Random) -> OnlineLog:
    """Draw when a machine was on line before the world began."""
    mean_s, now = luck.choice(MEAN_STAYS_S), 0.0
    stretches = []
    for _ in range(luck.choice(STAYS)):
        began, now = now, now + luck.expovariate(1 / mean_s)
        stretches.append(Stretch(began, now))
    return OnlineLog(tuple(stretches))


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
        #: The owner, while he is there.
        self.visit: Visit | None = None
        #: How the machine is.
        self.vitals = AT_EASE
        #: When the node is woken for its next deadline.
        self.wake_at: float | None = None

    @property
    def name(self) -> NodeId:
        return self.disk.node

    def asleep(self, now: float) -> bool:
        return now < self.asleep_until

    @property
    def offer(self) -> Capacity:
        """What its node offers now."""
        cpus = self.cpus if self.visit is None else min(self.cpus, self.visit.cpus)
        return Capacity.of(cpus, 2**33, "3.11")

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
        for begin, end in _times(rng, churn.crash_every_s, churn.away_s, until, churn.stability_s):
            faults.append(Crash(begin, end, machine, rng.random() < 0.6, rng.choice([0, 0, 1, 2, 5])))
        for begin, end in _times(rng, churn.sleep_every_s, churn.away_s, until, churn.stability_s):
            faults.append(Sleep(begin, end, machine, rng.random() < 0.5))
        for begin, end in _times(rng, churn.leave_every_s, churn.away_s, until, churn.stability_s):
            faults.append(Leave(begin, end, machine))
    return _with_lost_disk(rng, faults, churn)


def draw_visits(rng: Random, machines: Sequence[str], until: float, owners: Owners) -> list[Visit]:
    """Draw when owners come before ``until``. Each has his own way to let work give way, and leaves it so much."""
    visits: list[Visit] = []
    for machine in machines:
        how, cpus = rng.choice(list(GiveWay)), rng.choice([0.0, 0.0, 1.0])
        if rng.random() < owners.share:
            for begin, end in _times(rng, owners.every_s, owners.for_s, until, stability_s=0.0):
                visits.append(Visit(begin, end, machine, cpus, how))
    return visits


def draw_vitals(luck: Random, machines: Sequence[str], until: float, share: float) -> list[Feel]:
    """Draw how this share of the machines does until then: batteries drain and are charged, links come and go."""
    feels: list[Feel] = []
    for machine in machines:
        if luck.random() >= share:
            continue
        at, charge, empty_in_s = 0.0, luck.uniform(0.1, 1.0), luck.choice([0.5, 2.0, 10.0]) * until
        while at < until:
            link = luck.choice([1.0, 1.0, 1.0, luck.random()])
            feels.append(Feel(at, machine, Vitals(round(charge, 2), round(luck.random(), 2), round(link, 2))))
            step = luck.expovariate(20 / until)
            at, charge = at + step, charge - step / empty_in_s
            if charge < 0.05 or luck.random() < 0.1:
                # Somebody plugs it in, and pulls it out again before long.
                feels.append(Feel(at, machine, AT_EASE))
                at, charge = at + luck.expovariate(10 / until), luck.uniform(0.1, 1.0)
    return feels


def _times(rng: Random, every_s: float, for_s: float, until: float, stability_s: float) -> list[tuple[float, float]]:
    """Draw stretches of time that do not touch: when they begin, which is before ``until``, and when they end."""
    times: list[tuple[float, float]] = []
    at = 0.0
    while every_s:
        at += stability_s + rng.expovariate(1 / every_s)
        if at >= until:
            break
        end = at + stability_s + rng.expovariate(1 / for_s)
        times.append((at, end))
        at = end
    return times


def _with_lost_disk(rng: Random, faults: list[HostFault], churn: Churn) -> list[HostFault]:
    """Let one crash take its disk: Roost promises to survive the loss of any one node, not of several at once."""
    crashes = [at for at, fault in enumerate(faults) if isinstance(fault, Crash)]
    if crashes and rng.random() < churn.lose_a_disk:
        at = rng.choice(crashes)
        faults[at] = msgspec.structs.replace(faults[at], lost_disk=True)
    return faults
