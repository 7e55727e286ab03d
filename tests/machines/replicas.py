"""What a replica keeps of an element when others tell of it: the join of model/states.py, word by word.

The replica begins with nothing, or with one word under the second of three tokens. A second word comes under the first,
the second or the third of them, or is of the next edition, under the smallest.
"""

from collections.abc import Callable, Hashable
from typing import get_args

from roost.core.queue.replica import TaskEntry
from roost.model import states
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.ranges import ONE
from tests.core.harness import task
from tests.machines.machine import CannotHappen, Machine, State
from tests.tokens import attempt

OAK = NodeId("oak")
FRESH = "fresh"
_WORDS_MAX = 2


def word(kind: type[states.State], number: int, edition: int = 0) -> states.State:
    """Make a state of an attempt, and of no other."""
    token = attempt(number)
    if kind is states.Done:
        return states.Done(token, OAK, edition=edition)
    if kind in (states.Cancelled, states.Absent):
        return kind(token, edition)
    if kind is states.Retried:
        return states.Retried(0, token, edition)
    return kind(0, token, OAK, 1, edition)


class Replica:
    def __init__(self) -> None:
        self.elements = Elements()
        self.heard: list[states.State] = []

    def hear(self, said: states.State) -> None:
        self.heard.append(said)
        self.elements = self.elements.merge(Elements({said: ONE}))

    @property
    def known(self) -> states.State | None:
        return self.elements.at(0)


def state(replica: Replica) -> State:
    known = replica.known
    return State(None, FRESH) if known is None else State(type(known), type(known).__name__.lower())


def _hear(kind: type[states.State], number: int, edition: int = 0) -> Callable[[Replica], str | None]:
    def hear(replica: Replica) -> str | None:
        # One word and a second: what more of them teach follows, because it is a join.
        if len(replica.heard) == _WORDS_MAX or (not replica.heard and (number, edition) != (2, 0)):
            raise CannotHappen
        before = replica.known
        replica.hear(word(kind, number, edition))
        return "the newer" if type(before) is kind and replica.known != before else None

    return hear


def rest(replica: Replica) -> Hashable:
    return len(replica.heard)


def check(replica: Replica) -> None:
    """The largest word stays, however often and in whichever order they come; and phases follow from it."""
    assert replica.known == max(replica.heard, key=states.order_key)
    backwards = Replica()
    for said in (*reversed(replica.heard), *replica.heard):
        backwards.hear(said)
    assert backwards.elements == replica.elements
    # Only elements of pools are absent, and there a whole block is at a time.
    if not any(isinstance(said, states.Absent) for said in replica.heard):
        entry = TaskEntry.fresh(task("a", retries=1))
        for said in replica.heard:
            entry.merge(Elements({said: ONE}))
            entry.check()


AGES = {
    "of an earlier token": (1, 0),
    "of this token": (2, 0),
    "of a later token": (3, 0),
    "of the next edition": (1, 1),
}
KINDS: tuple[type[states.State], ...] = get_args(states.State)

MACHINE: Machine[Replica] = Machine(
    name="replicas",
    make=Replica,
    state=state,
    events={kind: {f"{kind.__name__.lower()} {age}": _hear(kind, *at) for age, at in AGES.items()} for kind in KINDS},
    event_kinds=KINDS,
    state_kinds=(None, *KINDS),
    check=check,
    rest=rest,
    order=(FRESH, *(kind.__name__.lower() for kind in KINDS)),
)
