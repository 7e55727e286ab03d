"""A simulated mesh: machines, the network between them, and one heap of everything that is to come.

An entry of the heap is (time, sequence, machine, life, what): the sequence breaks ties, and what was meant for an
earlier life disappears. Messages cross as bytes, so that nothing is shared by accident and the codec is tried as well.
"""

import heapq
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TypeAlias

import msgspec

from roost.core.actions import Send
from roost.core.events import CapacityChanged, DeadlineReached, Event, Heard, Leaving, Started
from roost.core.mesh.mesh import Surroundings
from roost.core.node import Node
from roost.core.restored import Restored
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.sim.checkers.mesh_observer import MeshObserver
from roost.sim.checkers.observer import Broken
from roost.sim.clocks import ClockShape, ClockStep, SimClock
from roost.sim.hosts import Crash, Host, HostFault, Join, Leave, Sleep, Visit
from roost.sim.journal import SimDisk
from roost.sim.life import Coming, Computing, Crashed, Flushed, Life
from roost.sim.network import Clog, Cut, Network
from roost.sim.plan import Fault, Plan
from roost.sim.trace import Trace
from roost.wire.messages import MESH_VERSION, Envelope, open_envelope, pack_envelope

#: Seconds within which all machines start that are there from the beginning.
START_S = 0.5
#: The least time in which a node comes back after its end.
RESTART_S = 0.05
#: How long two nodes must have been able to hear each other before either counts as company.
COMPANY_S = 10.0
#: With more loss than this, nobody can say who hears whom.
COMPANY_LOSS_MAX = 0.1
#: How often a node may be told of a deadline and want the same again.
SPINS_MAX = 100
#: A timer that comes a little early, because the clock wavers, is set again for this long at least.
TIMER_S_MIN = 1e-4
#: Lines of the story that are kept.
STORY_LINES = 300
#: Events between two times that a node recomputes what it keeps twice: costly, and not needed to find who did it.
CHECK_EVERY = 256

_WORLD = -1
_ANY_LIFE = -1


#: Makes a node from its name, what it offers, what its disk holds, its own randomness, and the archive's group.
MakeNode: TypeAlias = Callable[[NodeId, Capacity, Restored, Random, int], Node]


def make_node(name: NodeId, capacity: Capacity, restored: Restored, rng: Random, archive_group: int) -> Node:
    return Node(name, capacity, restored, Surroundings(rng, address=name), archive_group=archive_group)


