"""The fetcher asks other nodes for inputs that elements need and that are not here (fetch.py: whom, and when)."""

from collections.abc import Callable

from roost.core.actions import Send
from roost.core.data.fetch import Fetching
from roost.core.data.inventory import Inventory, Lacking
from roost.core.peers import Peers
from roost.core.queue.replica import Replica
from roost.core.turn import Turn
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.states import Done
from roost.model.task import TaskSpec
from roost.wire.messages import Delivery, Fetch


class Fetcher:
    def __init__(self, turn: Turn, peers: Peers, replica: Replica, inventory: Inventory) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._inventory = inventory
        self._fetching = Fetching()

    def fetch(self, spec: TaskSpec, ranges: RangeSet) -> None:
        """Ask for what these elements need and this node has not."""
        lacking = self._inventory.lacking(spec, ranges)
        likely = [spec.submitted.node]
        for source, _ in lacking.results:
            made = self._replica.tasks[source].elements.items()
            likely += [state.node for state, _ in made if isinstance(state, Done)]
        self._ask(self._fetching.want(spec.id, lacking, likely, self._peers.others, self._turn.now))

    def is_hopeless(self, task: TaskId) -> bool:
        """Whether nobody had what elements of a task need, a moment ago."""
        return self._fetching.is_hopeless(task, self._turn.now)

    @property
    def has_hopeless(self) -> bool:
        return self._fetching.has_hopeless

    def answered(self, delivery: Delivery, still_wanted: Callable[[TaskId], RangeSet]) -> list[tuple[TaskId, Lacking]]:
        """Somebody has sent what he had; ask on for the rest. Return what nobody who is there has, by who needs it."""
        task = self._fetching.task_of(delivery.number)
        if task is None:
            return []
        lacking = self._inventory.lacking(self._replica.tasks[task].spec, still_wanted(task))
        self._ask(self._fetching.answered(delivery.number, lacking, self._turn.now, more=delivery.more))
        return self._fetching.take_denied()

    def forget(self, task: TaskId) -> None:
        self._fetching.forget(task)

    def tick(self) -> None:
        for asked in self._fetching.tick(self._peers.others, self._turn.now):
            self._ask(asked)

    def next_deadline(self) -> float | None:
        return self._fetching.next_deadline()

    def _ask(self, asked: tuple[NodeId, Fetch] | None) -> None:
        if asked is not None:
            self._turn.act(Send(*asked))
