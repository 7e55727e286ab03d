"""Losses: what a disk has lost is taken from another node, or made again if no node has it.

Rules
- Data that was found damaged is no longer here (inventory.py). Whoever needs it asks the others (fetcher.py).
- A result that nobody has is made again, with all that was made of it, as if a person had sent it back: the next
  edition begins (queue/invalidation.py), so that all nodes agree on it. Nobody has it when every node that lives was
  asked and answered, and the node that made it is one of them; or when this node is alone and expects nobody.
- It is made again only if something that has not ended needs it. A value that came with the submission cannot be.
- A record that was found damaged is doubted: its digest counts as different from all others (queue/digests.py),
  so that the others tell what they know.
- All of it is told in the story.
"""

from collections.abc import Callable, Iterable

from roost.core.data.inventory import Inventory, Lacking
from roost.core.events import DamageFound, ReopenAsked
from roost.core.peers import Peers
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Replica
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.happenings import DataDamaged, ResultLost
from roost.model.ids import CauseId, NodeId, RunId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from roost.model.task import Value

_CAUSE = CauseId("damage")


class Losses:
    def __init__(
        self,
        turn: Turn,
        peers: Peers,
        replica: Replica,
        dataflow: Dataflow,
        readiness: Readiness,
        inventory: Inventory,
        doubt: Callable[[RunId], None],
        ask: Callable[[ReopenAsked], None],
    ) -> None:
        """``doubt`` a run whose records were damaged; ``ask`` as a person would."""
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._dataflow = dataflow
        self._readiness = readiness
        self._inventory = inventory
        self._doubt = doubt
        self._ask = ask
        #: What is about to be made again.
        self._asked: dict[TaskId, RangeSet] = {}

    def start(self) -> None:
        """See whether something is missing that was damaged in an earlier life."""
        for task, entry in self._replica.tasks.items():
            if (
                entry.spec.edges
                and (ready := self._readiness.ready(task))
                and self._inventory.lacking(entry.spec, ready)
            ):
                self._inventory.is_whole = False
                return

    def found(self, event: DamageFound) -> None:
        """The disk does not hold any more what it should."""
        about = event.task or (None if event.run is None else TaskId(event.run))
        if about is not None:
            what = DataDamaged(self._turn.name, event.what)
            self._turn.persist(Note(), self._turn.story(about, event.ranges, what, _CAUSE))
        if event.blob is not None:
            self._inventory.lose_blob(event.blob)
        elif event.holdings is not None:
            self._correct(event.holdings.task, event)
        elif event.run is not None:
            self._doubt(event.run)
        self._turn.stir()

    def _correct(self, task: TaskId, event: DamageFound) -> None:
        if task in self._replica.tasks and event.holdings is not None:
            self._inventory.correct(event.holdings)
            for name in (task, *self._dataflow.targets(task)):
                self._turn.touch(name)

    def follow(self) -> None:
        """Alone, nobody can be asked: what is ready and lacks results has them made again."""
        if self._inventory.is_whole or self._peers.has_company:
            return
        for task, entry in list(self._replica.tasks.items()):
            if entry.spec.edges and (ready := self._readiness.ready(task)):
                self.nobody_has(task, self._inventory.lacking(entry.spec, ready))

    def nobody_has(self, task: TaskId, lacking: Lacking) -> None:
        """Elements of a task need these results, and no node that is there has them: have them made again."""
        for source, ranges in lacking.results:
            lost = self._lost(source, ranges)
            asked = self._asked.get(source, EMPTY) & lost
            if lost - asked:
                self._ask(ReopenAsked(_CAUSE, ((source, lost - asked),), ResultLost(task)))
            self._asked[source] = lost

    def among(self, tasks: Iterable[tuple[TaskId, RangeSet]]) -> tuple[tuple[TaskId, RangeSet], ...]:
        """Return those of these elements that this node made, and whose results it has no more."""
        found = []
        for task, ranges in tasks:
            entry = self._replica.tasks.get(task)
            if entry is not None and not isinstance(entry.spec.work, Value):
                own = RangeSet.of_spans(
                    span
                    for state, part in entry.elements.entries_within(entry.done & ranges)
                    if isinstance(state, Done) and state.node == self._turn.name
                    for span in part.spans()
                )
                if lost := own - self._inventory.results(task):
                    found.append((task, lost))
        return tuple(found)

    def _lost(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return those whose maker is here, and has them no more; whoever is away may bring his back."""
        entry = self._replica.tasks[task]
        lost = EMPTY
        if not isinstance(entry.spec.work, Value):
            for state, part in entry.elements.entries_within(ranges):
                if isinstance(state, Done) and self._is_here(state.node):
                    lost |= part
        return lost

    def _is_here(self, maker: NodeId) -> bool:
        return maker == self._turn.name or maker in self._peers.others
