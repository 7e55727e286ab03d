"""Fetch: bringing here what elements need before they can start.

Rules
- Inputs and functions are asked of the node where the run was submitted, results of the node that made them. If that
  node is away, has not all of it or does not answer in time, the others are asked one after the other, likely keepers
  first, so that bulk data travels once. Who has more than one answer holds is asked on, while that brings something.
- One question is open for a task at a time. When nobody has what is lacking, the task is left to others for RETRY_S.
"""

from collections.abc import Sequence

from roost.core.data.inventory import Lacking
from roost.model.hashing import rendezvous
from roost.model.ids import NodeId, TaskId, run_of
from roost.wire.messages import Fetch, Purpose

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


class Fetching:
    def __init__(self) -> None:
        self._open: dict[TaskId, _Question] = {}
        self._numbers: dict[int, TaskId] = {}
        self._hopeless_until: dict[TaskId, float] = {}
        self._last_number = 0
        self._denied: list[tuple[TaskId, Lacking]] = []

    def take_denied(self) -> list[tuple[TaskId, Lacking]]:
        """Return what tasks lack although all nodes that are there were asked and have answered; each once."""
        denied, self._denied = self._denied, []
        return denied

    def __len__(self) -> int:
        return len(self._open)

    def is_hopeless(self, task: TaskId, now: float) -> bool:
        """Whether nobody had what the task needs, a moment ago."""
        return self._hopeless_until.get(task, 0.0) > now

    @property
    def has_hopeless(self) -> bool:
        return bool(self._hopeless_until)

    def want(
        self, task: TaskId, lacking: Lacking, likely: Sequence[NodeId], others: Sequence[NodeId], now: float
    ) -> tuple[NodeId, Fetch] | None:
        """Return whom to ask for what; None while a question about the task is open, or if nobody can be asked."""
        if task in self._open or not others or self.is_hopeless(task, now):
            return None
        by_weight = sorted(others, key=lambda node: rendezvous(run_of(task), node))
        first = [node for node in dict.fromkeys(likely) if node in others]
        left = [node for node in by_weight if node not in first] + first[::-1]
        self._last_number += 1
        question = self._open[task] = _Question(self._last_number, lacking, left)
        self._numbers[question.number] = task
        return self._ask_next(task, question, now)

    def answered(self, number: int, lacking: Lacking, now: float, *, more: bool = False) -> tuple[NodeId, Fetch] | None:
        """Somebody answered, with all that it has unless there is ``more``; ``lacking`` is still missing.

        Return whom to ask next, if need be.
        """
        task = self._numbers.get(number)
        if task is None:
            return None
        if not lacking:
            self.drop(task)
            return None
        question = self._open[task]
        brought_something = len(lacking) < len(question.lacking)
        question.lacking = lacking
        if more and brought_something and question.asked is not None:
            self._renumber(task, question)
            question.left.append(question.asked)
        return self._ask_next(task, question, now)

    def _renumber(self, task: TaskId, question: _Question) -> None:
        """Ask on under a new number, so that an answer that comes twice is followed up once."""
        del self._numbers[question.number]
        self._last_number += 1
        question.number = self._last_number
        self._numbers[question.number] = task

    def task_of(self, number: int) -> TaskId | None:
        return self._numbers.get(number)

    def drop(self, task: TaskId) -> None:
        """The task needs nothing any more."""
        question = self._open.pop(task, None)
        if question is not None:
            del self._numbers[question.number]

    def forget(self, task: TaskId) -> None:
        """The task has left memory."""
        self.drop(task)
        self._hopeless_until.pop(task, None)

    def tick(self, others: Sequence[NodeId], now: float) -> list[tuple[NodeId, Fetch]]:
        """Return what to ask of whom because somebody was silent or is away."""
        again = []
        for task, question in list(self._open.items()):
            if question.until <= now or question.asked not in others:
                question.silent = True
                question.left = [node for node in question.left if node in others]
                asked = self._ask_next(task, question, now)
                if asked is not None:
                    again.append(asked)
        for task in [task for task, until in self._hopeless_until.items() if until <= now]:
            del self._hopeless_until[task]
        return again

    def next_deadline(self) -> float | None:
        if not self._open and not self._hopeless_until:
            return None
        times = [question.until for question in self._open.values()] + list(self._hopeless_until.values())
        return min(times, default=None)

    def _ask_next(self, task: TaskId, question: _Question, now: float) -> tuple[NodeId, Fetch] | None:
        if not question.left:
            self.drop(task)
            self._hopeless_until[task] = now + RETRY_S
            if not question.silent:
                self._denied.append((task, question.lacking))
            return None
        question.asked = question.left.pop()
        question.until = now + PATIENCE_S
        lacking = question.lacking
        return question.asked, Fetch(Purpose.INPUTS, question.number, lacking.items, lacking.results, lacking.blobs)
