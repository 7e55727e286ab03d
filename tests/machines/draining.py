"""A node that is about to be switched off (core/queue/draining.py), alone, with one lane and one element to do."""

from collections.abc import Callable, Hashable

from roost.core.actions import Refused
from roost.core.events import DrainAsked
from roost.core.peers import Peers
from roost.core.queue.draining import Draining
from roost.model.ids import NodeId
from tests.core.harness import RUN, Bench, task
from tests.machines.machine import CannotHappen, Machine, State, methods_of

WORKS, IDLE, ENDS, MAY_STOP = "works", "idle", "drains", "may stop"


class World:
    def __init__(self) -> None:
        self.bench = Bench(cpus=1)

    @property
    def is_busy(self) -> bool:
        return bool(self.bench.node.queue.leases.active)

    def submit(self) -> None:
        if RUN in self.bench.node.queue.replica.runs or RUN in self.bench.disk.runs:
            raise CannotHappen
        assert not isinstance(self.bench.submit(task("a")), Refused)

    def executor(self, act: Callable[[Bench], None]) -> None:
        if not self.is_busy:
            raise CannotHappen
        act(self.bench)

    def suspend(self, *, on: bool) -> None:
        if RUN not in self.bench.node.queue.replica.runs:
            raise CannotHappen
        (self.bench.suspend if on else self.bench.resume)()


def state(world: World) -> State:
    remaining = world.bench.node.remaining()
    if remaining.draining:
        return State(remaining.may_stop, MAY_STOP if remaining.may_stop else ENDS)
    return State(None, WORKS if world.is_busy else IDLE)


def rest(world: World) -> Hashable:
    queue = world.bench.node.queue
    run = queue.replica.runs.get(RUN)
    stopping = tuple(bool(lease.stopping) for lease in queue.leases.active.values())
    return stopping, None if run is None else run.suspended, RUN in world.bench.disk.ends


def check(world: World) -> None:
    """A node that drains takes nothing, and what it has ends; it may stop only when it has nothing."""
    remaining = world.bench.node.remaining()
    assert not (remaining.may_stop and (world.is_busy or remaining.unwritten))
    assert remaining.draining or not remaining.may_stop
    if remaining.draining:
        frozen = [lane for lane in world.bench.node.queue.lanes.open_lanes.values() if lane.paused]
        assert all(lane.front.stopping for lane in frozen), "what is frozen would never end"


def _acts(act: Callable[[World], object]) -> Callable[[World], str | None]:
    def acted(world: World) -> None:
        act(world)

    return acted


def _asked(*, on: bool, at_once: bool = False) -> Callable[[World], str | None]:
    return _acts(lambda world: world.bench.feed(DrainAsked(on, at_once)))


def _heard(*, drains: bool) -> Callable[[World], str | None]:
    return _acts(lambda world: world.bench.node.peers.said(NodeId("oak"), drains=drains))


MACHINE: Machine[World] = Machine(
    name="draining",
    make=World,
    state=state,
    events={
        "asked": {
            "a person drains it": _asked(on=True),
            "a person drains it at once": _asked(on=True, at_once=True),
            "a person lets it work": _asked(on=False),
        },
        "follow": {
            "work is handed in": _acts(lambda world: world.submit()),
            "its executor says done": _acts(lambda world: world.executor(lambda bench: bench.done("a"))),
            "its executor says given back": _acts(
                lambda world: world.executor(lambda bench: bench.give_back("a", "0"))
            ),
            "the run is suspended": _acts(lambda world: world.suspend(on=True)),
            "the run goes on": _acts(lambda world: world.suspend(on=False)),
            "time passes": _acts(lambda world: world.bench.wait(2.0)),
            "the node restarts": _acts(lambda world: world.bench.boot()),
        },
        Peers.said: {
            "another node drains": _heard(drains=True),
            "another node works again": _heard(drains=False),
        },
    },
    event_kinds=(Peers.said, *methods_of(Draining, without=("remaining",))),
    state_kinds=(None, False, True),
    check=check,
    rest=rest,
    order=(IDLE, WORKS, ENDS, MAY_STOP),
)
