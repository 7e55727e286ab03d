"""What a run went through: lost nodes, what people did and how long they took, results that others overruled.

It is put together from lines of the tasks' stories, which the nodes that are there remember.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal

from roost.api.answers import Happened
from roost.app.web.told import Stories
from roost.core.facts import (
    AMENDED,
    ANSWERED,
    DROPPED,
    MADE_OF_DROPPED,
    NODE_LOST,
    NODE_RESTARTED,
    SENT_BACK,
    StoryTold,
)
from roost.core.telling.views import TaskView
from roost.model.ids import TaskId, name_of
from roost.model.paths import parts_of, shown_ranges
from roost.model.task import Manual
from roost.runtime.service import NodeService

#: The same word of a node about several tasks is one event, if it comes within this.
_TOGETHER_S: Final = 10.0

_Kind = Literal[
    "answered", "amended", "sent back", "node lost", "node restarted", "result dropped", "made of a dropped result"
]
_KINDS: Final[dict[str, _Kind]] = {
    ANSWERED: "answered",
    AMENDED: "amended",
    SENT_BACK: "sent back",
    NODE_LOST: "node lost",
    NODE_RESTARTED: "node restarted",
    DROPPED: "result dropped",
    MADE_OF_DROPPED: "made of a dropped result",
}
#: What stands before the name of whoever it was.
_BEFORE: Final = {"answered": "done by ", "amended": "amended by ", "sent back": "sent back by "}


async def happened(service: NodeService, lines: Iterable[StoryTold]) -> list[Happened]:
    """Return the events of a run in the order in which they happened."""
    groups = list(_grouped(lines))
    names = dict.fromkeys(line.task for group in groups for line in group)
    views = {task: service.task(task) for task in names}
    manual = [view for view in views.values() if isinstance(view.spec.work, Manual)]
    stories = await Stories.gather(service, manual)
    return [_event(group, views, stories) for group in groups]


def _grouped(lines: Iterable[StoryTold]) -> Iterator[list[StoryTold]]:
    """Put together what one act of a person, or the loss of one node, did to several tasks."""
    groups: dict[tuple[str, str, str], list[StoryTold]] = {}
    for line in sorted(lines, key=lambda line: line.at):
        # Causes of people have numbers of the node that took their word.
        key = (line.cause, line.what, line.at.node if _kind(line) != "node lost" else "")
        group = groups.get(key)
        if group is not None and line.at.wall_ms - group[-1].at.wall_ms <= _TOGETHER_S * 1000:
            group.append(line)
            continue
        if group is not None:
            yield group
        groups[key] = [line]
    yield from groups.values()


def _kind(line: StoryTold) -> _Kind:
    return _KINDS[line.cause.partition("-")[0]]


def _event(group: list[StoryTold], views: dict[TaskId, TaskView], stories: Stories) -> Happened:
    first, kind = group[0], _kind(group[0])
    ranges = {line.task: line.ranges for line in group}
    for line in group:
        ranges[line.task] |= line.ranges
    places = [f"{name_of(task)} {shown_ranges(part, parts_of(views[task].spec))}" for task, part in ranges.items()]
    return Happened(
        at=first.at.wall_ms / 1000,
        kind=kind,
        who=_who(first, kind),
        what=first.what,
        where=places,
        elements=sum(map(len, ranges.values())),
        took_s=_took_s(group, views, stories) if kind == "answered" else None,
    )


def _who(line: StoryTold, kind: _Kind) -> str:
    """Return the person, or the node that is spoken of, or that speaks."""
    if kind not in _BEFORE and kind != "node lost":
        return line.at.node
    if kind == "node lost":
        return line.what.removeprefix("ready again: ").partition(" ")[0]
    said = line.what.removeprefix(_BEFORE[kind])
    return said.partition(" from ")[0] if kind == "sent back" else said


def _took_s(group: list[StoryTold], views: dict[TaskId, TaskView], stories: Stories) -> float | None:
    """Return how long an element had waited for its answer; None if no node remembers."""
    for line in group:
        view = views[line.task]
        if isinstance(view.spec.work, Manual) and line.what.startswith(_BEFORE["answered"]):
            since = stories.since(view, line.ranges.first, line.at)
            return None if since is None else max(0.0, line.at.wall_ms / 1000 - since)
    return None
