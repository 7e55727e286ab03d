"""Whom to ask for something that is not here.

Rules
- First the node that made it, then the one where its run was submitted, then the likely keepers by rendezvous (as
  core/data/write_acknowledgement.py chooses them), then the rest. Only nodes that live are asked.
"""

from collections.abc import Iterable, Sequence

from roost.model.hashing import rendezvous
from roost.model.ids import NodeId, RunId


def whom_to_ask(likely: Iterable[NodeId], run: RunId, others: Sequence[NodeId]) -> list[NodeId]:
    """Return all living nodes, those that are likely to have it first, in the order in which they are named."""
    keepers = sorted(others, key=lambda node: rendezvous(run, node), reverse=True)
    first = [node for node in likely if node in others]
    return list(dict.fromkeys([*first, *keepers]))


def away(maker: NodeId, others: Sequence[NodeId]) -> str:
    """Return in words why something that a node made cannot be had, though all were asked."""
    if maker in others:
        return f"was made on {maker}, and none of the {1 + len(others)} nodes that are here gives it"
    return f"is on {maker}, which is away, and no node that is here has a copy; ask again when {maker} is back"
