"""The answer to a submission, which waits until enough disks have it."""

import msgspec

from roost.core.actions import Accepted, Reply
from roost.model.ids import RunId


class PendingReply(msgspec.Struct, frozen=True):
    """A submission to this run is to be answered."""

    run: RunId
    reply: Reply
    #: On how many disks the person wants it; 0 if nothing was said of that.
    safe: int = 0

    def on_disks(self, disks: int) -> Reply:
        """Return the answer now that it is on so many, with a warning if those are too few."""
        outcome = self.reply.outcome
        if disks >= self.safe or not isinstance(outcome, Accepted):
            return self.reply
        count = "1 disk" if disks == 1 else f"{disks} disks"
        warning = f"it is on {count} and not on {self.safe}, because no more nodes are there"
        return Reply(self.reply.cause, msgspec.structs.replace(outcome, warnings=(*outcome.warnings, warning)))
