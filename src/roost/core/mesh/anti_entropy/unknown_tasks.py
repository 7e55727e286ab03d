"""Unknown tasks: messages about what a node does not know (DICE: DOYOUKNOWTHISELEMENT and its answers; LAN: GET_TASK).

A message may name a task whose record was lost on its way to this node, or is late. The node asks everybody, and of
those who know the task about one answers. This is the quick way; anti-entropy repairs what is missed here, so every
table may refuse, and every question may end without an answer.

Rules
- Whether to ask is the node's strategy: always, only if enough nodes are near, never.
- The first question waits for a delivery time or two, because most often the record was merely overtaken. It is
  repeated with doubling pauses, ASKS_MAX times in all. Then the task is left alone for as long as messages go on naming
  it and FORGET_S longer: nothing is asked about for ever. When the last other node has gone, nobody is left to ask.
  What belongs to a run that was forgotten is asked about no more (core/tombstones.py).
- A question about one task of a run counts as one about all of them, because the answer brings the whole run; and so
  does a question of another node, because all hear the answer.
- Who is asked and knows the task waits for a random time, and answers if nobody else did meanwhile. The time is drawn
  from an interval that grows with the number of nodes; so the first answer comes after about SPREAD delivery times and
  on average 1/SPREAD others cross it, however many know the task.
- Answers are broadcast, because they are what keeps others from answering.
- A task that has ended, or that the map of finished tasks remembers, is answered by ALREADYFINISHEDELEMENT, another by
  its run's records (TAKEMYELEMENT).
- After an answer, questions are left unanswered for a delivery time: they were asked before it arrived.
"""

from collections.abc import Collection
from enum import StrEnum
from typing import TypeAlias

import msgspec

from roost.core.mesh.anti_entropy.finished_tasks import FinishedTasks
from roost.model.chance import Chance
from roost.model.errors import InvariantViolated
from roost.model.ids import RunId, TaskId, run_of
from roost.model.limits import ANSWERS_MAX, UNKNOWN_TASKS_MAX

#: Questions about one task. More: a better chance when many messages are lost. Fewer: less noise about what is gone.
ASKS_MAX = 5
#: The random time before an answer is up to this many delivery times for every node. More: fewer answers that cross
#: each other. Less: a sooner answer.
SPREAD = 6.0
#: ... and never more than this: by then anti-entropy has found what is missing, and an answer is noise.
ANSWERING_S_MAX = 2.0
#: How long after the last word of a task that nobody explained the next one counts as new.
FORGET_S = 60.0


class Strategy(StrEnum):
    """What to do about an unknown task (DICE, strategies used)."""

    #: ALWAYSWANTTHISELEMENT
    ALWAYS = "always"
    #: DEPENDSONDEVICESNUMWANTTHISELEMENT
    DEPENDS = "depends"
    #: NEVERWANTTHISELEMENT
    NEVER = "never"


class Known(StrEnum):
    """What a node's replica says of a task that another asks about."""

    NO = "no"
    OPEN = "open"
    #: All its elements have ended.
    ENDED = "ended"


class AskEverybody(msgspec.Struct, frozen=True):
    """Broadcast DoYouKnow."""

    task: TaskId


class AnswerEverybody(msgspec.Struct, frozen=True):
    """Broadcast AlreadyFinished if ``finished``, else the records of the task's run."""

    task: TaskId
    finished: bool


Saying: TypeAlias = AskEverybody | AnswerEverybody


class _Question:
    __slots__ = ("asked", "at", "named_at")

    def __init__(self, at: float, now: float) -> None:
        #: How often it was asked, by whomever.
        self.asked = 0
        #: When to ask next; None when it was asked often enough.
        self.at: float | None = at
        self.named_at = now


