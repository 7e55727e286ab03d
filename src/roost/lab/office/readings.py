"""What the document LAN says of its protocol, and what it leaves open: one reading for each way to understand it.

Said: a window of 15 s (3.6.2), a look at whether the processor is idle every 60 s while no task runs (4.5), progress
every 15 s and a look for failed tasks every 60 s (4.5), interactive before low, then first come, first served.

Its only excerpt of a log (listing 4.3, node acor) decides most of the rest. Acor's task ends at 19:16:34, and acor
finds itself idle at 19:17:34 and at 19:18:34: the first look comes 60 s after the end of a task. An interactive task
becomes ready at 19:17:18 and runs elsewhere at 19:17:33: an idle node competes at once, and interactive tasks wait for
the window as others do.
"""

from itertools import product, starmap
from typing import Final, Literal, TypeAlias, get_args

import msgspec

Looks: TypeAlias = Literal["after a task", "by the clock"]
Order: TypeAlias = Literal["ready", "handed in"]
Interactive: TypeAlias = Literal["competes", "at once"]
Losers: TypeAlias = Literal["try again", "look again"]
Begins: TypeAlias = Literal["when ready", "at a look"]

WINDOW_S: Final = 15.0
CHECK_EVERY_S: Final = 60.0
PROGRESS_EVERY_S: Final = 15.0


class Reading(msgspec.Struct, frozen=True):
    #: When a node looks whether it is idle: 60 s after its last task has ended, and every 60 s from there; or every
    #: 60 s by a clock of its own, whatever it does.
    looks: Looks = "after a task"
    #: What a task waits behind: those of its class that were handed in before it, or that became ready before it.
    order: Order = "ready"
    #: Whether an interactive task that becomes ready is begun at once by the node that it was handed in to, if that
    #: runs nothing (4.5, "the task should be executed locally"); or competes as any other.
    interactive: Interactive = "competes"
    #: What who has lost a contest does: tries again at once, as its processor is still idle; or looks again first.
    losers: Losers = "try again"
    #: Whether an idle node competes as soon as something becomes ready, or when it looks next.
    begins: Begins = "when ready"

    @property
    def words(self) -> str:
        return (
            f"looks {self.looks}, queue by {self.order}, interactive {self.interactive}, losers {self.losers}, "
            f"begins {self.begins}"
        )


#: The reading of the log.
OF_THE_LOG: Final = Reading()


def neighbours() -> tuple[Reading, ...]:
    """Return the reading of the log, and those that differ from it in one point."""
    others = [reading for reading in every() if _differences(reading) == 1]
    return (OF_THE_LOG, *others)


def every() -> tuple[Reading, ...]:
    all_looks: tuple[Looks, ...] = get_args(Looks)
    orders: tuple[Order, ...] = get_args(Order)
    interactives: tuple[Interactive, ...] = get_args(Interactive)
    all_losers: tuple[Losers, ...] = get_args(Losers)
    begins: tuple[Begins, ...] = get_args(Begins)
    return tuple(starmap(Reading, product(all_looks, orders, interactives, all_losers, begins)))


def _differences(reading: Reading) -> int:
    fields = msgspec.structs.astuple
    return sum(mine != theirs for mine, theirs in zip(fields(reading), fields(OF_THE_LOG), strict=True))
