"""The checker of the offer notices a node that begins too much, and one whose work does not give way."""

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from roost.core.actions import Action, Continue, Pause, Start, Stop, StopMode
from roost.core.events import (
    CapacityChanged,
    DeadlineReached,
    ElementFailed,
    ElementsDone,
    ElementsReturned,
    GiveWay,
    Started,
    WaitBegan,
    WaitEnded,
)
from roost.core.queue.lanes import Lanes
from roost.core.queue.scheduler import Scheduler
from roost.core.queue.yielding import Yielding
from roost.model.ids import LeaseId, NodeId
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.task import Failure
from roost.sim.checkers.observer import Broken
from roost.sim.checkers.offer_kept import OfferKept
from roost.sim.executor import Mishaps
from roost.sim.hosts import Visit
from roost.sim.life import Faults
from tests.core.harness import ranges
from tests.sim.checkers.meshes import LONERS, NOWHERE, A, live_through
from tests.tokens import attempt

VISITS = tuple(
    Visit(0.5 + at, 1.2 + at, machine, how=how)
    for at in range(4)
    for machine, how in zip(("n1", "n2", "n3"), GiveWay, strict=True)
)


def capacity(cpus: float) -> Capacity:
    return Capacity.of(cpus, 2**33, "3.11")


class Case:
    """A node that offers two processors, as the checker sees it."""

    def __init__(self) -> None:
        self.checker = OfferKept()
        lanes = SimpleNamespace(capacity=capacity(2.0))
        self.node: Any = SimpleNamespace(name=NodeId("n1"), queue=SimpleNamespace(lanes=lanes))
        self.see(Started())

    def see(self, event: Any) -> None:
        self.checker.on_event(event, self.node)

    def do(self, *actions: Action) -> None:
        for action in actions:
            self.checker.on_action(action, self.node, NOWHERE)

    def start(self, lease: int, members: str, lane: int | None = None) -> None:
        self.do(Start(LeaseId(lease), lane or lease, A, ranges(members), attempt(1)))

    def shrink(self, cpus: float, how: GiveWay, *actions: Action) -> None:
        """Let the offer shrink, see what is done about it, and see the next event."""
        self.see(CapacityChanged(capacity(cpus), how))
        self.do(*actions)
        self.see(DeadlineReached())


def test_an_element_that_waits_for_others_leaves_its_processor_to_one_more() -> None:
    case = Case()
    case.start(1, "0-3")
    case.start(2, "4")
    case.see(WaitBegan(LeaseId(1), 0))
    case.see(ElementsReturned(LeaseId(1), ranges("1-3")))
    case.start(3, "5")
    with pytest.raises(Broken, match="begins more"):
        case.start(4, "6")


@pytest.mark.parametrize("end", [WaitEnded(LeaseId(1), 0), ElementsReturned(LeaseId(1), ranges("0"))])
def test_an_element_that_waits_no_more_leaves_nothing(end: WaitEnded | ElementsReturned) -> None:
    case = Case()
    case.start(1, "0-1")
    case.see(WaitBegan(LeaseId(1), 0))
    case.see(end)
    case.start(2, "4")
    with pytest.raises(Broken, match="begins more"):
        case.start(3, "5")


def stop(lease: int, members: str, mode: StopMode) -> Stop:
    return Stop(LeaseId(lease), ranges(members), mode)


def test_what_is_within_the_offer_may_begin_and_no_more() -> None:
    case = Case()
    case.start(1, "0")
    case.start(2, "1")
    with pytest.raises(Broken, match="3 CPUs are taken and 2 are offered by n1"):
        case.start(3, "2")


@pytest.mark.parametrize(
    "answer",
    [
        ElementsDone(LeaseId(1), (pack(0, [b""]),), 0.1),
        ElementFailed(LeaseId(1), 0, Failure("no")),
        ElementsReturned(LeaseId(1), ranges("0")),
    ],
)
def test_what_is_answered_makes_room_and_nothing_else_does(answer: Any) -> None:
    case = Case()
    case.start(1, "0")
    case.start(1, "0")
    case.start(2, "1")
    case.see(ElementsReturned(LeaseId(9), ranges("0-9")))
    case.see(ElementsReturned(LeaseId(2), ranges("5")))
    case.see(answer)
    case.start(3, "2")
    with pytest.raises(Broken, match="are taken"):
        case.start(4, "2")


def test_what_is_frozen_takes_nothing_until_it_goes_on() -> None:
    case = Case()
    for lease in (1, 2):
        case.start(lease, str(lease))
    case.do(Pause(LeaseId(1)))
    case.start(3, "0")
    with pytest.raises(Broken, match="are taken"):
        case.do(Continue(LeaseId(1)))


def test_another_life_has_other_books() -> None:
    case = Case()
    case.start(1, "0")
    case.start(2, "1")
    case.checker.on_end(NodeId("n1"))
    case.see(Started())
    case.start(1, "0")


@pytest.mark.parametrize("how", GiveWay)
def test_what_ignores_a_smaller_offer_is_noticed(how: GiveWay) -> None:
    case = Case()
    case.start(1, "0-1")
    with pytest.raises(Broken, match="1 CPUs stay taken and 0 are offered"):
        case.shrink(0.0, how)


def test_each_way_to_give_way_has_its_own_signs() -> None:
    behind, all_of_it = stop(1, "1-2", StopMode.UNSTARTED), stop(1, "0-2", StopMode.KILL)
    signs: dict[GiveWay, list[Action]] = {
        GiveWay.FINISH: [behind],
        GiveWay.FREEZE: [behind, Pause(LeaseId(1))],
        GiveWay.GIVE_BACK: [all_of_it],
    }
    for how, actions in signs.items():
        case = Case()
        case.start(1, "0-2")
        case.shrink(0.0, how, *actions)
        with pytest.raises(Broken):
            case.start(2, "3")
    for how, wrong in ((GiveWay.FREEZE, all_of_it), (GiveWay.GIVE_BACK, behind)):
        case = Case()
        case.start(1, "0-2")
        with pytest.raises(Broken):
            case.shrink(0.0, how, wrong)


def test_it_notices_lanes_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lanes, "fits", lambda lanes, needs: len(lanes.open_lanes) < 8)
    with pytest.raises(Broken, match="CPUs are taken and 2 are offered"):
        live_through(range(30))


def test_it_notices_a_node_that_forgets_its_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_for_later(yielding: Yielding, event: CapacityChanged) -> None:
        yielding._scheduler.set_capacity(event.capacity)

    monkeypatch.setattr(Yielding, "change_offer", only_for_later)
    with pytest.raises(Broken, match="CPUs stay taken and 0 are offered"):
        live_through(range(10), faults=VISITS)


def test_it_notices_a_lane_that_gets_more_to_do_while_its_owner_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def could_take(scheduler: Scheduler, lane: Any, spec: Any) -> bool:
        return not lane.paused and lane.takes(spec)

    monkeypatch.setattr(Scheduler, "_could_take", could_take)
    quick = msgspec.structs.replace(LONERS, machine=Faults(mishaps=Mishaps(mean_s=0.01, slow=0.2)))
    halves = tuple(Visit(0.2 * at, 0.2 * at + 0.1, f"n{1 + at % 3}", cpus=1.0) for at in range(1, 20))
    with pytest.raises(Broken, match="which begins more"):
        live_through(range(30), quick, halves)
