"""Fitting: which nodes can run what is asked for, and what the nearest ones lack if none can.

Rules
- Heartbeats tell little of what a node says of itself, and only to its neighbours. It is asked for the rest, or for all
  if it is not heard here, only if the answer is not known without: more said changes no yes and no no
  (policy/conditions/evaluation.py).
- What a node answered counts for KNOWN_FOR_S, and for one life of it. Who does not answer in time is not asked again
  for SILENT_FOR_S, so that many conditions wait for it once; it counts with what its heartbeats tell, and if it is not
  heard either, people are told that it has not said.
- All this is advice beside what was accepted already: that a node cannot be asked fails nothing.
- Nodes that are gone or drain are left out: they take nothing now.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from roost.core.node import Node
from roost.model.errors import Unavailable
from roost.model.ids import NodeId
from roost.model.limits import CONDITIONS_TOLD_MAX, FITTING_ASKED_MAX
from roost.model.resources import Capacity
from roost.model.task import Command, Function, Needs, TaskSpec, Work
from roost.policy.conditions.evaluation import holds
from roost.policy.conditions.parsing import parse_condition
from roost.policy.match import lacks_of
from roost.runtime.far.inquiries import Inquiries
from roost.wire.messages import OffersOf

#: How long the others have to tell; a person waits for it.
PATIENCE_S: Final = 1.0
#: How long what a node said of itself is taken for true. Longer: fewer questions. Shorter: news is seen earlier.
KNOWN_FOR_S: Final = 30.0
#: How long a node that has not answered is left alone. Longer: fewer waits for it. Shorter: it is seen earlier.
SILENT_FOR_S: Final = 5.0
#: How many of the nearest nodes are named.
NEAREST_NAMED: Final = 3


class _Known(NamedTuple):
    #: The life in which it answered; 0 if its heartbeats do not come here.
    boot: int
    until: float
    #: None: it has not answered.
    offers: Capacity | None


class FarFitting:
    def __init__(self, node: Node, inquiries: Inquiries) -> None:
        self._node = node
        self._inquiries = inquiries
        self._known: dict[NodeId, _Known] = {}
        #: Whether this node knows what its own machine has; a look is going on while it is not set.
        self.looked = asyncio.Event()
        self.looked.set()

    async def whole_offers(self) -> dict[NodeId, Capacity]:
        """Return what this node and each other that lives offers, as whole as they tell."""
        await self._look()
        others = self._node.peers.others
        await self._ask(others)
        return self._offers(others)

    async def why_nobody(self, needs: Needs, work: Work | None = None) -> str | None:
        """Say what the nearest nodes lack if none that is here can run this; None if one can."""
        if _may_meet(needs, self._node.queue.lanes.capacity):
            await self._look()
        staying = self._node.peers.staying
        offers = self._offers(staying)
        if any(not lacks_of(needs, work, offer) for offer in offers.values()):
            return None
        await self._ask([node for node in staying if node not in offers or _may_meet(needs, offers[node])])
        offers = self._offers(staying)
        return _told(needs, work, offers, 1 + len(staying) - len(offers))

    async def warnings(self, tasks: Iterable[TaskSpec]) -> list[str]:
        """Say of each task with a condition whether it will wait because no node that is here can run it."""
        reasons: dict[tuple[Needs, type, str], str | None] = {}
        found = []
        for task in tasks:
            if not task.needs.condition:
                continue
            kind = task.needs, type(task.work), _particular(task.work)
            if kind not in reasons:
                if len(reasons) == CONDITIONS_TOLD_MAX:
                    break
                reasons[kind] = await self.why_nobody(task.needs, task.work)
            if why := reasons[kind]:
                found.append(f"'{task.id}' will wait: {why}")
        return found

    async def _look(self) -> None:
        """Wait until this node has looked at its machine, which it does when it has just come."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self.looked.wait()
        except TimeoutError:
            return

    def _offers(self, others: Sequence[NodeId]) -> dict[NodeId, Capacity]:
        """Return what is known now; nothing of a node that was not heard and has not answered."""
        found = {self._node.name: self._node.queue.lanes.capacity}
        for node in others:
            beat, known = self._node.peers.heartbeat_of(node), self._known_of(node)
            told = None if known is None else known.offers
            if beat is not None and told is not None:
                attributes = {**told.attributes, **beat.offers.attributes}
                found[node] = msgspec.structs.replace(beat.offers, attributes=attributes)
            elif beat is not None:
                found[node] = beat.offers
            elif told is not None:
                found[node] = told
        return found

    def _known_of(self, node: NodeId) -> _Known | None:
        """Return what became of the last question to a node, if that still counts."""
        known = self._known.get(node)
        counts = known is not None and known.boot == self._boot_of(node) and _now() < known.until
        return known if counts else None

    def _boot_of(self, node: NodeId) -> int:
        beat = self._node.peers.heartbeat_of(node)
        return 0 if beat is None else beat.boot

    async def _ask(self, nodes: Sequence[NodeId]) -> None:
        """Have the nodes tell all of themselves, at once; those that were asked of late are not asked."""
        self._known = {node: known for node, known in self._known.items() if _now() < known.until}
        asked = [node for node in nodes if self._known_of(node) is None][:FITTING_ASKED_MAX]
        boots = [self._boot_of(node) for node in asked]
        answers = await asyncio.gather(*map(self._offers_of, asked))
        for node, boot, offers in zip(asked, boots, answers, strict=True):
            counts_s = SILENT_FOR_S if offers is None else KNOWN_FOR_S
            self._known[node] = _Known(boot, _now() + counts_s, offers)

    async def _offers_of(self, node: NodeId) -> Capacity | None:
        try:
            told = await self._inquiries.ask(node, OffersOf(), PATIENCE_S)
        except Unavailable:
            # So many questions are open that this one, which nothing depends on, is left out.
            return None
        return None if told is None else told.offers


def _now() -> float:
    return asyncio.get_running_loop().time()


def _may_meet(needs: Needs, offer: Capacity) -> bool:
    """Whether a node that tells more of itself could turn out to meet the condition."""
    return bool(needs.condition) and holds(parse_condition(needs.condition), offer.attributes) is None


def _particular(work: Work) -> str:
    """Return what tasks that do the same kind of work still differ in, as far as nodes are concerned."""
    match work:
        case Command(program=program):
            return program
        case Function(python=python):
            return python
        case _:
            return ""


def _told(needs: Needs, work: Work | None, offers: Mapping[NodeId, Capacity], silent: int) -> str | None:
    lacks = {node: lacks_of(needs, work, offer) for node, offer in offers.items()}
    nearest = sorted(lacks, key=lambda node: (len(lacks[node]), node))[:NEAREST_NAMED]
    if not lacks[nearest[0]]:
        return None
    told = "; ".join(f"{node} lacks {', '.join(lack.brief for lack in lacks[node])}" for node in nearest)
    unsaid = f" ({silent:,} {'node has' if silent == 1 else 'nodes have'} not said)" if silent else ""
    return f"no node here meets it{unsaid}; nearest: {told}"
