"""A node that drains and leaves for good takes nothing with it, whatever else goes wrong meanwhile."""

from random import Random

import msgspec
import pytest

from roost.core.events import DrainAsked, Leaving
from roost.model.ids import NodeId
from roost.sim.hosts import Crash, Host, Join
from roost.sim.network import Clog, Cut
from roost.sim.plan import Plan, draw_plan
from roost.sim.trial import Trial
from roost.sim.workload import Request

#: Worlds that differ in kind and are lived through quickly.
SEEDS = (0, 1, 2, 4, 8, 10, 11, 12, 13)
#: Simulated seconds after the last fault within which a node has certainly drained.
DRAINED_S = 300.0
LOOK_EVERY_S = 1.0
#: So that no node is taken for dead by mistake, and two of the others always hear the one that leaves.
LOSS_MAX = 0.01
NODES_MIN = 4


def plan_of(seed: int) -> Plan:
    """Draw a world in which the node that leaves has company all the time: what it does alone is on its disk only.

    Crashes, lost messages, wrong clocks and closed lids are there; cuts are not, nor is another disk lost.
    """
    plan = draw_plan(seed, nodes=max(draw_plan(seed).options.nodes, NODES_MIN), clusters=1)
    shaky = plan.machines()[:2]
    faults = [fault for fault in plan.faults if not isinstance(fault, Cut | Clog | Join) and fault.machine in shaky]
    whole = [msgspec.structs.replace(each, lost_disk=False) if isinstance(each, Crash) else each for each in faults]
    weather = msgspec.structs.replace(plan.options.weather, loss=min(plan.options.weather.loss, LOSS_MAX))
    options = msgspec.structs.replace(plan.options, weather=weather)
    return Plan(plan.seed, options, tuple(whole))


class Departure(Trial):
    """A trial in which one machine is drained from the middle of the faulty phase on, and leaves when it may."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.leaver = Random(f"{plan.seed}/leaver").choice(self.mesh.hosts)
        self.left_at: float | None = None
        self._at_once = bool(plan.seed % 2)
        self._disk = self.leaver.name

    def _safety(self) -> None:
        super()._safety()
        if self.left_at is None:
            self.mesh.heal(self.mesh.hosts)
        end = self.mesh.now + DRAINED_S
        while self.left_at is None and self.mesh.now < end:
            self.mesh.until(self.mesh.now + LOOK_EVERY_S)
            self._drain()
        life = self.leaver.life
        assert self.left_at is not None, life and life.node.draining.remaining()

    def _ask_somebody(self, places: Random) -> None:
        super()._ask_somebody(places)
        if self.mesh.now > self.plan.options.faulty_s / 2:
            self._drain()

    def _ask(self, host: Host, request: Request) -> None:
        if host.life is not None and host.life.node.mesh.others:
            super()._ask(host, request)

    def _drain(self) -> None:
        """Ask it to drain, again after a restart; let it leave if it may."""
        host = self.leaver
        if self.left_at is not None or host.life is None or host.asleep(self.mesh.now):
            return
        left = host.life.node.draining.remaining()
        if not left.draining:
            self.mesh.feed(host, DrainAsked(on=True, at_once=self._at_once))
        elif left.may_stop and left.others and self.mesh.feed(host, Leaving()):
            self._leave(host, host.name)

    def _leave(self, host: Host, node: NodeId) -> None:
        self.left_at, host.dead = self.mesh.now, True
        host.disk.close()
        self.mesh._end(host, self.mesh.now)
        del self.mesh.disks[node]
        self.mesh.observer.on_disk_lost(node)

    def _choose_core(self) -> list[Host]:
        return [host for host in self.mesh.hosts if host is not self.leaver]


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_when_a_node_drains_and_leaves_for_good(seed: int) -> None:
    trial = Departure(plan_of(seed))
    trial.run()
    assert trial.left_at is not None
