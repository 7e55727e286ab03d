"""Why nothing starts what is ready, as every node says of itself.

Rules
- The same nodes are asked whichever node explains it (telling/explain.py says which), all at once and about all tasks;
  who does not answer in time is named as such.
- Of an answer, REASONS_MAX reasons for each task count, each cut at REASON_TEXT_MAX.
"""

import asyncio
from collections.abc import Sequence

from roost.core.node import Node
from roost.core.telling.explain import Reasons
from roost.model.ids import NodeId, TaskId
from roost.model.limits import REASON_TEXT_MAX, REASONS_MAX
from roost.runtime.far.inquiries import Inquiries
from roost.wire.messages import ReasonsOf, Told

#: How long the others have to tell; a person waits for it.
PATIENCE_S = 2.0


class FarReasons:
    def __init__(self, node: Node, inquiries: Inquiries) -> None:
        self._node = node
        self._inquiries = inquiries

    async def gather(self, tasks: Sequence[TaskId], index: int | None) -> dict[TaskId, Reasons]:
        """Return the others' reasons for those of the tasks of which something is ready."""
        speakers = {task: self._node.explanations.asked_about(task, index) for task in tasks}
        open_tasks = tuple(task for task, nodes in speakers.items() if nodes)
        asked = dict.fromkeys(node for nodes in speakers.values() for node in nodes if node != self._node.name)
        nodes = list(asked)
        answers = dict(zip(nodes, await asyncio.gather(*(self._ask(node, open_tasks) for node in nodes)), strict=True))
        return {task: {node: _told(answers[node], task) for node in nodes} for task in open_tasks}

    async def _ask(self, node: NodeId, tasks: tuple[TaskId, ...]) -> Told | None:
        return await self._inquiries.ask(node, ReasonsOf(tasks), PATIENCE_S)


def _told(told: Told | None, task: TaskId) -> list[str] | None:
    if told is None:
        return None
    return [reason[:REASON_TEXT_MAX] for reason in dict(told.reasons).get(task, ())[:REASONS_MAX]]
