"""A turn: the handling of one event, and what every machine has at hand meanwhile.

Rules
- Time stands still while a turn lasts: ``now`` is wall-clock seconds that never run backwards.
- Actions are performed in the order in which machines ask for them. What is to be on disk first goes through
  ``persist`` (tickets.py).
- Before a turn ends, the node looks at the tasks that were touched, at the runs in which something may have ended, and,
  if anything stirred it, for work.
"""

from roost.core.actions import Action
from roost.core.clock_bounds import ClockBounds
from roost.core.facts import Fact, StoryTold
from roost.core.tickets import Change, Tickets
from roost.model.clock import Stamp
from roost.model.happenings import Happening
from roost.model.ids import CauseId, NodeId, RunId, TaskId
from roost.model.online import NEVER_ONLINE, OnlineLog
from roost.model.ranges import RangeSet
from roost.model.vitals import AT_EASE, SOUND, Vitals


class Turn:
    def __init__(
        self, name: NodeId, boot: int, clocks: ClockBounds, tickets: Tickets, online: OnlineLog = NEVER_ONLINE
    ) -> None:
        """``name`` is the node's, ``boot`` the number of its life; ``online`` was when it lived before."""
        self.name = name
        self.boot = boot
        #: When it was on line before, and since when it is now.
        self.online = online
        self.online_since = 0.0
        #: How its machine is, as it was last told.
        self.vitals = AT_EASE
        #: The state of this node that follows (own_state.py).
        self.condition = SOUND
        self._clocks = clocks
        self._tickets = tickets
        self.now = 0.0
        self._moment: Stamp | None = None
        self._actions: list[Action] = []
        #: The tasks that were touched, and the runs that are to be looked at, since somebody took them last.
        self.touched: dict[TaskId, None] = {}
        self.looked_at: dict[RunId, None] = {}
        #: Whether anything has changed since the node last looked for work.
        self.stirred = True

    def begin(self, now: float) -> list[Action]:
        """Begin with the next event; return the list that its actions gather in."""
        self.now = max(now, self.now)
        self._moment = None
        self._actions = []
        return self._actions

    def come_on_line(self, past: OnlineLog) -> None:
        """This node is on line from now on."""
        self.online, self.online_since = past, self.now

    def feel(self, vitals: Vitals) -> None:
        """The machine is so from now on."""
        if vitals != self.vitals:
            self.vitals = vitals
            self.stir()

    def act(self, action: Action) -> None:
        self._actions.append(action)

    def persist(self, change: Change, *facts: Fact) -> None:
        """Have facts written; ``change`` is applied when they are."""
        self.act(self._tickets.persist(change, facts))

    def landed(self, change: Change) -> None:
        """A change was applied or is off: runs that stayed in memory for it may leave now."""
        for run in self._tickets.landed(change):
            self.looked_at[run] = None

    def stamp(self) -> Stamp:
        return self._clocks.stamp(self.now)

    def moment(self) -> Stamp:
        """Return one stamp for all that this node ends by itself in this turn."""
        if self._moment is None:
            self._moment = self.stamp()
        return self._moment

    def story(self, task: TaskId, ranges: RangeSet, what: Happening, cause: str) -> StoryTold:
        return StoryTold(task, self.stamp(), ranges, what, CauseId(cause))

    def touch(self, task: TaskId) -> None:
        """What is ready of this task may have changed."""
        self.touched[task] = None
        self.stir()

    def look_at(self, run: RunId) -> None:
        """Something of this run may have ended, or may leave memory."""
        self.looked_at[run] = None

    def stir(self) -> None:
        """Something has changed by which this node chooses its work."""
        self.stirred = True

    def take_touched(self) -> dict[TaskId, None]:
        touched, self.touched = self.touched, {}
        return touched

    def take_looked_at(self) -> dict[RunId, None]:
        looked_at, self.looked_at = self.looked_at, {}
        return looked_at
