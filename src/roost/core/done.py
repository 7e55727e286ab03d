"""What is written and told of elements that an executor answered for well."""

from roost.core.events import ElementsDone
from roost.core.facts import Fact, KeysNoted, ResultsStored
from roost.model.ids import NodeId, TaskId, Token


def facts_of(event: ElementsDone, task: TaskId, token: Token, node: NodeId) -> list[Fact]:
    """Return the results, and by which keys they can be found again."""
    facts: list[Fact] = [ResultsStored(task, token, node, segment) for segment in event.segments]
    facts += [KeysNoted(task, token, node, segment) for segment in event.keys]
    return facts


def how_done(event: ElementsDone, node: NodeId) -> str:
    """Return a line of the story."""
    return f"reused from {event.reused_from}, by {node}" if event.reused_from else f"done on {node}"
