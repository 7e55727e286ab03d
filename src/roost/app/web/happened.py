"""What a run went through: lost nodes, what people did and how long they took, results that others overruled.

It is put together from lines of the tasks' stories, which the nodes that are there remember.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from roost.api.answers import Happened
from roost.app.web.told import Stories
from roost.core.facts import StoryTold
from roost.core.telling.story_words import in_words, who_of
from roost.core.telling.views import TaskView
from roost.model.happenings import AnsweredBy, Happening, NodeLost, reported_kind
from roost.model.ids import CauseId, TaskId, name_of
from roost.model.paths import parts_of, shown_ranges
from roost.model.task import Manual
from roost.runtime.service import NodeService

#: The same word of a node about several tasks is one event, if it comes within this.
_TOGETHER_S: Final = 10.0


async def happened(service: NodeService, lines: Iterable[StoryTold]) -> list[Happened]:
    """Return the events of a run in the order in which they happened."""
    groups = list(_grouped(line for line in lines if reported_kind(line.what)))
    names = dict.fromkeys(line.task for group in groups for line in group)
    views = {task: service.task(task) for task in names}
    manual = [view for view in views.values() if isinstance(view.spec.work, Manual)]
    stories = await Stories.gather(service, manual)
    return [_event(group, views, stories) for group in groups]


def _grouped(lines: Iterable[StoryTold]) -> Iterator[list[StoryTold]]:
    """Put together what one act of a person, or the loss of one node, did to several tasks."""
    groups: dict[tuple[CauseId, Happening, str], list[StoryTold]] = {}
    for line in sorted(lines, key=lambda line: line.at):
        # Causes of people have numbers of the node that took their word.
        key = (line.cause, line.what, "" if isinstance(line.what, NodeLost) else line.at.node)
        group = groups.get(key)
        if group is not None and line.at.wall_ms - group[-1].at.wall_ms <= _TOGETHER_S * 1000:
            group.append(line)
            continue
        if group is not None:
            yield group
        groups[key] = [line]
    yield from groups.values()


def _event(group: list[StoryTold], views: dict[TaskId, TaskView], stories: Stories) -> Happened:
    first, kind = group[0], reported_kind(group[0].what)
    assert kind is not None, "what is not reported was left out"
    ranges = {line.task: line.ranges for line in group}
    for line in group:
        ranges[line.task] |= line.ranges
    places = [f"{name_of(task)} {shown_ranges(part, parts_of(views[task].spec))}" for task, part in ranges.items()]
    return Happened(
        at=first.at.wall_ms / 1000,
        kind=kind,
        who=who_of(first),
        what=in_words(first.what),
        where=places,
        elements=sum(map(len, ranges.values())),
        took_s=_took_s(group, views, stories),
    )


def _took_s(group: list[StoryTold], views: dict[TaskId, TaskView], stories: Stories) -> float | None:
    """Return how long an element had waited for its answer; None if it was none, or no node remembers."""
    for line in group:
        view = views[line.task]
        if isinstance(view.spec.work, Manual) and isinstance(line.what, AnsweredBy):
            since = stories.since(view, line.ranges.first, line.at)
            return None if since is None else max(0.0, line.at.wall_ms / 1000 - since)
    return None
