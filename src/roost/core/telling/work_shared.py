"""Who has done how much and for whom, since this node started and as far as it has heard, and how evenly."""

from collections.abc import Iterable, Sequence
from operator import itemgetter

import msgspec

from roost.core.queue.usage import Usage, WorkDone
from roost.model.ids import NodeId
from roost.policy.fairness_measures import jains_index, variance


class WorkOf(msgspec.Struct, frozen=True):
    """What a node has done, or what was done for a user."""

    name: str
    #: Elements that have ended, done or failed.
    elements: int
    #: About how long they took together, by the lengths that this node has learnt.
    busy_s: float


class Evenness(msgspec.Struct, frozen=True):
    """How evenly that is shared out (policy/fairness_measures.py); null where there is too little to say it of."""

    jains_index: float | None
    variance: float | None

    @staticmethod
    def of(amounts: Sequence[float]) -> "Evenness":
        return Evenness(jains_index(amounts), variance(amounts))


class WorkShared(msgspec.Struct, frozen=True):
    #: All nodes that are here, and those that were and did something.
    nodes: list[WorkOf]
    #: All users for whom something was done.
    users: list[WorkOf]
    elements_by_node: Evenness
    busy_s_by_node: Evenness
    elements_by_user: Evenness
    busy_s_by_user: Evenness


def work_shared(usage: Usage, here: Iterable[NodeId]) -> WorkShared:
    """Return what was done, by the nodes that are ``here`` and by others, and for users."""
    nodes = _in_order(({node: WorkDone() for node in here} | usage.by_nodes()).items())
    users = _in_order(usage.for_users().items())
    return WorkShared(nodes, users, *_evenness(nodes), *_evenness(users))


def _in_order(work: Iterable[tuple[str, WorkDone]]) -> list[WorkOf]:
    return [WorkOf(name, done.elements, done.busy_s) for name, done in sorted(work, key=itemgetter(0))]


def _evenness(work: Sequence[WorkOf]) -> tuple[Evenness, Evenness]:
    return Evenness.of([one.elements for one in work]), Evenness.of([one.busy_s for one in work])
