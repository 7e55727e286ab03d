"""The reach of a node: everything that it can have from others for its people, and tells others for theirs."""

from collections.abc import Callable

from roost.core.node import Node
from roost.executors.places import Places
from roost.model.errors import Unreachable
from roost.model.ids import NodeId
from roost.runtime.data.contents import Contents
from roost.runtime.data.shelf import Shelf
from roost.runtime.data.transfer import Carry
from roost.runtime.driver import Driver
from roost.runtime.far.copies import Copies
from roost.runtime.far.fitting import FarFitting
from roost.runtime.far.giving import Giving
from roost.runtime.far.informant import Informant, Open
from roost.runtime.far.inquiries import Inquiries
from roost.runtime.far.kept import FarKept
from roost.runtime.far.outcomes import FarOutcomes
from roost.runtime.far.output import FarOutput
from roost.runtime.far.reasons import FarReasons
from roost.runtime.far.stories import FarStories
from roost.runtime.far.timelines import FarTimelines
from roost.runtime.journal.journal import Journal
from roost.runtime.reuse.index import ReuseIndex
from roost.wire.content import ContentQuestion, Given
from roost.wire.messages import Ask, CallBack, Told


class Reach:
    """Without a network nobody else is there, and everything is answered from here."""

    def __init__(
        self,
        node: Node,
        journal: Journal,
        driver: Driver,
        places: Places,
        say: Callable[[NodeId, Ask | Told], None],
        carry: Carry,
        call_back: Open,
    ) -> None:
        """``say`` is for messages, ``carry`` for content; ``call_back`` opens a content stream to a node."""
        inquiries = self._inquiries = Inquiries(say)
        self._carry_there = carry
        self.contents = Contents(places, self.carry)
        self.shelf = Shelf(node, journal)
        self.outcomes = FarOutcomes(node, driver, self.shelf, inquiries)
        self.output = FarOutput(node, places, self.shelf, inquiries, self.contents, self.carry)
        self.copies = Copies(node, inquiries, self.output)
        reasons = node.explanations.why_not_started
        self.kept_here = ReuseIndex(journal, self.shelf, places)
        self.kept = FarKept(node, self.shelf, places, self.output, inquiries)
        giving = Giving(journal, places, self.contents)
        self.give = giving.give
        self._informant = Informant(
            journal,
            driver.settle,
            reasons,
            giving,
            self.output.bring_from,
            call_back,
            self.kept_here.find,
            say,
            offers=lambda: node.queue.lanes.capacity,
        )
        self.fitting = FarFitting(node, inquiries)
        self.stories = FarStories(node, inquiries)
        self.reasons = FarReasons(node, inquiries)
        self.timelines = FarTimelines(node, inquiries)

    def heard(self, sender: NodeId, message: Ask | Told) -> None:
        """Another node asks, or answers."""
        if isinstance(message, Ask):
            self._informant.asked(sender, message)
        else:
            self._inquiries.told(sender, message)

    async def carry(self, node: NodeId, question: ContentQuestion) -> Given:
        """Ask a node for a part of what is on its disk; one that cannot be called is asked to call."""
        try:
            return await self._carry_there(node, question)
        except Unreachable:
            told = await self._inquiries.ask(node, CallBack())
            if told is None or told.size is None:
                raise
            return await self._carry_there(node, question)

    async def close(self) -> None:
        await self._informant.close()
        await self.contents.close()
