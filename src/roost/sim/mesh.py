"""A simulated mesh: machines, the network between them, and one heap of everything that is to come.

An entry of the heap is (time, sequence, act): the sequence breaks ties. What was meant for an earlier life of a node
disappears. Messages cross as bytes, so that nothing is shared by accident and the codec is tried as well.
"""

import heapq
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TypeAlias

from msgspec.structs import replace

from roost.core.actions import Send
from roost.core.events import CapacityChanged, DeadlineReached, Event, Heard, Leaving, Started, VitalsChanged
from roost.core.mesh.mesh import Surroundings
from roost.core.node import Node
from roost.core.restored import Restored
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.model.vitals import AT_EASE
from roost.policy.choose import Policy
from roost.policy.fairness import NO_FAIRNESS, Fairness
from roost.policy.usual import USUAL
from roost.sim.checkers.mesh_observer import MeshObserver
from roost.sim.checkers.observer import Broken
from roost.sim.clocks import ClockShape, ClockStep, SimClock
from roost.sim.hosts import Crash, Feel, Host, HostFault, Join, Leave, Sleep, Visit, draw_past
from roost.sim.journal import SimDisk
from roost.sim.life import Coming, Computing, Crashed, Faults, Flushed, Life
from roost.sim.network import Clog, Cut, Network
from roost.sim.plan import Plan
from roost.sim.repeaters import repeater
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
#: How often a result is wrong on a machine that gives wrong ones.
WRONG = 0.7
#: How long a node is away that an element has killed, and how often it takes the power of its machine with it.
KILLED_S = (0.1, 15.0)
POWER = 0.5
#: How many owners want fairness where that is asked for, and among how many nodes.
FAIR = 0.8
GROUPS = (2, 3, 4, 10)
#: Lines of the story that are kept.
STORY_LINES = 300
#: Events between two times that a node recomputes what it keeps twice: costly, and not needed to find who did it.
CHECK_EVERY = 256

#: Makes a node from its name, what it offers, what its disk holds, its own randomness, its policy, the fairness that
#: its owner wants, the archive's group.
MakeNode: TypeAlias = Callable[[NodeId, Capacity, Restored, Random, Policy, Fairness, int], Node]


def make_node(
    name: NodeId,
    capacity: Capacity,
    restored: Restored,
    rng: Random,
    policy: Policy,
    fairness: Fairness,
    archive_group: int,
) -> Node:
    medium = Surroundings(name)
    return Node(
        name, capacity, restored, medium, chance=rng, policy=policy, fairness=fairness, archive_group=archive_group
    )


