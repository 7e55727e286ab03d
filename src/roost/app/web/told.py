"""What the stories of tasks say about people: since when something waits for one, and who has answered.

A story is what the nodes that are there remember. What none of them does is not guessed.
"""

import asyncio
import time
from collections.abc import Iterable
from typing import NamedTuple, Self

from roost.app.intake.upstream import needed
from roost.core.facts import StoryTold
from roost.core.telling.story_words import in_words
from roost.core.telling.views import TaskView
from roost.model.clock import Stamp
from roost.model.happenings import AmendedBy, AnsweredBy, DoneOn, SentBackBy, TakenOver
from roost.model.ids import TaskId
from roost.model.limits import EXPLAINED_TASKS_MAX
from roost.model.paths import shown_in
from roost.model.ranges import EMPTY, RangeSet
from roost.model.resources import format_duration
from roost.model.task import Manual, Value
from roost.runtime.service import NodeService


class Wait(NamedTuple):
    """Since when an element waits for a person, and until when an answer is expected; seconds since 1970."""

    since: float | None
    deadline: float | None

    def is_late(self, now: float) -> bool:
        return self.deadline is not None and now > self.deadline


class GivenAnswer(NamedTuple):
    who: str
    at: float


class Stories:
    """Stories of manual tasks, and of the tasks that feed them."""

    def __init__(self, service: NodeService, lines: Iterable[StoryTold]) -> None:
        self._service = service
        self._lines: dict[TaskId, list[StoryTold]] = {}
        for line in lines:
            self._lines.setdefault(line.task, []).append(line)

    @classmethod
    async def gather(cls, service: NodeService, views: Iterable[TaskView]) -> Self:
        """Ask all nodes for the stories that tell about these manual tasks."""
        names = {name: None for view in views for name in (view.spec.id, *(edge.source for edge in view.spec.edges))}
        tasks = list(names)
        parts = [tasks[at : at + EXPLAINED_TASKS_MAX] for at in range(0, len(tasks), EXPLAINED_TASKS_MAX)]
        told = await asyncio.gather(*(service.story(part) for part in parts))
        return cls(service, (line for part in told for line in part))

    def wait_of(self, view: TaskView, index: int) -> Wait:
        """Say since when an element of a manual task, which is ready now, waits."""
        assert isinstance(view.spec.work, Manual), "people do manual tasks"
        since, limit = self.since(view, index), view.spec.work.deadline_s
        return Wait(since, None if since is None or limit is None else since + limit)

    def answer_to(self, task: TaskId, index: int) -> GivenAnswer | None:
        """Return who gave the answer that counts, and when."""
        for line in reversed(self._lines.get(task, ())):
            if index in line.ranges and (who := _answerer(line)) is not None:
                return GivenAnswer(who, _seconds(line))
        return None

    def sent_back(self, view: TaskView, index: int) -> StoryTold | None:
        """Return how what an element needs was last sent back, if it was."""
        found = []
        for edge in view.spec.edges:
            fed = needed(view.spec, edge, self._service.task(edge.source), RangeSet.span(index, index + 1))
            lines = self._lines.get(edge.source, ())
            found += [line for line in lines if line.ranges & fed and isinstance(line.what, SentBackBy)]
        return max(found, key=lambda line: line.at, default=None)

    def since(self, view: TaskView, index: int, until: Stamp | None = None) -> float | None:
        """Return the latest of: its submission, what happened to it itself, and the ends of what it needed.

        With ``until``, of what was before that; None if no node remembers.
        """
        times = [view.spec.submitted.wall_ms / 1000]
        times += [_seconds(line) for line in self._told(view.spec.id, until) if index in line.ranges]
        for edge in view.spec.edges:
            source = self._service.task(edge.source)
            fed = needed(view.spec, edge, source, RangeSet.span(index, index + 1))
            ended = self._ended(source, fed, until)
            if ended is None:
                return None
            times.append(ended)
        return max(times)

    def _told(self, task: TaskId, until: Stamp | None) -> Iterable[StoryTold]:
        lines = self._lines.get(task, [])
        return lines if until is None else [line for line in lines if line.at < until]

    def _ended(self, source: TaskView, ranges: RangeSet, until: Stamp | None) -> float | None:
        if isinstance(source.spec.work, Value) or not ranges:
            return source.spec.submitted.wall_ms / 1000
        lines = self._told(source.spec.id, until)
        return max((_seconds(line) for line in lines if line.ranges & ranges and _is_end(line)), default=None)


def _answerer(line: StoryTold) -> str | None:
    """Return who answered, if a line tells that its task was."""
    match line.what:
        case AnsweredBy(who):
            return who
        case AmendedBy(who, task) if task == line.task:
            return who
        case _:
            return None


def _is_end(line: StoryTold) -> bool:
    """Whether elements have ended well, by a node or by a person."""
    return isinstance(line.what, DoneOn | TakenOver) or _answerer(line) is not None


async def waiting_lines(service: NodeService, view: TaskView, index: int | None) -> list[str]:
    """Say for how long elements of a manual task wait for a person, and which are late."""
    ready = view.ranges.get("ready", EMPTY)
    if index is not None:
        ready &= RangeSet.span(index, index + 1)
    if not ready or not isinstance(view.spec.work, Manual):
        return []
    stories, now = await Stories.gather(service, [view]), time.time()
    lines = []
    for one in ready.take(EXPLAINED_TASKS_MAX):
        told = (_wait_words(stories.wait_of(view, one), now), _sent_back_words(stories.sent_back(view, one), now))
        lines += [f"element {shown_in(view.spec, one)}: {words}" for words in told if words]
    return lines


def _wait_words(wait: Wait, now: float) -> str:
    if wait.since is None:
        return ""
    words = f"it waits for a person for {ago(wait.since, now)}"
    if wait.deadline is None:
        return words
    if wait.is_late(now):
        return f"{words}, and is late by {ago(wait.deadline, now)}"
    return f"{words}; an answer is expected within {ago(now, wait.deadline)}"


def _sent_back_words(line: StoryTold | None, now: float) -> str:
    if line is None:
        return ""
    return f"what it needs was {in_words(line.what)} ({ago(_seconds(line), now)} ago), and was done again"


def ago(then: float, now: float) -> str:
    return format_duration(max(0.0, now - then))


def _seconds(line: StoryTold) -> float:
    return line.at.wall_ms / 1000