class _Delivery:
    """A message arrives at a machine, whoever lives there then. All who hear it hear the same, read from its bytes."""

    __slots__ = ("_envelope", "_heard", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._envelope: Envelope | None = None
        self._heard: list[Heard] = []

    def heard_by(self, node: NodeId) -> list[Heard]:
        """Return what a node hears."""
        if self._envelope is None:
            envelope = self._envelope = open_envelope(self.data)
            self._heard = [
                Heard(envelope.sender, envelope.sent, message, envelope.wall_ms) for message in envelope.messages
            ]
        return self._heard if self._envelope.receiver in ("", node) else []


class _Wake(msgspec.Struct, frozen=True):
    """The time of a node's deadline has come, if it has not moved."""


class _Back(msgspec.Struct, frozen=True):
    """A machine may start its node again."""

    machine: str


class _OwnerGone(msgspec.Struct, frozen=True):
    """A visit is over."""

    visit: Visit


_What: TypeAlias = Coming | _Delivery | _Wake | _Back | _OwnerGone | Fault


class _Place:
    """Where a life lives: its machine in the mesh."""

    def __init__(self, mesh: "Mesh", host: Host) -> None:
        self._mesh = mesh
        self._host = host
        self._boot = host.boot

    def later(self, delay: float, event: Coming) -> None:
        self._mesh.push(self._mesh.now + delay, self._host, self._boot, event)

    def clock(self, now: float) -> float:
        return self._host.clock.read(now)

    def send(self, send: Send) -> None:
        self._mesh.send(self._host, send)


class Mesh:
    def __init__(
        self,
        plan: Plan,
        observer: Callable[["Mesh"], MeshObserver],
        make: MakeNode = make_node,
        compute: Computing | None = None,
    ) -> None:
        """``compute`` makes the results of elements of what arrives; without it they are what checkers expect."""
        options = plan.options
        self.plan = plan
        self.now = 0.0
        self.trace = Trace(STORY_LINES)
        self.network = Network(plan.seed, options.weather, [f for f in plan.faults if isinstance(f, Cut | Clog)])
        self.ends = 0
        #: The disks that are not lost, by node.
        self.disks: dict[NodeId, SimDisk] = {}
        #: Where nodes live or lived whose disks are not lost.
        self._places: dict[NodeId, Host] = {}
        self.hosts = [self._machine(at, name) for at, name in enumerate(plan.machines())]
        self._number = {host.machine: at for at, host in enumerate(self.hosts)}
        self._neighbours = [
            [other for other in self.hosts if other is not host and other.cluster == host.cluster]
            for host in self.hosts
        ]
        self._heap: list[tuple[float, int, int, int, _What]] = []
        self._sequence = 0
        self._make = make
        self._compute = compute
        self._calm = False
        self._spins = 0
        self.observer = observer(self)
        self._begin()

    def _machine(self, at: int, machine: str) -> Host:
        options = self.plan.options
        shape = options.clocks[at % len(options.clocks)] if options.clocks else ClockShape()
        host = Host(machine, at % options.clusters, options.cpus[at % len(options.cpus)], SimClock(shape))
        self._mount(host)
        return host

    def _mount(self, host: Host) -> None:
        disk = host.disk
        self.disks[disk.node] = disk
        self._places[disk.node] = host
        disk.on_written = lambda facts: self.observer.on_written(disk.node, facts)

    def _begin(self) -> None:
        luck = Random(f"{self.plan.seed}/begin")
        late = {fault.machine for fault in self.plan.faults if isinstance(fault, Join)}
        for host in self.hosts:
            starts_at = luck.uniform(0.0, START_S)
            if host.machine not in late:
                self._push(starts_at, _WORLD, _ANY_LIFE, _Back(host.machine))
        for fault in self.plan.faults:
            if not isinstance(fault, Cut | Clog):
                self._push(fault.at, _WORLD, _ANY_LIFE, fault)

    # Time.

    def until(self, time: float) -> None:
        """Let everything happen that is due by then."""
        heap = self._heap
        while heap and heap[0][0] <= time:
            self.now, _, at, boot, what = heapq.heappop(heap)
            if at == _WORLD:
                self._befall(what)
            else:
                self._happen(self.hosts[at], boot, what)
        self.now = time

    def push(self, time: float, host: Host, boot: int, what: _What) -> None:
        self._push(time, self._number[host.machine], boot, what)

    def _push(self, time: float, at: int, boot: int, what: _What) -> None:
        self._sequence += 1
        heapq.heappush(self._heap, (time, self._sequence, at, boot, what))

    def _happen(self, host: Host, boot: int, what: _What) -> None:
        if host.asleep(self.now):
            if not (host.deaf and isinstance(what, _Delivery)):
                # What waits for a sleeping machine waits in the sockets of its node, and ends with it.
                self.push(host.asleep_until, host, host.boot if boot == _ANY_LIFE else boot, what)
            return
        life = host.life
        if life is None or boot not in (host.boot, _ANY_LIFE):
            return
        life.now = self.now
        match what:
            case Flushed():
                # The node does not hear of it, and so nothing follows for its deadline.
                life.arrive(what)
                return
            case _Wake():
                self._wake(host, life)
            case _Delivery():
                self._deliver(host, life, what)
            case _Back() | _OwnerGone() | Crash() | Sleep() | Leave() | Join() | Visit() | ClockStep() | Cut() | Clog():
                raise AssertionError(f"{what} happens to the world, not to a node")
            case _:
                self._attempt(host, partial(life.arrive, what))
        self._set_timer(host)

    def feed(self, host: Host, event: Event) -> bool:
        """Let the node on a machine handle an event; return whether it lived through it."""
        life = host.life
        if life is None:
            return False
        life.now = self.now
        self._attempt(host, partial(life.feed, event))
        self._set_timer(host)
        return host.life is life

    def _attempt(self, host: Host, act: Callable[[], None]) -> None:
        try:
            act()
        except Crashed:
            self._crash(host)

    # Deadlines.

    def _wake(self, host: Host, life: Life) -> None:
        if host.wake_at is None or host.wake_at > self.now:
            return
        host.wake_at = None
        deadline = life.node.next_deadline()
        if deadline is None or host.clock.read(self.now) < deadline:
            return
        self._attempt(host, partial(life.feed, DeadlineReached()))
        self._spins = self._spins + 1 if host.life is life and life.node.next_deadline() == deadline else 0
        if self._spins > SPINS_MAX:
            raise Broken(f"{host.name} is told of its deadline, and wants the same one again and again")

    def _set_timer(self, host: Host) -> None:
        """Wake the node at its deadline. A timer that is too early does no harm: it is set again."""
        deadline = host.life.node.next_deadline() if host.life is not None else None
        if deadline is None:
            host.wake_at = None
            return
        left = deadline - host.clock.read(self.now)
        due = self.now + (max(host.clock.delay(self.now, left), TIMER_S_MIN) if left > 0.0 else 0.0)
        if host.wake_at is None or due < host.wake_at:
            host.wake_at = due
            self.push(due, host, host.boot, _Wake())

    # Messages.

    def send(self, host: Host, send: Send) -> None:
        assert host.life is not None
        shown = host.clock.read(self.now)
        sent = host.life.node.stamp_at(shown)
        receiver = send.to if send.to is not None else NodeId("")
        data = pack_envelope(Envelope(MESH_VERSION, host.name, receiver, sent, (send.message,), int(shown * 1000)))
        targets = self._others(host) if send.to is None else self._reached(host, send.to)
        self.network.note(host.machine, type(send.message).__name__, len(data), len(targets))
        # One node never gets one thing twice: what arrives twice is read twice, as it would be from a socket.
        copies = [_Delivery(data), _Delivery(data)]
        for target in targets:
            arrivals = self.network.arrivals(self.now, host.machine, target.machine)
            for time, delivery in zip(arrivals, copies, strict=False):
                self.push(time, target, _ANY_LIFE, delivery)

    def _reached(self, host: Host, node: NodeId) -> list[Host]:
        """Return the machine on which a node lives that is to be told something, if it can be."""
        target = self._places.get(node)
        return [target] if target is not None and target is not host and target.cluster == host.cluster else []

    def _deliver(self, host: Host, life: Life, delivery: _Delivery) -> None:
        for event in delivery.heard_by(host.name):
            if host.life is life:
                self._attempt(host, partial(life.feed, event, delivery.data))

    def _others(self, host: Host) -> list[Host]:
        """Return the other machines of its cluster."""
        return self._neighbours[self._number[host.machine]]

    def has_company(self, node: NodeId) -> bool:
        """Whether another node could be heard, and could hear this one, for long enough that both know it."""
        host = self._places[node]
        if self.plan.options.weather.loss > COMPANY_LOSS_MAX or not self._steady(host):
            return False
        since = self.now - COMPANY_S
        return any(
            self._steady(other) and not self.network.disturbed(host.machine, other.machine, since, self.now)
            for other in self._others(host)
        )

    def _steady(self, host: Host) -> bool:
        since = self.now - COMPANY_S
        return host.life is not None and max(host.up_since, host.asleep_until, host.stepped_at) <= since

    # What happens to machines.

    def _befall(self, what: _What) -> None:
        if isinstance(what, _Back):
            host = self.hosts[self._number[what.machine]]
            if host.life is None and self.now >= host.down_until and not host.dead:
                self.boot(host)
            return
        if isinstance(what, _OwnerGone):
            host = self.hosts[self._number[what.visit.machine]]
            if host.visit is what.visit:
                self._owner_gone(host)
            return
        assert isinstance(what, Crash | Sleep | Leave | Join | Visit | ClockStep)
        if not self._calm:
            self.trace.remark(f"{self.now:.6f} {what}")
            self._strike(self.hosts[self._number[what.machine]], what)

    def _strike(self, host: Host, fault: HostFault | ClockStep) -> None:
        match fault:
            case ClockStep(by_s=by_s):
                host.clock.step(by_s)
                host.stepped_at = self.now
                self._set_timer(host)
            case Sleep(until=until, deaf=deaf):
                host.asleep_until, host.deaf = max(until, host.asleep_until), deaf
            case Visit(until=until):
                host.visit = fault
                self._push(until, _WORLD, _ANY_LIFE, _OwnerGone(fault))
                self._tell_offer(host, CapacityChanged(host.offer, fault.how))
            case Join() if host.life is None:
                self.boot(host)
            case Crash(after=after) if host.life is not None:
                host.ending, host.fuse = fault, after
                if not after:
                    self._crash(host)
            case Leave(until=until) if host.life is not None:
                self.feed(host, Leaving())
                host.disk.close()
                self._end(host, until)
            case _:
                self.trace.remark("which changes nothing now")

    def _owner_gone(self, host: Host) -> None:
        host.visit = None
        self._tell_offer(host, CapacityChanged(host.offer))

    def _tell_offer(self, host: Host, changed: CapacityChanged) -> None:
        """Let the node hear of it, if one runs; when the machine wakes up, if it sleeps."""
        self.push(self.now, host, host.boot, changed)

    def boot(self, host: Host) -> None:
        """Begin the next life of the node on a machine."""
        host.boot += 1
        host.clock.begin_life()
        options, seed, boot = self.plan.options, self.plan.seed, host.disk.begin_boot()
        self.trace.remark(f"{self.now:.6f} {host.name} starts, life {boot}")
        node = self._make(
            host.name,
            host.offer,
            host.disk.restore(),
            Random(f"{seed}/{host.name}/core/{boot}"),
            options.archive_group,
        )
        luck = Random(f"{seed}/{host.name}/machine/{boot}")
        place = _Place(self, host)
        life = Life(
            node,
            host.disk,
            options.machine,
            luck,
            place,
            self.observer,
            self.trace,
            now=self.now,
            check_every=CHECK_EVERY,
            compute=self._compute,
        )
        life.before_action = partial(_burn, host)
        life.disk_may_fail = life.may_hang = not self._calm
        host.life, host.up_since, host.wake_at = life, self.now, None
        node.check()
        self.feed(host, Started())

    def _crash(self, host: Host) -> None:
        fault = host.ending
        assert fault is not None
        luck = Random(f"{self.plan.seed}/{host.name}/end/{host.boot}")
        self.trace.remark(f"{self.now:.6f} {host.name}: {'power is cut' if fault.power else 'the node is killed'}")
        if fault.power:
            host.disk.crash(luck)
        else:
            host.disk.kill(luck)
        self._end(host, fault.until)
        if fault.lost_disk:
            lost = host.name
            self.trace.remark(f"{lost} lost its disk")
            del self.disks[lost], self._places[lost]
            self.observer.on_disk_lost(lost)
            host.lose_disk()
            self._mount(host)

    def _end(self, host: Host, until: float) -> None:
        self.ends += 1
        host.life = host.fuse = host.ending = host.wake_at = None
        host.up_since = float("inf")
        host.asleep_until = min(host.asleep_until, self.now)
        self.observer.on_end(host.name)
        host.down_until = max(until, self.now + RESTART_S)
        self._push(host.down_until, _WORLD, _ANY_LIFE, _Back(host.machine))

    # The second phase.

    def heal(self, core: Sequence[Host]) -> None:
        """End all faults. The machines of the core start, if they do not run; all others are dead for good."""
        self._calm = True
        self.network.heal(self.now)
        for host in self.hosts:
            host.fuse = host.ending = None
            if host.visit is not None:
                self._owner_gone(host)
            if host not in core:
                host.dead = True
                if host.life is not None:
                    self._end(host, self.now)
            elif host.life is None:
                self.boot(host)
            else:
                host.life.disk_may_fail = host.life.may_hang = False
        self.trace.remark(f"{self.now:.6f} healed; the core is {', '.join(host.machine for host in core)}")

    def check(self) -> None:
        """Let every node recompute what it keeps twice."""
        for host in self.hosts:
            if host.life is not None:
                host.life.node.check()

    @property
    def awake_at(self) -> float:
        """When the last machine wakes up that sleeps now, and the last message has come that is held."""
        sleepers = (host.asleep_until for host in self.hosts if host.life is not None)
        return max(self.now, self.network.held_until, *sleepers)


def _burn(host: Host) -> None:
    """Count down the actions that a node may still do, if its end is near."""
    if host.fuse is not None:
        host.fuse -= 1
        if host.fuse < 0:
            raise Crashed
