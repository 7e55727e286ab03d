"""How much of a story is told: the last lines of each drawer, so that many of one kind leave room for the others."""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from roost.core.facts import StoryTold
from roost.model.happenings import drawer_of
from roost.model.limits import HAPPENED_MAX, STORY_LINES_MAX


def bounded_story(lines: Sequence[StoryTold]) -> list[StoryTold]:
    """Keep the last STORY_LINES_MAX lines of each task and drawer; the order stays."""
    return _last_of_each(lines, STORY_LINES_MAX, lambda line: (line.task, drawer_of(line.what)))


def bounded_report(lines: Sequence[StoryTold]) -> list[StoryTold]:
    """Keep the last HAPPENED_MAX lines of each drawer, for those of a run; the order stays."""
    return _last_of_each(lines, HAPPENED_MAX, lambda line: drawer_of(line.what))


def _last_of_each(lines: Sequence[StoryTold], limit: int, group: Callable[[StoryTold], Hashable]) -> list[StoryTold]:
    counted: Counter[Hashable] = Counter()
    kept = []
    for line in reversed(lines):
        key = group(line)
        counted[key] += 1
        if counted[key] <= limit:
            kept.append(line)
    return kept[::-1]
