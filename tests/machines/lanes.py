"""A lane of this machine, and what it leaves free (core/queue/lanes.py)."""

from collections.abc import Callable, Hashable

from roost.core.queue.lanes import Lane, Lanes
from roost.core.queue.leases import Lease
from roost.model.ids import LeaseId
from roost.model.ranges import ONE
from roost.model.resources import Capacity
from tests.core.harness import GIB, task
from tests.machines.machine import CannotHappen, Machine, State, methods_of
from tests.tokens import attempt

_OFFERS = (Capacity.of(2.0, 4 * GIB, "3.11"), Capacity.of(0.0, 4 * GIB, "3.11"))
#: A lane has few leases at a time: the one that runs, and what was leased ahead.
_LEASES_MAX = 2
#: (paused, lent) of an open lane.
OPEN = {(False, False): "runs", (True, False): "frozen", (False, True): "lent", (True, True): "frozen and lent"}
CLOSED = "closed"


class Machinery:
    """A node's lanes, of which at most one is open."""

    def __init__(self) -> None:
        self.lanes = Lanes(_OFFERS[0])
        self.granted = 0

    @property
    def lane(self) -> Lane:
        if not self.lanes.open_lanes:
            raise CannotHappen
        return next(iter(self.lanes.open_lanes.values()))

    def open(self) -> None:
        if self.lanes.open_lanes:
            raise CannotHappen
        self.put(self.lanes.open_for(task("a")))

    def put(self, lane: Lane) -> None:
        if len(lane.leases) == _LEASES_MAX:
            raise CannotHappen
        self.granted += 1
        name = LeaseId(self.granted)
        lane.leases[name] = Lease(name, task("a"), lane.name, ONE, attempt(1), 0.0)


def state(machinery: Machinery) -> State:
    if not machinery.lanes.open_lanes:
        return State(None, CLOSED)
    kind = (machinery.lane.paused, machinery.lane.lent)
    return State(kind, OPEN[kind])


def rest(machinery: Machinery) -> Hashable:
    lanes = machinery.lanes.open_lanes
    return machinery.lanes.capacity.cpus, len(machinery.lane.leases) if lanes else 0


def check(machinery: Machinery) -> None:
    lanes = machinery.lanes
    lanes.check([lease for lane in lanes.open_lanes.values() for lease in lane.leases.values()])
    if not lanes.open_lanes:
        assert lanes.free == lanes.capacity, "a closed lane takes something"


def _acts(act: Callable[[Machinery], object]) -> Callable[[Machinery], str | None]:
    def acted(machinery: Machinery) -> None:
        act(machinery)

    return acted


MACHINE: Machine[Machinery] = Machine(
    name="lane",
    make=Machinery,
    state=state,
    events={
        "open_for": {
            "a lease opens it": _acts(lambda machinery: machinery.open()),
            "another lease comes behind": _acts(lambda machinery: machinery.put(machinery.lane)),
        },
        "lease_over": {
            "its lease is over": _acts(lambda machinery: machinery.lanes.lease_over(machinery.lane.front)),
        },
        "pause": {"it is frozen": _acts(lambda machinery: machinery.lanes.pause(machinery.lane))},
        "resume": {"it goes on": _acts(lambda machinery: machinery.lanes.resume(machinery.lane))},
        "lend": {
            "its element waits for other work": _acts(lambda machinery: machinery.lanes.lend(machinery.lane, on=True)),
            "its element waits no longer": _acts(lambda machinery: machinery.lanes.lend(machinery.lane, on=False)),
        },
        "set_capacity": {
            "the machine offers nothing": _acts(lambda machinery: machinery.lanes.set_capacity(_OFFERS[1])),
            "the machine offers more": _acts(lambda machinery: machinery.lanes.set_capacity(_OFFERS[0])),
        },
    },
    event_kinds=methods_of(Lanes, without=("check", "could_hold", "fits", "span")),
    state_kinds=(None, *OPEN),
    check=check,
    rest=rest,
    order=(CLOSED, *OPEN.values()),
)
