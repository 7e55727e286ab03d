"""The player: it feeds what a real node recorded to the very same core, and looks whether that does the same again.

Rules
- The first step that goes wrong is told: other actions than the node's, an error, or a check that fails.
- A check takes the longer the more is in memory, so there it is not made after every event. Once one has failed, the
  event that broke something is looked for by halving.
"""

from pathlib import Path
from random import Random
from typing import Final

import msgspec

from roost.core.medium.alone import Alone
from roost.core.medium.port import MakeMedium
from roost.core.mesh.mesh import Surroundings
from roost.core.node import Node
from roost.core.recording import Beginning, Ending, Step, read_recording
from roost.model.ids import NodeId
from roost.sim.trace import Trace
from roost.sim.verdict import sentence_of

#: So many tasks in memory let one more event go by without a check.
TASKS_AN_EVENT: Final = 50


class Wrong(msgspec.Struct, frozen=True):
    """What went wrong, at which event, counted from 1, and when by the node's clock; event 0 is the beginning."""

    message: str
    event: int
    at: float
    #: The last steps before it.
    story: str


class Played(msgspec.Struct, frozen=True):
    node: NodeId
    #: Of the Roost that recorded it.
    version: str
    #: As many as are recorded.
    events: int
    #: Over all events and actions that were played.
    hash: str
    #: Why there is no more; None if the node was killed, or still runs.
    ending: Ending | None
    wrong: Wrong | None


def play(path: Path) -> Played:
    """Play a recording. Raise InvalidInput if the file is none, or is damaged."""
    whole = bad = _Pass(path)
    good = whole.checked
    while bad.failed_check and bad.played - good > 1:
        tried = _Pass(path, (good + bad.played) // 2)
        if tried.failed_check:
            bad = tried
        else:
            good = tried.played
    begin = whole.beginning
    return Played(begin.name, begin.version, whole.events, bad.trace.hash, whole.ending, bad.wrong)


def medium_of(beginning: Beginning) -> MakeMedium:
    """Return the medium that a node had: without a seed it was alone."""
    return Alone if beginning.seed is None else Surroundings(beginning.address)


class _Pass:
    """A recording, played once."""

    def __init__(self, path: Path, last: int | None = None) -> None:
        """With ``last`` nothing is checked but that event, which is the last."""
        self._last = last
        self.trace = Trace()
        self.ending: Ending | None = None
        #: Events that are recorded, that were played, and that were when a check last found all in order.
        self.events = self.played = self.checked = 0
        self.wrong: Wrong | None = None
        self.failed_check = False
        with path.open("rb") as file:
            for value in read_recording(file.read, str(path)):
                if isinstance(value, Beginning):
                    self._begin(value)
                elif isinstance(value, Ending):
                    self.ending = value
                else:
                    self._take(value)
                    if self.played == last:
                        break
        self._check()

    def _begin(self, beginning: Beginning) -> None:
        self.beginning = beginning
        try:
            self._node = beginning.node(medium_of(beginning), Random)
        except Exception as error:  # noqa: BLE001 - whatever a node raises is what it is played for
            self.wrong = Wrong(sentence_of(error), 0, 0.0, "")

    def _take(self, step: Step) -> None:
        self.events += step.event is not None
        if self.wrong is not None:
            return
        if step.event is None:
            self._node.stamp_at(step.now)
            return
        self.played += 1
        self.trace.event(step.now, step.event, self._node.name)
        try:
            actions = self._node.handle(step.event, step.now)
        except Exception as error:  # noqa: BLE001 - as above
            self._found(sentence_of(error))
            return
        # As a driver does; then a check compares with that.
        self._node.next_deadline()
        for action in actions:
            self.trace.action(action)
        if difference := step.difference(actions):
            self._found(difference)
        elif self._last is None and self.played > self.checked + _unchecked(self._node):
            self._check()

    def _check(self) -> None:
        if self.wrong is not None:
            return
        try:
            self._node.check()
        except Exception as error:  # noqa: BLE001 - as above
            self.failed_check = True
            self._found(sentence_of(error))
        else:
            self.checked = self.played

    def _found(self, message: str) -> None:
        self.wrong = Wrong(message, self.played, self._node.now, self.trace.story())


def _unchecked(node: Node) -> int:
    return len(node.queue.replica.tasks) // TASKS_AN_EVENT
