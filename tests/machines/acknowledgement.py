"""What waits until others keep a copy of it (core/data/write_acknowledgement.py): here two others are to."""

from collections.abc import Callable, Hashable

from roost.core.clock_bounds import ClockBounds
from roost.core.data.write_acknowledgement import REPEAT_AFTER_S, REPEATS_MAX, Acknowledgements
from roost.core.peers import Peers
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.ids import NodeId, RunId
from roost.wire.messages import Facts, Keep
from tests.machines.machine import CannotHappen, Machine, State, methods_of

ASH, ELM, FIR = (NodeId(name) for name in ("ash", "elm", "fir"))
RUN = RunId("1-bababa")
_WANTED = 2
#: Until then a node that has just started expects others.
_ALONE_AFTER = 101.0
NOTHING, EXPECTS, ASKED, HALF, OVER = "nothing waits", "waits for company", "asked", "one keeps it", "over"


class Desk:
    """Ash, which has one thing to be kept, and the others whom it hears."""

    def __init__(self) -> None:
        self.now = 100.0
        self.others: tuple[NodeId, ...] = ()
        peers = Peers(Turn(ASH, 1, ClockBounds(ASH), Tickets()))
        peers.alone_after = _ALONE_AFTER
        self.acknowledgements: Acknowledgements[str] = Acknowledgements(peers, ASH)
        self.number = 0
        self.over = ""

    def ask(self, *, lasting: bool) -> str | None:
        if self.number:
            raise CannotHappen
        asked = self.acknowledgements.ask(
            RUN, ASH, Keep(0, Facts()), "it", self.others, self.now, lasting=lasting, wanted=_WANTED
        )
        if asked is None:
            self.number, self.over = -1, "alone"
            return "nobody is there"
        _, message = asked
        self.number = message.number
        return None

    def kept(self, keeper: NodeId) -> str | None:
        confirmed = self.acknowledgements.kept(keeper, self.number, self.now)
        if confirmed is None:
            return None
        return None if confirmed.waiting is None else self._end(f"kept by {confirmed.keepers}")

    def tick(self, seconds: float) -> str | None:
        self.now += seconds
        _, over = self.acknowledgements.tick(self.others, self.now)
        return self._end(f"kept by {over[0][1]}") if over else None

    def abandon(self) -> str | None:
        return self._end("abandoned") if self.acknowledgements.abandon(RUN) else None

    def come(self, node: NodeId) -> None:
        self.acknowledgements.came(node)
        self.others = tuple(sorted({*self.others, node}))

    def go(self, node: NodeId) -> str | None:
        self.others = tuple(other for other in self.others if other != node)
        return self.tick(0.0)

    def _end(self, word: str) -> str:
        assert not self.over, "it ended twice"
        self.over = word
        return word


def state(desk: Desk) -> State:
    copy = desk.acknowledgements._copies.get(desk.number)
    if copy is None:
        label = OVER if desk.over else NOTHING
    elif copy.confirmed:
        label = HALF
    else:
        label = ASKED if copy.open else EXPECTS
    return State(label, label)


def rest(desk: Desk) -> Hashable:
    copy = desk.acknowledgements._copies.get(desk.number)
    waits = max(_ALONE_AFTER - desk.now, 0.0)
    if copy is None:
        return desk.others, waits
    asked = tuple((node, one.asked, max(one.repeat_at - desk.now, 0.0)) for node, one in copy.open.items())
    return desk.others, waits, asked, tuple(copy.confirmed), copy.lasting


def check(desk: Desk) -> None:
    """It waits or is over, never both; while it waits, somebody will look at it again."""
    waits = len(desk.acknowledgements) == 1
    assert waits == (state(desk).label in (EXPECTS, ASKED, HALF))
    assert not (waits and desk.over)
    copy = desk.acknowledgements._copies.get(desk.number)
    if copy is not None:
        # While somebody is there, this node beats, and looks at it with every beat.
        assert desk.acknowledgements.next_deadline() is not None or desk.others
        assert len(copy.confirmed) < _WANTED
        assert not copy.confirmed.keys() & copy.open.keys()


def _acts(act: Callable[[Desk], object]) -> Callable[[Desk], str | None]:
    def acted(desk: Desk) -> None:
        act(desk)

    return acted


#: The longest that a keeper is waited for before another is asked in its place.
_TIRED_S = REPEAT_AFTER_S * 2 ** (REPEATS_MAX + 1)

MACHINE: Machine[Desk] = Machine(
    name="acknowledgement",
    make=Desk,
    state=state,
    events={
        "ask": {
            "it is to be kept": lambda desk: desk.ask(lasting=True),
            "it is to be kept, or given up": lambda desk: desk.ask(lasting=False),
        },
        "kept": {
            "elm keeps it": lambda desk: desk.kept(ELM),
            "fir keeps it": lambda desk: desk.kept(FIR),
        },
        "is_fetching": {
            "elm fetches what it lacks": _acts(
                lambda desk: desk.acknowledgements.is_fetching(ELM, desk.number, desk.now)
            )
        },
        "came": {
            "elm comes": _acts(lambda desk: desk.come(ELM)),
            "fir comes": _acts(lambda desk: desk.come(FIR)),
        },
        "tick": {
            "elm goes": lambda desk: desk.go(ELM),
            "fir goes": lambda desk: desk.go(FIR),
            "a pause passes": lambda desk: desk.tick(REPEAT_AFTER_S),
            "a long time passes": lambda desk: desk.tick(_TIRED_S),
        },
        "abandon": {"its run is forgotten": lambda desk: desk.abandon()},
    },
    event_kinds=methods_of(Acknowledgements, without=("next_deadline", "waiting")),
    state_kinds=(NOTHING, EXPECTS, ASKED, HALF, OVER),
    check=check,
    rest=rest,
    order=(NOTHING, EXPECTS, ASKED, HALF, OVER),
)
