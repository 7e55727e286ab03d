"""A node that drains and leaves for good takes nothing with it, whatever else goes wrong meanwhile.

It may leave when it says so and somebody else is there. Then all that was decided on its disk is on another one: every
task, every result, every end of an element, every switch of a run. A node that is alone has nobody to hand over to; it
does not leave (but by force, and then what is only there goes with it). What nobody can promise is that another disk
is not lost in the moment in which the node goes; so none is lost here.
"""

from collections.abc import Collection
from functools import reduce
from random import Random

import msgspec
import pytest

from roost.core.events import DrainAsked, Leaving
from roost.model.clock import NEVER
from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.record import RunRecord
from roost.model.states import Cancelled, Done, Failed, Retried
from roost.sim.checkers.convergence import single_results
from roost.sim.checkers.observer import Broken
from roost.sim.hosts import Crash, Host
from roost.sim.journal import SimDisk
from roost.sim.plan import Plan, draw_plan
from roost.sim.trial import Trial

#: Worlds with all faults of the brief ones.
SEEDS = (*range(10), 79, 126)
#: Simulated seconds after the last fault within which a node has certainly drained.
DRAINED_S = 300.0
LOOK_EVERY_S = 1.0
#: So that two are left who agree on something.
NODES_MIN = 3


def plan_of(seed: int) -> Plan:
    drawn = draw_plan(seed, brief=True)
    plan = draw_plan(seed, nodes=max(drawn.options.nodes, NODES_MIN), clusters=1, brief=True)
    faults = [
        msgspec.structs.replace(each, lost_disk=False) if isinstance(each, Crash) else each for each in plan.faults
    ]
    return Plan(plan.seed, plan.options, tuple(faults))


class Departure(Trial):
    """A trial in which one machine is drained from the middle of the faulty phase on, and leaves when it may."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.leaver = Random(f"{plan.seed}/leaver").choice(self.mesh.hosts)
        self.left_at: float | None = None
        self.healed_at: float | None = None
        self._at_once = bool(plan.seed % 2)

    def _safety(self) -> None:
        super()._safety()
        if self.left_at is None:
            self.healed_at = self.mesh.now
            self.mesh.heal(self.mesh.hosts)
        end = self.mesh.now + DRAINED_S
        while self.left_at is None and self.mesh.now < end:
            self.mesh.until(self.mesh.now + LOOK_EVERY_S)
            self._drain()
        life = self.leaver.life
        assert self.left_at is not None, life and life.node.remaining()

    def _ask_somebody(self, places: Random) -> None:
        super()._ask_somebody(places)
        if self.mesh.now > self.plan.options.faulty_s / 2:
            self._drain()

    def _drain(self) -> None:
        """Ask it to drain, again after a restart; let it leave if it may."""
        host = self.leaver
        if self.left_at is not None or host.life is None or host.asleep(self.mesh.now):
            return
        left = host.life.node.remaining()
        if not left.draining:
            self.mesh.feed(host, DrainAsked(on=True, at_once=self._at_once))
        elif left.may_stop and left.others and self.mesh.feed(host, Leaving()):
            self._leave(host, host.name)

    def _leave(self, host: Host, node: NodeId) -> None:
        self.left_at, host.dead = self.mesh.now, True
        host.disk.close()
        others = [other.disk for other in self.mesh.hosts if other is not host]
        check_handed_over(host.disk, others, self._kept.accepted)
        self.mesh._end(host, self.mesh.now)
        del self.mesh.disks[node]
        self.mesh.observer.on_disk_lost(node)

    def _choose_core(self) -> list[Host]:
        return [host for host in self.mesh.hosts if host is not self.leaver]


def check_handed_over(leaver: SimDisk, others: list[SimDisk], accepted: Collection[TaskId]) -> None:
    """Whatever was accepted and decided on the disk of a node that leaves is on another one.

    Of what is submitted all may hear before it is on any disk; before it is accepted there, nothing is promised.
    """
    for task in [task for task in leaver.flushed.tasks if task in accepted]:
        record = leaver.flushed.tasks[task]
        known = [other.flushed.tasks[task].elements for other in others if task in other.flushed.tasks]
        if not known:
            raise Broken(f"{task} leaves with {leaver.node}, and nobody else knows it")
        _check_decided(leaver.node, task, record.elements, known)
        if single := single_results(leaver, others, task):
            raise Broken(f"the results of {task}, {single}, leave with {leaver.node}")
    for run in {run_of(task): None for task in accepted if task in leaver.flushed.tasks}:
        switches = _switches(leaver, run)
        told = [_switches(other, run) for other in others if run in other.flushed.runs]
        if not told or reduce(RunRecord.merge, told).merge(switches) != reduce(RunRecord.merge, told):
            raise Broken(f"{switches} leaves with {leaver.node}, and others have {told}")


def _switches(disk: SimDisk, run: RunId) -> RunRecord:
    """Return what people have said of a run. When it ended nobody was promised; those who stay agree on that.

    Nor was since when a node has it again that had forgotten it: what that one had kept is gone with it anyway.
    """
    return msgspec.structs.replace(disk.flushed.runs[run], finished=NEVER, returned=())


def _check_decided(leaver: NodeId, task: TaskId, own: Elements, known: list[Elements]) -> None:
    everybody = reduce(Elements.merge, known)
    for state, ranges in own.items():
        if isinstance(state, Done | Cancelled | Failed | Retried):
            news = Elements({state: ranges}).diff(everybody)
            if news:
                raise Broken(f"{task}: {news} leaves with {leaver}, and others have {everybody}")


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lost_when_a_node_drains_and_leaves_for_good(seed: int) -> None:
    trial = Departure(plan_of(seed))
    trial.run()
    assert trial.left_at is not None


def test_worlds_differ_in_when_a_node_may_leave() -> None:
    """Else nobody would have tried to leave under faults, or only then."""
    plans = [plan_of(seed) for seed in SEEDS]
    assert {type(fault).__name__ for plan in plans for fault in plan.faults} >= {
        "Cut",
        "Clog",
        "Crash",
        "Sleep",
        "Visit",
    }
    assert {plan.options.weather.loss for plan in plans} >= {0.0, 0.1, 0.3}