class UnknownTasks:
    """Questions and answers of one node. ``delivery_s`` and ``nodes`` are kept up to date from outside."""

    def __init__(
        self, rng: Chance, finished: FinishedTasks, strategy: Strategy, *, delivery_s: float, enough_nodes: int = 3
    ) -> None:
        self._rng = rng
        self._finished = finished
        self._strategy = strategy
        self._enough_nodes = enough_nodes
        #: How long a message takes to reach the others, as measured.
        self.delivery_s = delivery_s
        #: How many nodes live, this one included.
        self.nodes = 1
        self._questions: dict[TaskId, _Question] = {}
        #: Answers that wait: when they are due, and whether the task has ended.
        self._answers: dict[TaskId, tuple[float, bool]] = {}
        #: Until when questions about a task or a run that was just told are left alone; soonest first.
        self._quiet_until: dict[TaskId | RunId, float] = {}

    def unknown(self, task: TaskId, now: float) -> None:
        """A message named a task that this node does not know."""
        question = self._questions.get(task)
        if question is not None and (question.at is not None or now < question.named_at + FORGET_S):
            question.named_at = now
            return
        self._questions.pop(task, None)
        if self._wants() and not self._finished.remembers(task, now) and self._has_room(now):
            self._questions[task] = _Question(now + self.delivery_s * (1 + self._rng.random()), now)

    def asked(self, task: TaskId, now: float, knows: Known) -> None:
        """Another node asks about a task."""
        ended = knows is Known.ENDED or (knows is Known.NO and self._finished.remembers(task, now))
        if knows is Known.NO and not ended:
            self._asked_by_another(task, now)
        elif task not in self._answers and not self._is_quiet(task, ended, now) and len(self._answers) < ANSWERS_MAX:
            self._answers[task] = (now + self._rng.random() * self._answering_s(), ended)

    def answered(self, task: TaskId, now: float) -> None:
        """Somebody's answer was heard, or this node learnt of the task in another way."""
        self._questions.pop(task, None)
        self._answers.pop(task, None)
        self._hush(task, now)

    def forget_run(self, run: RunId) -> None:
        """A run was forgotten: nobody is asked about it any more, and nobody is told of it."""
        self._questions = {task: question for task, question in self._questions.items() if run_of(task) != run}
        self._answers = {task: answer for task, answer in self._answers.items() if run_of(task) != run}

    def left_alone(self) -> None:
        """Nobody is there any more who could answer, or wants an answer."""
        self._questions.clear()
        self._answers.clear()

    def tick(self, now: float) -> list[Saying]:
        """Return what is due, questions first."""
        return [*map(AskEverybody, self._due_questions(now)), *self._due_answers(now)]

    def _due_questions(self, now: float) -> list[TaskId]:
        due = [task for task, question in self._questions.items() if question.at is not None and question.at <= now]
        asks = {run_of(task): task for task in reversed(due)}
        if asks:
            self._count_questions(asks, now)
        return [task for task in due if asks[run_of(task)] == task]

    def _due_answers(self, now: float) -> list[AnswerEverybody]:
        due = [AnswerEverybody(task, ended) for task, (at, ended) in self._answers.items() if at <= now]
        told = {run_of(answer.task): answer for answer in reversed(due) if not answer.finished}
        for task, (_, ended) in list(self._answers.items()):
            if not ended and run_of(task) in told:
                self.answered(task, now)
        for answer in due:
            if answer.finished:
                self.answered(answer.task, now)
        for run in told:
            self._hush(run, now)
        return [answer for answer in due if answer.finished or told[run_of(answer.task)] is answer]

    @property
    def size(self) -> int:
        """How many tasks are asked about, or were."""
        return len(self._questions)

    def next_deadline(self) -> float | None:
        if not self._questions and not self._answers:
            return None
        asks = (question.at for question in self._questions.values() if question.at is not None)
        return min((*asks, *(at for at, _ in self._answers.values())), default=None)

    def check(self) -> None:
        """Raise InvariantViolated if a table has outgrown its limit."""
        if len(self._questions) > UNKNOWN_TASKS_MAX or max(len(self._answers), len(self._quiet_until)) > ANSWERS_MAX:
            raise InvariantViolated(
                f"{len(self._questions)} questions, {len(self._answers)} answers and {len(self._quiet_until)} pauses"
            )

    def _wants(self) -> bool:
        match self._strategy:
            case Strategy.ALWAYS:
                return True
            case Strategy.DEPENDS:
                return self.nodes >= self._enough_nodes
            case Strategy.NEVER:
                return False

    def _has_room(self, now: float) -> bool:
        if len(self._questions) >= UNKNOWN_TASKS_MAX:
            for task, question in list(self._questions.items()):
                if question.at is None and question.named_at + FORGET_S <= now:
                    del self._questions[task]
        return len(self._questions) < UNKNOWN_TASKS_MAX

    def _answering_s(self) -> float:
        return min(SPREAD * self.delivery_s * max(self.nodes - 1, 1), ANSWERING_S_MAX)

    def _asked_by_another(self, task: TaskId, now: float) -> None:
        self._count_questions([run_of(task)], now)

    def _count_questions(self, runs: Collection[RunId], now: float) -> None:
        """Somebody has asked everybody about these runs."""
        for task, question in self._questions.items():
            if question.at is not None and run_of(task) in runs:
                self._count_question(question, now)

    def _count_question(self, question: _Question, now: float) -> None:
        """The pause covers the way there, the longest back-off of an answer and the way back, and then it doubles."""
        pause_s = (2 * self.delivery_s + self._answering_s()) * 2**question.asked
        question.asked += 1
        question.at = now + pause_s * (1 + self._rng.random()) if question.asked < ASKS_MAX else None

    def _is_quiet(self, task: TaskId, ended: bool, now: float) -> bool:
        for other in [other for other, until in self._quiet_until.items() if until <= now]:
            del self._quiet_until[other]
        return task in self._quiet_until or (not ended and run_of(task) in self._quiet_until)

    def _hush(self, told: TaskId | RunId, now: float) -> None:
        self._quiet_until.pop(told, None)
        if len(self._quiet_until) >= ANSWERS_MAX:
            del self._quiet_until[next(iter(self._quiet_until))]
        self._quiet_until[told] = now + self.delivery_s
