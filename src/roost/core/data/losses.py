"""Losses: what a disk has lost is taken from another node, or made again if no node has it.

Rules
- Data that was found damaged is no longer here (inventory.py). Whoever needs it asks the others (fetch.py).
- A result that nobody has is made again, with all that was made of it, as if a person had sent it back: the next
  edition begins (queue/invalidation.py), so that all nodes agree on it. Nobody has it when every node that lives was
  asked and answered, and the node that made it is one of them; or when this node is alone and expects nobody.
- It is made again only if something that has not ended needs it. A value that came with the submission cannot be.
- A record that was found damaged is doubted: its digest counts as different from all others (anti_entropy/digests.py),
  so that the others tell what they know.
- All of it is told in the story.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from roost.core.data.inventory import Lacking
from roost.core.events import DamageFound, ReopenAsked
from roost.core.tickets import Note
from roost.model.happenings import DataDamaged, ResultLost
from roost.model.ids import CauseId, NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from roost.model.task import Value

if TYPE_CHECKING:
    from roost.core.node import Node

_CAUSE = CauseId("damage")


class Losses:
    def __init__(self, node: "Node") -> None:
        self._node = node
        #: What is about to be made again.
        self._asked: dict[TaskId, RangeSet] = {}

    def start(self) -> None:
        """See whether something is missing that was damaged in an earlier life."""
        node = self._node
        for task, entry in node.replica.tasks.items():
            if entry.spec.edges and (ready := node.ready(task)) and node.inventory.lacking(entry.spec, ready):
                node.inventory.is_whole = False
                return

    def found(self, event: DamageFound) -> None:
        """The disk does not hold any more what it should."""
        node = self._node
        about = event.task or (None if event.run is None else TaskId(event.run))
        if about is not None:
            node.persist(Note(), node.story(about, event.ranges, DataDamaged(node.name, event.what), _CAUSE))
        if event.blob is not None:
            node.inventory.lose_blob(event.blob)
        elif event.holdings is not None:
            self._correct(event.holdings.task, event)
        elif event.run is not None:
            node.digests.doubt(event.run)
        node.stir()

    def _correct(self, task: TaskId, event: DamageFound) -> None:
        node = self._node
        if task in node.replica.tasks and event.holdings is not None:
            node.inventory.correct(event.holdings)
            for name in (task, *node.dataflow.targets(task)):
                node.touch(name)

    def follow(self) -> None:
        """Alone, nobody can be asked: what is ready and lacks results has them made again."""
        node = self._node
        if node.inventory.is_whole or node.mesh.has_company:
            return
        for task, entry in list(node.replica.tasks.items()):
            if entry.spec.edges and (ready := node.ready(task)):
                self.nobody_has(task, node.inventory.lacking(entry.spec, ready))

    def nobody_has(self, task: TaskId, lacking: Lacking) -> None:
        """Elements of a task need these results, and no node that is there has them: have them made again."""
        node = self._node
        for source, ranges in lacking.results:
            lost = self._lost(source, ranges)
            asked = self._asked.get(source, EMPTY) & lost
            if lost - asked:
                node.requests.ask(ReopenAsked(_CAUSE, ((source, lost - asked),), ResultLost(task)))
            self._asked[source] = lost

    def among(self, tasks: Iterable[tuple[TaskId, RangeSet]]) -> tuple[tuple[TaskId, RangeSet], ...]:
        """Return those of these elements that this node made, and whose results it has no more."""
        found = []
        for task, ranges in tasks:
            entry = self._node.replica.tasks.get(task)
            if entry is not None and not isinstance(entry.spec.work, Value):
                own = RangeSet.of_spans(
                    span
                    for state, part in entry.elements.entries_within(entry.done & ranges)
                    if isinstance(state, Done) and state.node == self._node.name
                    for span in part.spans()
                )
                if lost := own - self._node.inventory.results(task):
                    found.append((task, lost))
        return tuple(found)

    def _lost(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return those whose maker is here, and has them no more; whoever is away may bring his back."""
        entry = self._node.replica.tasks[task]
        lost = EMPTY
        if not isinstance(entry.spec.work, Value):
            for state, part in entry.elements.entries_within(ranges):
                if isinstance(state, Done) and self._is_here(state.node):
                    lost |= part
        return lost

    def _is_here(self, maker: NodeId) -> bool:
        return maker == self._node.name or maker in self._node.mesh.others
