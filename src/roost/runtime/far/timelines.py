"""Who worked on a run and when, and what it went through, as the whole cluster tells it.

Rules
- All nodes that live are asked at once; who does not answer in time is left out and named.
- What a node says of itself counts. Of one that is gone or silent, what others keep of its work.
- The whole is merged to SPANS_TOLD_MAX pieces at most.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from roost.core.facts import StoryTold
from roost.core.node import Node
from roost.core.telling.story_bounds import bounded_report
from roost.model.ids import NodeId, RunId, run_of
from roost.model.limits import SPANS_TOLD_MAX
from roost.model.spans import SEVERAL, Span, merge_neighbours
from roost.runtime.far.inquiries import Inquiries
from roost.runtime.far.stories import merged
from roost.wire.messages import TimelineOf

#: As for stories: a timeline with a gap is better than none.
PATIENCE_S = 2.0


class Timeline(NamedTuple):
    spans: list[Span]
    #: Nodes that live and have not answered.
    silent: list[NodeId]
    #: Nodes that were lost with what they held of it, and what people did; what several saw alike is told once.
    happened: Sequence[StoryTold] = ()


class FarTimelines:
    def __init__(self, node: Node, inquiries: Inquiries) -> None:
        self._node = node
        self._inquiries = inquiries

    async def gather(self, run: RunId, own: Iterable[Span], seen: Iterable[StoryTold] = ()) -> Timeline:
        """Return the timeline of a run; ``own`` is what this node knows of it, and ``seen`` what it saw happen."""
        others = list(self._node.peers.others)
        question = TimelineOf(run)
        answers = await asyncio.gather(*(self._inquiries.ask(node, question, PATIENCE_S) for node in others))
        told: dict[NodeId, list[Span]] = {self._node.name: list(own)}
        lines = list(seen)
        for node, answer in zip(others, answers, strict=True):
            if answer is not None:
                told[node] = [span for span in answer.spans if span.task == SEVERAL or run_of(span.task) == run]
                theirs = [line for line in answer.story if run_of(line.task) == run]
                lines += [StoryTold(line.task, line.at, line.ranges, line.what, line.cause) for line in theirs]
        silent = [node for node in others if node not in told]
        spans = merge_neighbours(first_hand(told), SPANS_TOLD_MAX)
        return Timeline(spans, silent, bounded_report(merged(lines)))


def first_hand(told: dict[NodeId, list[Span]]) -> list[Span]:
    """Return what each node said of itself, and of the others what somebody else keeps, the same only once."""
    spans = {span: None for teller, known in told.items() for span in known if span.node == teller}
    spans |= {span: None for known in told.values() for span in known if span.node not in told}
    return list(spans)
