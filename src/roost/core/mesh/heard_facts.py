"""What other nodes say of work: facts to merge or to keep, what they hold, and data that was asked for."""

from roost.core.actions import Deliver
from roost.core.data.fetcher import Fetcher
from roost.core.medium.port import Above
from roost.core.mesh.contest.bidding import Bidding
from roost.core.mesh.contest.repeating import Repeating
from roost.core.mesh.keepers import Keepers
from roost.core.mesh.replication import Replication
from roost.core.quorum.quorum import Quorum
from roost.core.turn import Turn
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.wire.messages import Audit, Delivery, Facts, Fetch, Forgotten, Keep, Kept, Message, Purpose


class HeardFacts:
    def __init__(
        self,
        turn: Turn,
        *,
        replication: Replication,
        keepers: Keepers,
        quorum: Quorum,
        fetcher: Fetcher,
        bidding: Bidding,
        repeating: Repeating,
        above: Above,
    ) -> None:
        self._turn = turn
        self._replication = replication
        self._keepers = keepers
        self._quorum = quorum
        self._fetcher = fetcher
        self._bidding = bidding
        self._repeating = repeating
        self._above = above

    def heard(self, sender: NodeId, message: Message) -> bool:
        """Do what follows from a message; return whether it is one of these."""
        match message:
            case Facts():
                self._replication.told(sender, message)
                self._quorum.brought(message.results)
            case Forgotten(tombstones=tombstones):
                self._above.forgotten(tombstones)
            case Keep(facts=facts):
                self._replication.asked_to_keep(sender, message)
                self._quorum.brought(facts.results)
            case Audit():
                self._replication.audited(sender, message)
            case Kept():
                self._keepers.kept(sender, message)
            case Fetch():
                if message.purpose is Purpose.AUDIT:
                    self._keepers.is_fetching(sender, message.number)
                self._turn.act(Deliver(sender, message))
            case Delivery():
                self._delivered(sender, message)
            case _:
                return False
        return True

    def _delivered(self, sender: NodeId, delivery: Delivery) -> None:
        self._replication.delivered(sender, delivery)
        if delivery.purpose is Purpose.INPUTS:
            for task, denied in self._fetcher.answered(delivery, self._still_wanted):
                # What is wanted to be repeated runs elsewhere, and who runs it has it.
                if self._bidding.won_of(task):
                    self._above.nobody_has(task, denied)
        self._quorum.brought(delivery.results)

    def _still_wanted(self, task: TaskId) -> RangeSet:
        return self._bidding.won_of(task) | self._repeating.wanted(task)
