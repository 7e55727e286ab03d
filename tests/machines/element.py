"""The life of an element on one node: what people, executors, the disk and the owner of the machine make of it.

A whole node runs it (tests/core/harness.py). A lane is free only for the moment in which the table says so, so that
what is given back is seen before it is leased again. What other nodes say of elements is in replicas.py.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import TypeAlias, get_args

from roost.core.actions import Refused
from roost.core.events import (
    Answered,
    Awoke,
    CancelAsked,
    CapacityChanged,
    DamageFound,
    DeadlineReached,
    DrainAsked,
    ElementFailed,
    ElementsDone,
    ElementsReturned,
    Event,
    ForgetAsked,
    GiveWay,
    Heard,
    Leaving,
    Moved,
    Persisted,
    PersistFailed,
    Progressed,
    Recalled,
    ReopenAsked,
    RetryAsked,
    Sealed,
    Started,
    Submitted,
    SuspendAsked,
    VitalsChanged,
    WaitBegan,
    WaitEnded,
)
from roost.core.holdings import Holdings
from roost.core.queue.leases import Lease
from roost.core.queue.replica import Phase, phase_of
from roost.model import states
from roost.model.ids import LeaseId, TaskId, task_id
from roost.model.online import OnlineLog
from roost.model.ranges import ONE
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.task import Failure, Manual, TaskSpec
from roost.model.vitals import Vitals
from tests.core.harness import GIB, RUN, Bench, edge, inside, mapping, run_spec, task
from tests.machines.machine import CannotHappen, Machine, State

_NO_LEASE = LeaseId(999)
_RETRIES = 1
_NOTHING, _ONE_LANE = Capacity.of(0.0, 8 * GIB, "3.11"), Capacity.of(1.0, 8 * GIB, "3.11")

UNKNOWN, FRESH = "unknown", "fresh"


class World:
    """A node, and one element of a task ``a`` in it that the table is about."""

    def __init__(self) -> None:
        self.bench = Bench(cpus=0.0)
        self.submitted = ""

    def submit(self, kind: str, *tasks: TaskSpec) -> str | None:
        refused = self.ask(Submitted(self.bench.cause("submit"), run_spec(), tasks))
        if refused is None:
            self.submitted = kind
        return refused

    @property
    def task(self) -> TaskId:
        return task_id(RUN, "a")

    def lease_of(self, name: str) -> Lease:
        """Return the lease that owes an answer for the element, or for the mapper of its pool."""
        for lease in self.bench.node.queue.leases.active.values():
            if lease.spec.id == task_id(RUN, name) and 0 in lease.outstanding:
                return lease
        raise CannotHappen

    def ask(self, request: Event) -> str | None:
        """Ask as a person does, through a host, which reads the run back first if it has left memory."""
        if self.submitted and RUN not in self.bench.disk.tombstones:
            self.bench.recall()
        return "refused" if isinstance(self.bench.ask(request), Refused) else None

    def hand_out(self, capacity: Capacity = _ONE_LANE) -> None:
        self.bench.feed(CapacityChanged(capacity))
        self.bench.feed(CapacityChanged(_NOTHING))

    def restart(self) -> None:
        self.bench.boot()


Act: TypeAlias = Callable[[World], str | None]


def state(world: World) -> State:
    """Tell what the disk holds of the element, which is what every later life believes."""
    record = world.bench.disk.tasks.get(world.task)
    if record is None:
        return State(None, UNKNOWN)
    found = record.elements.at(0)
    if found is None:
        return State(None, FRESH)
    label = type(found).__name__.lower()
    if isinstance(found, states.Failed):
        label += "" if phase_of(found, _RETRIES) is Phase.PENDING else " for good"
    return State(type(found), label)


def rest(world: World) -> Hashable:
    node = world.bench.node
    queue = node.queue
    run = queue.replica.runs.get(RUN)
    leases = tuple((lease.spec.id, bool(lease.stopping)) for lease in queue.leases.active.values())
    record, mapper = (world.bench.disk.tasks.get(task_id(RUN, name)) for name in ("a", "m"))
    found = None if record is None else record.elements.at(0)
    return (
        world.submitted,
        getattr(found, "failures", 0),
        world.task in queue.replica.tasks and 0 in node.inventory.results(world.task),
        leases,
        tuple(lane.paused for lane in queue.lanes.open_lanes.values()),
        None if run is None else (run.suspended, run.finished_at is None),
        None if mapper is None else type(mapper.elements.at(0)),
        RUN in world.bench.disk.tombstones,
    )


def check(world: World) -> None:
    """Memory and disk say the same, of what is in memory. The bench has called the node's own check."""
    entry = world.bench.node.queue.replica.tasks.get(world.task)
    if entry is not None:
        assert entry.elements == world.bench.disk.tasks[world.task].elements


# What can happen.


def _submits() -> dict[str, Act]:
    manual = task("a", work=Manual("look"))
    lists = mapping("m")
    needed = task("a", retries=_RETRIES), task("b", 1, edge("a"), cpus=99.0)
    return {
        "submitted": lambda world: world.submit("command", task("a", retries=_RETRIES)),
        "submitted, and another step needs it": lambda world: world.submit("needed", *needed),
        "submitted as a manual step": lambda world: world.submit("manual", manual),
        "submitted as a pool's": lambda world: world.submit("pool", lists, inside("a", lists, retries=_RETRIES)),
    }


def _report(report: Callable[[Lease], Event], of: str = "a") -> Act:
    def act(world: World) -> None:
        world.bench.feed(report(world.lease_of(of)))

    return act


def _done(lease: Lease) -> Event:
    return ElementsDone(lease.name, (pack(0, [b"x"]),), 0.01)


