"""The fetcher asks other nodes for inputs that elements need before they can start, and that are not here.

Rules
- Inputs and functions are asked of the node where the run was submitted, results of the node that made them. If that
  node is away, has not all of it or does not answer in time, the others are asked one after the other, likely keepers
  first, so that bulk data travels once. Who has more than one answer holds is asked on, while that brings something.
- One question is open for a task at a time. When nobody has what is lacking, the task is left to others for RETRY_S.
"""

from collections.abc import Callable

from roost.core.actions import Send
from roost.core.data.inventory import Inventory, Lacking
from roost.core.peers import Peers
from roost.core.queue.replica import Replica
from roost.core.turn import Turn
from roost.model.hashing import rendezvous
from roost.model.ids import NodeId, TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.states import Done
from roost.model.task import TaskSpec
from roost.wire.messages import Delivery, Fetch, Purpose

#: How long a node has to answer before the next is asked. Longer for bulk data over slow links: what arrives late is
#: kept all the same.
PATIENCE_S = 2.0
#: How long a task is left alone when nobody had what it needs.
RETRY_S = 5.0


class _Question:
    __slots__ = ("asked", "lacking", "left", "number", "silent", "until")

    def __init__(self, number: int, lacking: Lacking, left: list[NodeId]) -> None:
        self.number = number
        self.lacking = lacking
        #: Whom to ask, the likeliest last.
        self.left = left
        self.asked: NodeId | None = None
        self.until = 0.0
        #: Whether somebody did not answer, who may have it.
        self.silent = False


class Fetcher:
    def __init__(self, turn: Turn, peers: Peers, replica: Replica, inventory: Inventory) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._inventory = inventory
        self._open: dict[TaskId, _Question] = {}
        self._numbers: dict[int, TaskId] = {}
        self._hopeless_until: dict[TaskId, float] = {}
        self._last_number = 0

    def is_hopeless(self, task: TaskId) -> bool:
        """Whether nobody had what elements of a task need, a moment ago."""
        return self._hopeless_until.get(task, 0.0) > self._turn.now

    def missing(self, spec: TaskSpec, ranges: RangeSet) -> int:
        """Return how many pieces of data have to come here before these elements can start."""
        return len(self._inventory.lacking(spec, ranges))

    @property
    def has_hopeless(self) -> bool:
        return bool(self._hopeless_until)

    def fetch(self, spec: TaskSpec, ranges: RangeSet) -> None:
        """Ask for what these elements need and this node has not, unless a question about their task is open."""
        others = self._peers.others
        if spec.id in self._open or not others or self.is_hopeless(spec.id):
            return
        lacking = self._inventory.lacking(spec, ranges)
        likely = [spec.submitted.node]
        for source, _ in lacking.results:
            made = self._replica.tasks[source].elements.items()
            likely += [state.node for state, _ in made if isinstance(state, Done)]
        by_weight = sorted(others, key=lambda node: rendezvous(run_of(spec.id), node))
        first = [node for node in dict.fromkeys(likely) if node in others]
        left = [node for node in by_weight if node not in first] + first[::-1]
        question = self._open[spec.id] = _Question(0, lacking, left)
        self._renumber(spec.id, question)
        self._ask_next(spec.id, question)

    def answered(self, delivery: Delivery, still_wanted: Callable[[TaskId], RangeSet]) -> list[tuple[TaskId, Lacking]]:
        """Somebody has sent all that he has, unless there is ``more``; ask on for what is still missing.

        Return what a task lacks although all nodes that are there were asked and have answered.
        """
        task = self._numbers.get(delivery.number)
        if task is None:
            return []
        lacking = self._inventory.lacking(self._replica.tasks[task].spec, still_wanted(task))
        if not lacking:
            self._drop(task)
            return []
        question = self._open[task]
        brought_something = len(lacking) < len(question.lacking)
        question.lacking = lacking
        if delivery.more and brought_something and question.asked is not None:
            # So that an answer that comes twice is followed up once.
            self._renumber(task, question)
            question.left.append(question.asked)
        if self._ask_next(task, question) or question.silent:
            return []
        return [(task, lacking)]

    def forget(self, task: TaskId) -> None:
        """The task has left memory."""
        self._drop(task)
        self._hopeless_until.pop(task, None)

    def tick(self) -> None:
        """Ask others where somebody was silent or is away."""
        others, now = self._peers.others, self._turn.now
        for task, question in list(self._open.items()):
            if question.until <= now or question.asked not in others:
                question.silent = True
                question.left = [node for node in question.left if node in others]
                self._ask_next(task, question)
        for task in [task for task, until in self._hopeless_until.items() if until <= now]:
            del self._hopeless_until[task]

    def next_deadline(self) -> float | None:
        times = [question.until for question in self._open.values()]
        return min([*times, *self._hopeless_until.values()], default=None)

    def _renumber(self, task: TaskId, question: _Question) -> None:
        self._numbers.pop(question.number, None)
        self._last_number += 1
        question.number = self._last_number
        self._numbers[question.number] = task

    def _drop(self, task: TaskId) -> None:
        """The task needs nothing any more."""
        question = self._open.pop(task, None)
        if question is not None:
            del self._numbers[question.number]

    def _ask_next(self, task: TaskId, question: _Question) -> bool:
        """Ask the next node, if there is one."""
        if not question.left:
            self._drop(task)
            self._hopeless_until[task] = self._turn.now + RETRY_S
            return False
        question.asked = question.left.pop()
        question.until = self._turn.now + PATIENCE_S
        lacking = question.lacking
        fetch = Fetch(Purpose.INPUTS, question.number, lacking.items, lacking.results, lacking.blobs)
        self._turn.act(Send(question.asked, fetch))
        return True
