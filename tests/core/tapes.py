"""Recordings of nodes that live in tests: a life that does something of everything, and what was noted of it."""

from random import Random

from roost.core.actions import Action, Persist, Start
from roost.core.events import ElementsDone, Event, Persisted, Started
from roost.core.recording import MAGIC, Beginning, Ending, Frames
from roost.core.restored import Restored
from roost.model.clock import NEVER
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.sim.player import medium_of
from tests.runtime.driving import spec, submitted

BEGIN_S = 1_800_000_000.0
BEGINNING = Beginning("0.1.0", NodeId("ash"), Capacity.of(1.0, 2**30, "3.11"), Restored(1, NEVER))
#: As the payload of a result, so that it would be seen in a recording.
SECRET = b"the number of an account"


class Tape:
    """Notes what a node is fed, every action with a checksum."""

    def __init__(self, beginning: Beginning = BEGINNING, *, works: bool = True) -> None:
        """``works`` says whether what is started is done at once, or never."""
        self._beginning = beginning
        self._steps: list[tuple[Event | None, float, list[Action] | None]] = []
        self.node = beginning.node(medium_of(beginning), Random, self.note)
        self.now = BEGIN_S
        self._works = works

    def note(self, event: Event | None, now: float, actions: list[Action] | None) -> None:
        self._steps.append((event, now, actions))

    def live(self) -> None:
        """Run a task of a few elements, with a disk and an executor that answer at once."""
        for event in (Started(), submitted(spec(count=3))):
            self.feed(event)
        self.node.stamp_at(self.now)

    def feed(self, event: Event) -> None:
        coming = [event]
        while coming:
            self.now += 0.001
            for action in self.node.handle(coming.pop(0), self.now):
                if isinstance(action, Persist):
                    coming.append(Persisted(action.ticket))
                elif isinstance(action, Start) and self._works:
                    results = pack(action.ranges.first, [SECRET] * len(action.ranges))
                    coming.append(ElementsDone(action.lease, (results,), 0.001))

    def recording(self, ending: Ending | None = None) -> bytes:
        """Return it as a file of two chunks, and one for its end if there is one."""
        half = len(self._steps) // 2
        first, second = Frames(), Frames()
        first.add(self._beginning)
        for frames, steps in ((first, self._steps[:half]), (second, self._steps[half:])):
            for event, now, actions in steps:
                frames.add_step(event, now, actions, summed=True)
        return MAGIC + first.chunk() + second.chunk() + (chunk(ending) if ending is not None else b"")


def chunk(*values: Beginning | Ending) -> bytes:
    frames = Frames()
    for value in values:
        frames.add(value)
    return frames.chunk()


def foreign(kind: str, body: object = None) -> bytes:
    """Return a chunk with one frame that no node of this version writes."""
    frames = Frames()
    frames._add(kind, 0.0, body, None, None)
    return frames.chunk()


def a_life(ending: Ending | None = None) -> bytes:
    tape = Tape()
    tape.live()
    return tape.recording(ending)
