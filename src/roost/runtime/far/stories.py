"""Stories of tasks as the whole cluster tells them: each node has the lines of what it did and saw itself.

Rules
- All nodes that live are asked at once; who does not answer in time is left out.
- Lines are put in the order of their stamps. What several nodes saw alike, such as the death of another, is told once.
- Of each task the last lines of each drawer are told, as each node does by itself (core/telling/story_bounds.py).
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence

from roost.core.facts import StoryTold
from roost.core.node import Node
from roost.core.telling.story_bounds import bounded_story
from roost.model.happenings import Happening
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.runtime.far.inquiries import Inquiries
from roost.wire.messages import StoryOf

#: How long the others have to tell. Shorter than for data: a story with a gap is better than none.
PATIENCE_S = 2.0


class FarStories:
    def __init__(self, node: Node, inquiries: Inquiries) -> None:
        self._node = node
        self._inquiries = inquiries

    async def gather(self, tasks: Sequence[TaskId], own: Iterable[StoryTold]) -> list[StoryTold]:
        """Return the stories of some tasks as one; ``own`` is this node's part."""
        question = StoryOf(tuple(tasks))
        answers = await asyncio.gather(
            *(self._inquiries.ask(node, question, PATIENCE_S) for node in self._node.peers.others)
        )
        told = [line for answer in answers if answer is not None for line in answer.story if line.task in tasks]
        theirs = [StoryTold(line.task, line.at, line.ranges, line.what, line.cause) for line in told]
        return bounded_story(merged([*own, *theirs]))


def merged(lines: Iterable[StoryTold]) -> list[StoryTold]:
    """Put lines in order. Of lines that differ in nothing but who saw it, and when, the first is kept."""
    seen: Counter[tuple[TaskId, RangeSet, Happening]] = Counter()
    by_node: Counter[tuple[TaskId, RangeSet, Happening, NodeId]] = Counter()
    story: list[StoryTold] = []
    for line in sorted(set(lines), key=lambda line: line.at):
        key = (line.task, line.ranges, line.what)
        # A node may see the same again; then each sees it twice.
        by_node[(*key, line.at.node)] += 1
        if by_node[(*key, line.at.node)] > seen[key]:
            seen[key] += 1
            story.append(line)
    return story
