"""Several users of one mesh, over whole nodes in simulated time: a small job gets in while a sweep runs."""

import pytest

from roost.core.actions import Action, Start
from roost.core.events import ElementsDone, Event, Submitted
from roost.core.node import Node
from roost.model.clock import Stamp
from roost.model.ids import CauseId, RunId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.task import Command, Needs, Priority, RunKind, RunSpec, TaskSpec
from roost.sim.checkers.mesh_observer import MeshChecker, MeshObserver
from roost.sim.executor import Mishaps
from roost.sim.hosts import Crash
from roost.sim.journal import SimDisk
from roost.sim.life import Faults
from roost.sim.mesh import Mesh
from roost.sim.plan import Fault, MeshOptions, Plan

NODES, LANES = 4, 2
ELEMENTS = 1_000
#: Elements that end, from the moment when the small job is handed in, before it begins: those that ran then or were
#: leased ahead, and a few that nodes begin before they hear of it.
SOON = 3 * NODES * LANES


class Watch(MeshChecker):
    """Notes what starts and ends, in order."""

    def __init__(self) -> None:
        #: The elements of each task that have started, and how many elements had ended altogether when its first did.
        self.started: dict[TaskId, int] = {}
        self.began_after: dict[TaskId, int] = {}
        self.ended: dict[TaskId, int] = {}

    @property
    def all_ended(self) -> int:
        return sum(self.ended.values())

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Start):
            task = action.spec.id
            self.began_after.setdefault(task, self.all_ended)
            self.started[task] = self.started.get(task, 0) + len(action.ranges)

    def on_event(self, event: Event, node: Node) -> None:
        if isinstance(event, ElementsDone) and (lease := node.queue.leases.find(event.lease)) is not None:
            made = sum(segment.count for segment in event.segments)
            self.ended[lease.spec.id] = self.ended.get(lease.spec.id, 0) + made


class Office:
    """Four machines with two lanes each, on which nothing goes wrong."""

    def __init__(self, mean_s: float, *faults: Fault, nodes: int = NODES, seed: int = 7) -> None:
        options = MeshOptions(nodes=nodes, cpus=(float(LANES),), machine=Faults(mishaps=Mishaps(mean_s=mean_s)))
        self.watch = Watch()
        self.mesh = Mesh(Plan(seed, options, faults), lambda _: MeshObserver([self.watch]))
        self.mesh.until(5.0)
        self._runs = 0

    def hands_in(self, owner: str, count: int, *, at: int = 0, priority: Priority = Priority.LOW) -> TaskId:
        """Hand in an array at one of the machines; return its task."""
        self._runs += 1
        host, run = self.mesh.hosts[at], RunId(f"{self._runs}-bababa")
        stamp = Stamp(int(host.clock.read(self.mesh.now) * 1000), 0, host.name)
        elements = RangeSet.span(0, count)
        spec = TaskSpec(
            task_id(run, "work"), run, Command(("true",)), elements, stamp, (), Needs.of(1.0), priority=priority
        )
        asked = Submitted(
            CauseId(f"submit-{self._runs}"), RunSpec(run, "", RunKind.COMMAND, owner, "desk", stamp), (spec,)
        )
        self.mesh.feed(host, asked)
        return spec.id

    def lives_until(self, task: TaskId, ended: int, *, patience_s: float = 2_000.0) -> None:
        """Let time pass until so many elements of a task have ended."""
        latest = self.mesh.now + patience_s
        while self.watch.ended.get(task, 0) < ended:
            assert self.mesh.now < latest, f"only {self.watch.ended} have ended"
            self.mesh.until(self.mesh.now + 0.5)


@pytest.mark.parametrize("mean_s", [0.02, 1.0])
def test_a_small_job_begins_soon_while_a_sweep_runs(mean_s: float) -> None:
    office = Office(mean_s)
    sweep = office.hands_in("ann", ELEMENTS)
    office.lives_until(sweep, 100)
    before = office.watch.all_ended
    small = office.hands_in("bob", 1, at=2)
    office.lives_until(small, 1)
    assert office.watch.ended[sweep] < ELEMENTS - 100
    # A node that has leased ahead has as many short ones as fill a short time.
    assert office.watch.began_after[small] - before <= SOON + NODES * LANES * 0.4 / mean_s


def test_of_one_user_who_hands_in_first_is_first() -> None:
    office = Office(1.0)
    sweep = office.hands_in("ann", 100)
    office.lives_until(sweep, 20)
    small = office.hands_in("ann", 1, at=2)
    office.lives_until(small, 1)
    assert office.watch.began_after[small] >= 100 - 2 * NODES * LANES


def test_a_users_interactive_work_overtakes_his_own_sweep() -> None:
    office = Office(1.0)
    sweep = office.hands_in("ann", ELEMENTS)
    office.lives_until(sweep, 50)
    before = office.watch.all_ended
    hurried = office.hands_in("ann", 1, at=2, priority=Priority.INTERACTIVE)
    office.lives_until(hurried, 1)
    assert office.watch.began_after[hurried] - before <= SOON


def test_nobody_gets_more_by_calling_all_interactive() -> None:
    office = Office(1.0)
    loud = office.hands_in("ann", ELEMENTS, priority=Priority.INTERACTIVE)
    quiet = office.hands_in("bob", ELEMENTS, at=2)
    office.lives_until(loud, 200)
    assert office.watch.ended[quiet] > 150


def test_two_sweeps_share_the_machines_whoever_came_first() -> None:
    office = Office(1.0)
    first = office.hands_in("ann", ELEMENTS)
    office.lives_until(first, 200)
    second = office.hands_in("bob", ELEMENTS, at=2)
    begun = office.watch.ended[first]
    office.lives_until(second, 200)
    # Since then ann's went on as well: who comes new does not have all machines to himself.
    assert 150 <= office.watch.ended[first] - begun <= 250


def test_three_users_on_one_machine_all_get_on() -> None:
    office = Office(0.5, nodes=1)
    tasks = [office.hands_in(owner, 200) for owner in ("ann", "bob", "eve")]
    office.lives_until(tasks[0], 40)
    assert all(25 <= office.watch.ended[task] <= 55 for task in tasks), office.watch.ended


def test_a_machine_that_starts_again_counts_anew_and_what_the_others_have_in_hand_from_then_on() -> None:
    office = Office(30.0, Crash(20.0, 25.0, "n1", power=False))
    office.hands_in("ann", ELEMENTS, at=2)
    office.mesh.until(30.0)
    life = office.mesh.hosts[0].life
    assert life is not None
    assert life.node.boot == 2
    assert 0.0 < life.node.queue.usage.had_s("ann") < NODES * LANES * 30.0
