"""Small meshes in which something was broken on purpose, and stand-ins for nodes that a checker only looks at."""

from types import SimpleNamespace
from typing import Any

from roost.core.actions import Notify, Start, TaskChanged
from roost.core.queue.leases import Leases
from roost.core.queue.replica import TaskEntry
from roost.model.elements import Elements
from roost.model.ids import LeaseId, NodeId
from roost.model.record import RunRecord, TaskRecord
from roost.model.segments import pack
from roost.model.states import Done, State
from roost.model.task import TaskSpec
from roost.model.token import NO_TOKEN, Token
from roost.sim.checkers.mesh_observer import Member
from roost.sim.executor import Mishaps
from roost.sim.hosts import Crash
from roost.sim.journal import SimDisk
from roost.sim.life import Faults
from roost.sim.plan import Fault, MeshOptions, Plan
from roost.sim.trial import Trial
from tests.core.harness import ranges, run_spec, task
from tests.tokens import attempt

#: Nodes that fail a little and do not hear each other, and two crashes.
LONERS = MeshOptions(
    nodes=3,
    clusters=3,
    faulty_s=4.0,
    requests=20,
    machine=Faults(write_s=0.005, mishaps=Mishaps(fail=0.1, mean_s=0.05)),
)
CRASHES = (Crash(1.0, 1.2, "n1", after=1), Crash(2.0, 2.3, "n2", power=False), Crash(3.0, 3.1, "n3"))


def live_through(seeds: range = range(12), options: MeshOptions = LONERS, faults: tuple[Fault, ...] = CRASHES) -> None:
    """Live through some trials; a checker that notices raises Broken out of here."""
    for seed in seeds:
        Trial(Plan(seed, options, faults)).run()


def stand_in(name: str, others: tuple[str, ...] = ()) -> Any:
    re_replication = SimpleNamespace(is_done=True)
    replica = SimpleNamespace(tasks={A.id: TaskEntry.fresh(A)})
    leases = Leases(NodeId(name), 1)
    queue, peers = SimpleNamespace(leases=leases, replica=replica), SimpleNamespace(others=others)
    return SimpleNamespace(name=NodeId(name), boot=1, re_replication=re_replication, queue=queue, peers=peers)


def disk_with(name: str, spec: TaskSpec, *states: tuple[State, str], value: bytes | None = None) -> SimDisk:
    """Make a disk on which a task is flushed, with these elements in these states."""
    disk = SimDisk(NodeId(name))
    disk.flushed.runs[spec.run] = RunRecord(run_spec(spec.run))
    disk.flushed.tasks[spec.id] = TaskRecord(spec, Elements({state: ranges(members) for state, members in states}))
    if value is not None:
        for state, members in states:
            for index in ranges(members):
                if isinstance(state, Done):
                    key = (spec.id, state.token, state.node)
                    disk.flushed.made[key] = (*disk.flushed.made.get(key, ()), pack(index, [value]))
    return disk


def member(disk: SimDisk, *others: str, cluster: int = 0) -> Member:
    return Member(stand_in(disk.node, others), disk, cluster)


def start(spec: TaskSpec, members: str, token: int) -> Start:
    return Start(LeaseId(1), 1, spec, ranges(members), attempt(token))


def told(spec: TaskSpec, word: str, members: str, token: Token = NO_TOKEN) -> Notify:
    return Notify(TaskChanged(spec.id, word, ranges(members), token))


A = task("a", 3)
#: Where a checker does not look.
NOWHERE: Any = None
