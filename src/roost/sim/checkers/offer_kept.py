"""The offer: a node never begins anything beyond what it offers, and what runs beyond it gives way as it was told.

It keeps books of its own, of what was started, stopped and answered, and does not ask the node what it believes.
"""

from roost.core.actions import Action, Continue, Pause, Start, Stop, StopMode
from roost.core.events import (
    CapacityChanged,
    ElementFailed,
    ElementsDone,
    ElementsReturned,
    Event,
    GiveWay,
    Started,
    WaitBegan,
    WaitEnded,
)
from roost.core.node import Node
from roost.model.ids import LeaseId, NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk


class _Lane:
    def __init__(self, cpus: float) -> None:
        self.cpus = cpus
        self.frozen = False
        #: The element that waits for other work, if it does.
        self.waits: tuple[LeaseId, int] | None = None
        #: What is not answered of each lease, and what of it was told to stop, and to die.
        self.left: dict[LeaseId, RangeSet] = {}
        self.stopping: dict[LeaseId, RangeSet] = {}
        self.dying: dict[LeaseId, RangeSet] = {}

    def gives_way(self, how: GiveWay) -> bool:
        told = {GiveWay.FINISH: self.stopping, GiveWay.GIVE_BACK: self.dying, GiveWay.FREEZE: None}[how]
        if told is None:
            return False
        going_on = sum(len(ranges - told.get(lease, EMPTY)) for lease, ranges in self.left.items())
        return going_on <= (how is GiveWay.FINISH)


class _Books:
    def __init__(self, cpus: float) -> None:
        self.offered = cpus
        self.lanes: dict[int, _Lane] = {}
        self.lane_of: dict[LeaseId, int] = {}
        #: How work was told to give way, until it is looked whether it did.
        self.how: GiveWay | None = None

    def running(self) -> list[_Lane]:
        return [lane for lane in self.lanes.values() if not lane.frozen and lane.waits is None]

    def answered(self, lease: LeaseId, ranges: RangeSet) -> None:
        name = self.lane_of.get(lease)
        if name is None:
            return
        lane = self.lanes[name]
        lane.left[lease] -= ranges
        if lane.waits is not None and lane.waits[0] == lease and lane.waits[1] in ranges:
            lane.waits = None
        if not lane.left[lease]:
            del lane.left[lease], self.lane_of[lease]
        if not lane.left:
            del self.lanes[name]


class OfferKept(MeshChecker):
    def __init__(self) -> None:
        self._books: dict[NodeId, _Books] = {}

    def on_end(self, node: NodeId) -> None:
        self._books.pop(node, None)

    def on_event(self, event: Event, node: Node) -> None:
        if isinstance(event, Started):
            self._books[node.name] = _Books(node.queue.lanes.capacity.cpus)
            return
        books = self._books[node.name]
        if books.how is not None:
            self._gave_way(books, books.how, node.name)
        match event:
            case CapacityChanged(capacity=capacity, how=how):
                books.offered, books.how = capacity.cpus, how
            case ElementsDone(lease=lease, segments=segments):
                for segment in segments:
                    books.answered(lease, segment.ranges)
            case ElementFailed(lease=lease, index=index):
                books.answered(lease, RangeSet.span(index, index + 1))
            case ElementsReturned(lease=lease, ranges=ranges):
                books.answered(lease, ranges)
            case WaitBegan(lease=lease, index=index) | WaitEnded(lease=lease, index=index) if lease in books.lane_of:
                waits = (lease, index) if isinstance(event, WaitBegan) and index is not None else None
                books.lanes[books.lane_of[lease]].waits = waits
            case _:
                pass

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        books = self._books[node.name]
        match action:
            case Start(lease=lease, lane=name, spec=spec, ranges=ranges):
                books.lanes.setdefault(name, _Lane(spec.needs.cpus)).left[lease] = ranges
                books.lane_of[lease] = name
                self._within(books, node.name)
            case Stop(lease=lease, ranges=ranges, mode=mode) if lease in books.lane_of:
                lane = books.lanes[books.lane_of[lease]]
                for told in (lane.stopping, lane.dying) if mode is StopMode.KILL else (lane.stopping,):
                    told[lease] = told.get(lease, EMPTY) | ranges
            case Pause(lease=lease) if lease in books.lane_of:
                books.lanes[books.lane_of[lease]].frozen = True
            case Continue(lease=lease) if lease in books.lane_of:
                books.lanes[books.lane_of[lease]].frozen = False
                self._within(books, node.name)
            case _:
                pass

    def _within(self, books: _Books, node: NodeId) -> None:
        taken = sum(lane.cpus for lane in books.running())
        if taken > books.offered + 1e-9:
            raise Broken(f"{taken:g} CPUs are taken and {books.offered:g} are offered by {node}, which begins more")

    def _gave_way(self, books: _Books, how: GiveWay, node: NodeId) -> None:
        books.how = None
        staying = sum(lane.cpus for lane in books.running() if not lane.gives_way(how))
        if staying > books.offered + 1e-9:
            raise Broken(f"{staying:g} CPUs stay taken and {books.offered:g} are offered by {node}: {how} was wanted")