def _list_of(length: int) -> Act:
    return _report(lambda lease: ElementsDone(lease.name, (pack(0, [b"x"]),), 0.01, ((0, length),)), of="m")


def _failed(*, permanent: bool) -> Act:
    return _report(lambda lease: ElementFailed(lease.name, 0, Failure("no", permanent=permanent)))


def _too_late(world: World) -> None:
    world.bench.feed(ElementsDone(_NO_LEASE, (pack(0, [b"x"]),), 0.01))


def _asked(request: Callable[[World], Event]) -> Act:
    return lambda world: world.ask(request(world))


def _cancel(*, unleased: bool) -> Act:
    return _asked(lambda world: CancelAsked(world.bench.cause("cancel"), ((world.task, ONE),), unleased))


def _send_back_list(world: World) -> str | None:
    if world.submitted != "pool":
        raise CannotHappen
    return world.ask(ReopenAsked(world.bench.cause("reopen"), ((task_id(RUN, "m"), ONE),)))


def _damage(world: World) -> None:
    if not world.submitted:
        raise CannotHappen
    world.bench.feed(DamageFound("the result", RUN, world.task, ONE, Holdings(world.task)))


def _wait(event: type[WaitBegan] | type[WaitEnded]) -> Act:
    return _report(lambda lease: event(lease.name, 0))


def _give_way(how: GiveWay) -> Act:
    def act(world: World) -> None:
        world.bench.feed(CapacityChanged(_NOTHING, how))

    return act


EVENTS: Mapping[Hashable, Mapping[str, Act]] = {
    Submitted: _submits(),
    CapacityChanged: {
        "a lane is free": lambda world: world.hand_out(),
        **{f"the owner wants the machine: {how.value}": _give_way(how) for how in GiveWay},
    },
    ElementsDone: {
        "its executor says done": _report(_done),
        "an executor whose lease is over says done": _too_late,
        "its pool's list is done, and long enough": _list_of(1),
        "its pool's list is done, and too short": _list_of(0),
    },
    ElementFailed: {
        "its executor says failed": _failed(permanent=False),
        "its executor says failed, and always will": _failed(permanent=True),
    },
    ElementsReturned: {
        "its executor says given back": _report(lambda lease: ElementsReturned(lease.name, ONE)),
        "its executor says there is no room": _report(lambda lease: ElementsReturned(lease.name, ONE, "disk full")),
    },
    Progressed: {"its executor tells how far it is": _report(lambda lease: Progressed(lease.name, 0, 0.5))},
    WaitBegan: {"it waits for other work": _wait(WaitBegan)},
    WaitEnded: {"it waits no longer": _wait(WaitEnded)},
    CancelAsked: {
        "a person cancels": _cancel(unleased=False),
        "a person cancels what is not leased": _cancel(unleased=True),
    },
    ReopenAsked: {
        "a person sends back": _asked(lambda world: ReopenAsked(world.bench.cause("reopen"), ((world.task, ONE),))),
        "a person sends its pool's list back": _send_back_list,
    },
    RetryAsked: {
        "a person retries": _asked(lambda world: RetryAsked(world.bench.cause("retry"), ((world.task, ONE),)))
    },
    Answered: {
        "a person answers": _asked(
            lambda world: Answered(world.bench.cause("answer"), world.task, 0, pack(0, [b"{}"]), "ann")
        )
    },
    ForgetAsked: {"a person forgets the run": _asked(lambda world: ForgetAsked(world.bench.cause("forget"), (RUN,)))},
    SuspendAsked: {
        "the run is suspended": _asked(lambda world: SuspendAsked(world.bench.cause("suspend"), RUN, on=True)),
        "the run goes on": _asked(lambda world: SuspendAsked(world.bench.cause("resume"), RUN, on=False)),
    },
    Sealed: {"the run is sealed": _asked(lambda world: Sealed(world.bench.cause("seal"), RUN))},
    DamageFound: {"its result is damaged": _damage},
    Started: {"the node restarts": lambda world: world.restart()},
    Recalled: {"the run is read back": lambda world: world.bench.recall() if state(world).label != UNKNOWN else None},
    DrainAsked: {
        "the node drains": lambda world: world.bench.feed(DrainAsked(on=True)),
        "the node drains at once": lambda world: world.bench.feed(DrainAsked(on=True, at_once=True)),
        "the node works again": lambda world: world.bench.feed(DrainAsked(on=False)),
    },
    DeadlineReached: {"time passes": lambda world: world.bench.wait(2.0)},
    Awoke: {"the machine awakes": lambda world: world.bench.feed(Awoke(OnlineLog()))},
    VitalsChanged: {
        "its battery runs low": lambda world: world.bench.feed(VitalsChanged(Vitals(remaining=0.1))),
        "its battery is charged": lambda world: world.bench.feed(VitalsChanged(Vitals())),
    },
    Moved: {"the machine moves": lambda world: world.bench.feed(Moved("10.0.0.9:1"))},
    Leaving: {"the node leaves": lambda world: world.bench.feed(Leaving())},
    # The disk answers at once here; what a refusal does is in tickets.py.
    Persisted: {},
    PersistFailed: {},
    # What is heard about an element is merged: replicas.py.
    Heard: {},
}

MACHINE: Machine[World] = Machine(
    name="element",
    make=World,
    state=state,
    events=EVENTS,
    event_kinds=get_args(Event),
    state_kinds=(None, *get_args(states.State)),
    check=check,
    rest=rest,
    order=(
        UNKNOWN, FRESH, "leased", "released", "failed", "retried", "failed for good", "cancelled",
        "absent", "done",
    ),
)  # fmt: skip
