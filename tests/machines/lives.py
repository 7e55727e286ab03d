"""How many lives this node has to count, because others had more (core/queue/lives.py)."""

from collections.abc import Callable, Hashable

from roost.core.queue.lives import Lives
from roost.model.ids import NodeId
from roost.model.limits import LIVES_LEAD_MAX
from roost.model.states import Done
from tests.machines.machine import CannotHappen, Machine, State, methods_of
from tests.tokens import attempt

OAK = NodeId("oak")
_OWN = 2
NOTED, HEARD, ON_ITS_WAY = "noted", "heard of more", "on its way to the disk"
#: Each is a number more than the last that counts, so that a few words reach every state.
_HEARD_MAX = _OWN + 2


class Count:
    """The lives of a node that is in its second, and what its disk was given."""

    def __init__(self) -> None:
        self.lives = Lives(_OWN)
        self.heard = _OWN
        self.written = _OWN
        self.on_its_way: int | None = None

    def hear(self, life: int) -> None:
        self.lives.hear([Done(attempt(1, life=life), OAK)])

    def hear_of_more(self) -> None:
        if self.heard == _HEARD_MAX:
            raise CannotHappen
        self.heard += 1
        self.hear(self.heard)

    def ask(self) -> str | None:
        asked = self.lives.to_note()
        if asked is None:
            return None
        # It is asked for once, and is all that is known.
        assert asked == self.heard
        assert self.lives.to_note() is None
        self.on_its_way = asked
        return "written"

    def write(self) -> None:
        if self.on_its_way is None:
            raise CannotHappen
        self.written, self.on_its_way = self.on_its_way, None
        self.lives.noted(self.written)


def state(count: Count) -> State:
    if count.lives.are_noted:
        return State(NOTED, NOTED)
    label = ON_ITS_WAY if count.on_its_way == count.heard else HEARD
    return State(label, label)


def rest(count: Count) -> Hashable:
    return count.heard, count.written, count.on_its_way


def check(count: Count) -> None:
    """Nothing is leased after a token that a power cut could take."""
    assert count.lives.are_noted == (count.written >= count.heard)


def _acts(act: Callable[[Count], object]) -> Callable[[Count], str | None]:
    def acted(count: Count) -> None:
        act(count)

    return acted


MACHINE: Machine[Count] = Machine(
    name="lives",
    make=Count,
    state=state,
    events={
        "hear": {
            "a token of a later life": _acts(lambda count: count.hear_of_more()),
            "a token of an earlier life": _acts(lambda count: count.hear(_OWN - 1)),
            "a token that leads absurdly": _acts(lambda count: count.hear(_HEARD_MAX + LIVES_LEAD_MAX + 1)),
        },
        "to_note": {"the node looks for work": lambda count: count.ask()},
        "noted": {"it is flushed": _acts(lambda count: count.write())},
    },
    event_kinds=methods_of(Lives),
    state_kinds=(NOTED, HEARD, ON_ITS_WAY),
    check=check,
    rest=rest,
    order=(NOTED, HEARD, ON_ITS_WAY),
)
