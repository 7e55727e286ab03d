"""A network in memory for membership machines: latency, loss, cuts, pauses, kills, restarts, a clock of its own each.

Everything happens in the order of (time, sequence) and all chance comes from one seed, so a run can be repeated.
Messages cross the network as bytes, as they do in the real one.
"""

import heapq
import itertools
from collections.abc import Callable, Iterable
from functools import partial
from random import Random

from roost.core.actions import Send
from roost.core.mesh.membership.members import Change, Died
from roost.core.mesh.membership.membership import Answer, BeatDue, Membership
from roost.model.clock import zero
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.wire.messages import (
    MESH_VERSION,
    Envelope,
    Heartbeat,
    Hello,
    Members,
    Message,
    open_envelope,
    pack_envelope,
)

OFFERS = Capacity.of(4.0, 8 * 2**30, "3.11")


def name(number: int) -> NodeId:
    return NodeId(f"node-{number:03}")


class Host:
    """One node process and its clock."""

    def __init__(self, node: NodeId, offset_s: float) -> None:
        self.node = node
        self.offset_s = offset_s
        self.boot = 0
        self.machine: Membership | None = None
        self.paused_until = 0.0
        self.wakes_at: float | None = None


class Network:
    def __init__(self, seed: int = 0, latency_s: tuple[float, float] = (0.0005, 0.002), loss: float = 0.0) -> None:
        self.now = 0.0
        self.latency_s = latency_s
        self.loss = loss
        self.hosts: dict[NodeId, Host] = {}
        #: Pairs (from, to) over which nothing passes.
        self.cuts: set[tuple[NodeId, NodeId]] = set()
        #: What each node noticed: (time, observer, change).
        self.changes: list[tuple[float, NodeId, Answer]] = []
        self.messages = 0
        self.bytes = 0
        self._seed = seed
        self._chance = Random(f"{seed}/network")
        self._queue: list[tuple[float, int, Callable[[], object]]] = []
        self._sequence = itertools.count()

    # People and faults.

    def add(self, node: NodeId) -> Membership:
        """Start a node, for the first time or again."""
        offset_s = Random(f"{self._seed}/{node}/clock").uniform(0, 1_000_000)
        host = self.hosts.setdefault(node, Host(node, offset_s))
        host.boot += 1
        machine = Membership(node, host.boot, f"{node}:7000", Random(f"{self._seed}/{node}/{host.boot}"))
        host.machine, host.wakes_at = machine, None
        self._perform(host, machine.start(self._clock(host)))
        return machine

    def start(self, count: int, spread_s: float = 0.5) -> list[NodeId]:
        """Start nodes at random moments of a short time, and let it pass."""
        nodes = [name(number) for number in range(count)]
        for node in nodes:
            self._at(self.now + self._chance.random() * spread_s, partial(self.add, node))
        self.run(spread_s)
        return nodes

    def kill(self, node: NodeId) -> None:
        self.hosts[node].machine = None

    def leave(self, node: NodeId) -> None:
        host = self.hosts[node]
        self._perform(host, self.machine(node).leave(self._clock(host)))
        host.machine = None

    def pause(self, node: NodeId, duration_s: float) -> None:
        """The node does not run for a while; then all that came meanwhile is there at once."""
        self.hosts[node].paused_until = self.now + duration_s

    def cut(self, some: Iterable[NodeId], others: Iterable[NodeId], *, one_way: bool = False) -> None:
        for a, b in itertools.product(some, others):
            self.cuts |= {(a, b)} if one_way else {(a, b), (b, a)}

    def heal(self) -> None:
        self.cuts.clear()

    # Looking.

    def machine(self, node: NodeId) -> Membership:
        machine = self.hosts[node].machine
        assert machine is not None
        return machine

    def running(self) -> list[NodeId]:
        return sorted(node for node, host in self.hosts.items() if host.machine is not None)

    def agree(self, nodes: Iterable[NodeId] | None = None) -> bool:
        """Whether all these nodes, or all that run, believe that exactly they live."""
        group = sorted(nodes if nodes is not None else self.running())
        return all(self.machine(node).alive() == tuple(group) for node in group)

    def noticed(self, kind: type[Change], since: float = 0.0) -> list[tuple[float, NodeId, NodeId]]:
        """Return (when, who, of whom) for all changes of a kind."""
        return [(at, who, change.node) for at, who, change in self.changes if isinstance(change, kind) and at >= since]

    def false_deaths(self) -> list[tuple[float, NodeId, NodeId]]:
        return [(at, who, whom) for at, who, whom in self.noticed(Died) if self.hosts[whom].machine is not None]

    # Time.

    def run(self, duration_s: float) -> None:
        self.run_until(lambda: False, duration_s)

    def run_until(self, condition: Callable[[], bool], limit_s: float) -> float:
        """Let time pass until the condition holds, at most for ``limit_s``; return how long it took."""
        begin, end, looked_at = self.now, self.now + limit_s, self.now
        while self._queue and self._queue[0][0] <= end:
            at, _, step = heapq.heappop(self._queue)
            # Looking costs more than most steps, so it is not done after each.
            if at >= looked_at + 0.01:
                looked_at = at
                if condition():
                    heapq.heappush(self._queue, (at, next(self._sequence), step))
                    return self.now - begin
            self.now = at
            step()
        self.now = end
        return limit_s

    def check(self) -> None:
        for node in self.running():
            machine = self.machine(node)
            machine.check()
            assert node in machine.alive(), f"{node} believes itself dead"

    def _clock(self, host: Host) -> float:
        return self.now + host.offset_s

    def _at(self, at: float, step: Callable[[], object]) -> None:
        heapq.heappush(self._queue, (at, next(self._sequence), step))

    def _perform(self, host: Host, answers: list[Answer]) -> None:
        machine = host.machine
        if machine is None:
            return
        for answer in answers:
            if isinstance(answer, Send):
                self._send(host, answer.to, answer.message)
            elif isinstance(answer, BeatDue):
                beat = machine.heartbeat(self._clock(host), OFFERS, 4.0)
                for to in beat.to:
                    self._send(host, to, beat.heartbeat)
            else:
                self.changes.append((self.now, host.node, answer))
        self._wake_in_time(host, machine)

    def _wake_in_time(self, host: Host, machine: Membership) -> None:
        deadline = machine.next_deadline()
        if deadline is None:
            return
        # The sum of a clock and its offset is not exact; a tick that comes early by that much would come for ever.
        at = max(deadline - host.offset_s + 1e-6, self.now)
        if host.wakes_at is None or at < host.wakes_at:
            host.wakes_at = at
            self._at(at, partial(self._wake, host, machine, at))

    def _wake(self, host: Host, machine: Membership, at: float) -> None:
        if host.machine is not machine or host.wakes_at != at:
            return
        if self.now < host.paused_until:
            host.wakes_at = host.paused_until
            self._at(host.wakes_at, partial(self._wake, host, machine, host.wakes_at))
            return
        host.wakes_at = None
        self._perform(host, machine.tick(self._clock(host)))

    def _send(self, host: Host, to: NodeId | None, message: Message) -> None:
        envelope = Envelope(MESH_VERSION, host.node, to or NodeId(""), zero(host.node), (message,))
        data = pack_envelope(envelope)
        self.messages += 1
        self.bytes += len(data)
        for node in [to] if to is not None else self.running():
            lost = self._chance.random() < self.loss or (host.node, node) in self.cuts
            if node != host.node and node in self.hosts and not lost:
                delay_s = self._chance.uniform(*self.latency_s)
                self._at(self.now + delay_s, partial(self._arrive, node, data))

    def _arrive(self, node: NodeId, data: bytes) -> None:
        host = self.hosts[node]
        if host.machine is None:
            return
        if self.now < host.paused_until:
            self._at(host.paused_until, partial(self._arrive, node, data))
            return
        envelope = open_envelope(data)
        now = self._clock(host)
        for message in envelope.messages:
            match message:
                case Heartbeat():
                    self._perform(host, host.machine.on_heartbeat(message, now))
                case Hello():
                    self._perform(host, host.machine.on_hello(envelope.sender, message, now))
                case Members():
                    self._perform(host, host.machine.on_members(envelope.sender, message, now))
                case _:
                    raise AssertionError(message)
