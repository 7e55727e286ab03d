"""How HTC chapter 4 is read where its text leaves something open; the plain and the compiled world live by the same.

What the document says is not here: all tasks wait from the beginning, an aborted one goes back to the head of the
queue, and after a hundred trials it is dropped (4.4.1). First come, first served takes the head when it looks
(algorithm 1); the competitions take a window (algorithms 2 and 3); WQR, WQR-FA and FR are central and do not wait.

Algorithms 2 and 3 to the letter let everybody compete for the same task, which starts one per window in the whole
system: 0.1 a second, where the published make-spans need 0.4. So here, as in policy/, who is beaten goes on to the next
at once, and all who are idle have something when the window ends.
"""

from typing import Final, Literal

import msgspec

#: When nodes look at the queue. "retry": at once when they come or have ended something, and where nothing waits all
#: together every so many seconds from the beginning on. "own": the same, but each counts from when it became idle.
#: "all": only all together, every so many seconds.
Looks = Literal["retry", "own", "all"]
#: Who is served first of those that look at the same instant, by how long they have been idle, by number or by chance.
Order = Literal["latest", "longest", "number", "random"]

#: HTC 4.4.1.
ATTEMPTS_MAX: Final = 100


class Reading(msgspec.Struct, frozen=True):
    """The one by which the figures come out best; experiments say which of them do."""

    looks: Looks = "retry"
    order: Order = "latest"
    #: Time between looks, and how long a competition takes (HTC 4.4.1).
    poll_s: float = 10.0
    window_s: float = 10.0
    #: How long it takes until an aborted task is seen again.
    unseen_s: float = 0.0
    #: How many tasks may start before the head of the queue does; HTC has a limit and does not say which.
    skips: int = 1
    #: Whether a task that another is put before still counts as waiting at the head.
    waits_on: bool = True
    #: Whether the stay in which an experiment begins counts in the log of a node.
    first_stay_counts: bool = True


AS_PUBLISHED: Final = Reading()
