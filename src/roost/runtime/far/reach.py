"""The reach of a node: everything that it can have from others for its people, and tells others for theirs."""

from collections.abc import Callable

from roost.core.node import Node
from roost.executors.places import Places
from roost.model.ids import NodeId
from roost.runtime.data.shelf import Shelf
from roost.runtime.driver import Driver
from roost.runtime.far.informant import Informant
from roost.runtime.far.inquiries import Inquiries
from roost.runtime.far.kept import FarKept
from roost.runtime.far.outcomes import FarOutcomes
from roost.runtime.far.output import FarOutput
from roost.runtime.far.reasons import FarReasons
from roost.runtime.far.stories import FarStories
from roost.runtime.far.timelines import FarTimelines
from roost.runtime.journal.journal import Journal
from roost.runtime.reuse.index import ReuseIndex
from roost.wire.messages import Ask, Told


class Reach:
    """Without a network nobody else is there, and everything is answered from here."""

    def __init__(
        self,
        node: Node,
        journal: Journal,
        driver: Driver,
        places: Places,
        say: Callable[[NodeId, Ask | Told], None],
    ) -> None:
        inquiries = self._inquiries = Inquiries(say)
        self.shelf = Shelf(node, journal)
        self.outcomes = FarOutcomes(node, driver, self.shelf, inquiries)
        self.output = FarOutput(node, places, self.shelf, inquiries)
        reasons = node.explanations.why_not_started
        self.kept_here = ReuseIndex(journal, self.shelf, places)
        self.kept = FarKept(node, self.shelf, places, self.output, inquiries)
        keep, find = self.output.file, self.kept_here.find
        self._informant = Informant(journal, places, driver.settle, reasons, keep, self.output.piece, find, say)
        self.stories = FarStories(node, inquiries)
        self.reasons = FarReasons(node, inquiries)
        self.timelines = FarTimelines(node, inquiries)

    def heard(self, sender: NodeId, message: Ask | Told) -> None:
        """Another node asks, or answers."""
        if isinstance(message, Ask):
            self._informant.asked(sender, message)
        else:
            self._inquiries.told(sender, message)

    async def close(self) -> None:
        await self._informant.close()
        await self.output.close()
