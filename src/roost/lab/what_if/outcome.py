"""What came of the work in one world."""

from typing import NamedTuple

import msgspec


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    #: False: the world was left before all was done, and the rest says how far it was.
    is_done: bool
    make_span_s: float
    #: All time that lanes were busy; of that, what deaths have aborted, and what somebody else was quicker with.
    busy_s: float
    aborted_s: float
    repeated_s: float
    executions: int
    deaths: int
    #: How evenly the busy time is shared out among the nodes.
    nodes_variance: float | None
    nodes_jain: float | None
    #: The same among users, of what they had had when the first of them had all of his work done; None of one user.
    users_variance: float | None = None
    users_jain: float | None = None

    @property
    def wasted(self) -> float:
        """The share of the busy time that was in vain."""
        return (self.aborted_s + self.repeated_s) / self.busy_s if self.busy_s else 0.0


class Piece(NamedTuple):
    """One execution of an element, for tests and pictures."""

    node: str
    task: str
    element: int
    begin_s: float
    end_s: float
    is_done: bool