class _Delivery:
    """A message on its way. All who hear it hear the same, read from its bytes when the first of them does."""

    __slots__ = ("_envelope", "_heard", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._envelope: Envelope | None = None
        self._heard: list[Heard] = []

    def heard_by(self, node: NodeId) -> list[Heard]:
        """Return what a node hears."""
        read = self._envelope
        if read is None:
            read = self._envelope = open_envelope(self.data)
            self._heard = [Heard(read.sender, read.sent, message, read.wall_ms) for message in read.messages]
        return self._heard if read.receiver in ("", node) else []


class Mesh:
    def __init__(
        self,
        plan: Plan,
        observer: Callable[["Mesh"], MeshObserver],
        make: MakeNode = make_node,
        compute: Computing | None = None,
        *,
        trace: Trace | None = None,
        check_every: int = CHECK_EVERY,
    ) -> None:
        """``compute`` makes the results of elements of what arrives; without it they are what checkers expect.

        Who measures and does not search wants no ``trace`` (Uncounted) and no node that checks itself, a large
        ``check_every``.
        """
        options = plan.options
        self.plan = plan
        self.now = 0.0
        self.trace = trace or Trace(STORY_LINES)
        self.network = Network(plan.seed, options.weather, [f for f in plan.faults if isinstance(f, Cut | Clog)])
        self.ends = 0
        #: The disks that are not lost, by node.
        self.disks: dict[NodeId, SimDisk] = {}
        #: Where nodes live or lived whose disks are not lost.
        self._places: dict[NodeId, Host] = {}
        self.hosts = [self._machine(at, name) for at, name in enumerate(plan.machines())]
        self._by_machine = {host.machine: host for host in self.hosts}
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._sequence = 0
        self._make = make
        self._check_every = check_every
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
        if self.plan.options.policy:
            # Else most machines would be too young for anything to be known of them.
            disk.online = draw_past(Random(f"{self.plan.seed}/{host.machine}/past/{host.disks_lost}"))
        self.disks[disk.node] = disk
        self._places[disk.node] = host
        disk.on_written = lambda facts: self.observer.on_written(disk.node, facts)

    def _begin(self) -> None:
        luck = Random(f"{self.plan.seed}/begin")
        late = {fault.machine for fault in self.plan.faults if isinstance(fault, Join)}
        for host in self.hosts:
            starts_at = luck.uniform(0.0, START_S)
            if host.machine not in late:
                self._push(starts_at, partial(self._back, host))
        for fault in self.plan.faults:
            if not isinstance(fault, Cut | Clog):
                self._push(fault.at, partial(self._befall, fault))

    # Time.

    def until(self, time: float) -> None:
        """Let everything happen that is due by then."""
        heap = self._heap
        while heap and heap[0][0] <= time:
            self.now, _, act = heapq.heappop(heap)
            act()
        self.now = time

    def _push(self, time: float, act: Callable[[], None]) -> None:
        self._sequence += 1
        heapq.heappush(self._heap, (time, self._sequence, act))

    def _later(self, host: Host, boot: int, delay: float, event: Coming) -> None:
        """Let something happen after so many seconds in this life of a node."""
        self._push(self.now + delay, partial(self._happen, host, boot, event))

    def _happen(self, host: Host, boot: int | None, what: Coming | _Delivery | None) -> None:
        """Let something come to the life of a node, or to whichever there is; None is the time of its deadline."""
        if host.asleep(self.now):
            if not (host.deaf and isinstance(what, _Delivery)):
                # What waits for a sleeping machine waits in the sockets of its node, and ends with it.
                life_then = host.boot if boot is None else boot
                self._push(host.asleep_until, partial(self._happen, host, life_then, what))
            return
        life = host.life
        if life is None or boot not in (host.boot, None):
            return
        life.now = self.now
        if what is None:
            self._wake(host, life)
        elif isinstance(what, _Delivery):
            self._deliver(host, life, what)
        else:
            self._attempt(host, partial(life.arrive, what))
        # Of what is flushed the node does not hear, and so nothing follows for its deadline.
        if not isinstance(what, Flushed):
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
            self._push(due, partial(self._happen, host, host.boot, None))

    # Messages.

    def _send(self, host: Host, send: Send) -> None:
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
                self._push(time, partial(self._happen, target, None, delivery))

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
        return [other for other in self.hosts if other is not host and other.cluster == host.cluster]

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

    def hears_all(self, node: NodeId, for_s: float) -> bool:
        """Whether a node has lived for so long, and it and all others that live could hear each other meanwhile."""
        host, since = self._places[node], self.now - for_s
        if self.plan.options.weather.loss > COMPANY_LOSS_MAX or not self._steady(host, for_s):
            return False
        living = [other for other in self._others(host) if other.life is not None]
        return all(
            other.asleep_until <= since and not self.network.disturbed(host.machine, other.machine, since, self.now)
            for other in living
        )

    def _steady(self, host: Host, for_s: float = COMPANY_S) -> bool:
        since = self.now - for_s
        return host.life is not None and max(host.up_since, host.asleep_until, host.stepped_at) <= since

    # What happens to machines.

    def _back(self, host: Host) -> None:
        """A machine may start its node again."""
        if host.life is None and self.now >= host.down_until and not host.dead:
            self.boot(host)

    def _befall(self, fault: HostFault | ClockStep) -> None:
        if not self._calm:
            self.trace.remark(f"{self.now:.6f} {fault}")
            self._strike(self._by_machine[fault.machine], fault)

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
                self._push(until, partial(self._owner_gone, host, fault))
                self._tell(host, CapacityChanged(host.offer, fault.how))
            case Feel(vitals=vitals):
                host.vitals = vitals
                self._tell(host, VitalsChanged(vitals))
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

    def _owner_gone(self, host: Host, visit: Visit) -> None:
        if host.visit is visit:
            host.visit = None
            self._tell(host, CapacityChanged(host.offer))

    def _tell(self, host: Host, changed: CapacityChanged | VitalsChanged) -> None:
        """Let the node hear of it, if one runs; when the machine wakes up, if it sleeps."""
        self._later(host, host.boot, 0.0, changed)

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
            self._policy(host),
            self._fairness(host),
            options.archive_group,
        )
        luck = Random(f"{seed}/{host.name}/machine/{boot}")
        life = Life(
            node,
            host.disk,
            self._faults(host),
            luck,
            self.observer,
            self.trace,
            now=self.now,
            later=partial(self._later, host, host.boot),
            clock=host.clock.read,
            send=partial(self._send, host),
            check_every=self._check_every,
            compute=self._compute,
        )
        life.before_action = partial(_burn, host)
        if self._calm:
            life.calm_down()
        host.life, host.up_since, host.wake_at = life, self.now, None
        node.check()
        self.feed(host, Started())
        if host.vitals is not AT_EASE:
            self._tell(host, VitalsChanged(host.vitals))

    def _faults(self, host: Host) -> Faults:
        """Return how often things go wrong on a machine; in all its lives its results are wrong, or none is."""
        options = self.plan.options
        is_wrong = Random(f"{self.plan.seed}/{host.machine}/wrong").random() < options.wrong
        mishaps = replace(options.machine.mishaps, wrong=WRONG if is_wrong else 0.0)
        return replace(options.machine, mishaps=mishaps)

    def _policy(self, host: Host) -> Policy:
        """Return what the node on a machine wants, in all its lives."""
        luck = Random(f"{self.plan.seed}/{host.machine}/attempts")
        return repeater() if luck.random() < self.plan.options.attempts else USUAL

    def _fairness(self, host: Host) -> Fairness:
        """Return what the owner of a machine has chosen."""
        luck, strategy = Random(f"{self.plan.seed}/{host.machine}/fairness"), self.plan.options.fairness
        group = luck.choice(GROUPS)
        return Fairness(strategy, group) if strategy and luck.random() < FAIR else NO_FAIRNESS

    def _crash(self, host: Host) -> None:
        fault = host.ending or self._killed(host)
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

    def _killed(self, host: Host) -> Crash:
        """Return what befalls a machine whose node an element has killed: somebody starts it again after a while."""
        luck = Random(f"{self.plan.seed}/{host.name}/killed/{host.boot}")
        return Crash(self.now, self.now + luck.uniform(*KILLED_S), host.machine, power=luck.random() < POWER)

    def _end(self, host: Host, until: float) -> None:
        self.ends += 1
        host.life = host.fuse = host.ending = host.wake_at = None
        host.up_since = float("inf")
        host.asleep_until = min(host.asleep_until, self.now)
        self.observer.on_end(host.name)
        host.down_until = max(until, self.now + RESTART_S)
        self._push(host.down_until, partial(self._back, host))

    # The second phase.

    def heal(self, core: Sequence[Host]) -> None:
        """End all faults. The machines of the core start, if they do not run; all others are dead for good."""
        self._calm = True
        self.network.heal(self.now)
        for host in self.hosts:
            host.fuse = host.ending = None
            if host.visit is not None:
                self._owner_gone(host, host.visit)
            if host not in core:
                host.dead = True
                if host.life is not None:
                    self._end(host, self.now)
            elif host.life is None:
                self.boot(host)
            else:
                host.life.calm_down()
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
