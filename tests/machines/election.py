"""The coordinator's election (core/mesh/election.py): what each stage makes of what is needed, said and heard.

The node is ash; oak may be better or worse, in office, alive or dead. A claim is a newer one than all that are known,
or the one that is known; an own claim comes back from others who have heard it.
"""

from collections.abc import Callable, Hashable
from typing import TypeAlias

from roost.core.actions import Send
from roost.core.mesh.election import Elected, Election, Outcome, Stage, SteppedDown
from roost.model.clock import Stamp, zero
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.wire.messages import Candidacy, Claim, Heartbeat, NewMaster
from tests.machines.machine import CannotHappen, Machine, State, methods_of

ASH, OAK = NodeId("ash"), NodeId("oak")
WINDOW_S = 0.01
IN_OFFICE = "in office"


class Desk:
    """Ash's part in elections, with a clock that only counts."""

    def __init__(self) -> None:
        self.now = 1.0
        self.count = 0
        self.election = Election(ASH, 0, self.stamp, window_s=WINDOW_S, map_size=5)

    def stamp(self, now: float, node: NodeId = ASH) -> Stamp:
        self.count += 1
        return Stamp(int(now * 1000), self.count, node)

    def beat(self, coordinator: Claim | None) -> list[Outcome]:
        return self.election.on_heartbeat(
            Heartbeat(OAK, 1, 0, 1, Capacity.of(1.0, 1, "3.11"), 1.0, coordinator=coordinator)
        )

    def late(self) -> Stamp:
        """Return a stamp of oak from before the last election was settled, if there was one."""
        if self.election._settled == zero(ASH):
            raise CannotHappen
        return zero(OAK)

    def new_claim(self) -> Claim:
        return Claim(self.stamp(self.now, OAK), OAK)

    def known_claim(self) -> Claim:
        if self.election.claim is None:
            raise CannotHappen
        return self.election.claim

    def candidate(self, tasks: int, *, late: bool = False) -> list[Outcome]:
        at = self.late() if late else self.stamp(self.now, OAK)
        return self.election.on_candidacy(Candidacy(0, tasks, at), self.now)

    def window_ends(self) -> list[Outcome]:
        self.now += WINDOW_S
        return self.election.tick(self.now)


Act: TypeAlias = Callable[[Desk], str | None]


def state(desk: Desk) -> State:
    stage = desk.election._stage
    if desk.election.office is not None:
        return State(stage, IN_OFFICE)
    return State(stage, stage.value if desk.election.claim is None else f"{stage.value}, under another")


def rest(desk: Desk) -> Hashable:
    election = desk.election
    best = sorted(election._candidacies)
    return (election._needed, election._elections, tuple(best), OAK in election._living, election._ended is not None)


def check(desk: Desk) -> None:
    desk.election.check()


def _said(act: Callable[[Desk], list[Outcome] | None]) -> Act:
    """Say what the node tells others, and itself, in the words of the protocol."""

    def acted(desk: Desk) -> str | None:
        outcomes = act(desk) or []
        words = []
        for outcome in outcomes:
            match outcome:
                case Send(message=message):
                    words.append(type(message).__name__)
                case Elected() | SteppedDown():
                    words.append(type(outcome).__name__)
        return ", ".join(words) or None

    return acted


MACHINE: Machine[Desk] = Machine(
    name="election",
    make=Desk,
    state=state,
    events={
        "need": {"a coordinator is needed": _said(lambda desk: desk.election.need(desk.now))},
        "served": {"it has served": _said(lambda desk: desk.election.served())},
        "unanswered": {"it does not answer": _said(lambda desk: desk.election.unanswered(desk.now))},
        "tick": {"the window ends": _said(lambda desk: desk.window_ends())},
        "member_alive": {"another lives": _said(lambda desk: desk.election.member_alive(OAK))},
        "member_died": {"another dies": _said(lambda desk: desk.election.member_died(OAK, desk.now))},
        "on_heartbeat": {
            "a beat without a claim": _said(lambda desk: desk.beat(None)),
            "a beat with the known claim": _said(lambda desk: desk.beat(desk.known_claim())),
            "a beat with a newer claim": _said(lambda desk: desk.beat(desk.new_claim())),
        },
        "on_new_master": {
            "NEW_MASTER, a newer claim": _said(
                lambda desk: desk.election.on_new_master(NewMaster(desk.new_claim()), OAK)
            ),
            "NEW_MASTER, the known claim": _said(
                lambda desk: desk.election.on_new_master(NewMaster(desk.known_claim()), OAK)
            ),
        },
        "on_who_is_master": {"WHO_IS_MASTER": _said(lambda desk: desk.election.on_who_is_master(OAK))},
        "on_start_election": {
            "START_ELECTION": _said(lambda desk: desk.election.on_start_election(desk.stamp(desk.now, OAK), desk.now)),
            "START_ELECTION, late": _said(lambda desk: desk.election.on_start_election(desk.late(), desk.now)),
        },
        "on_candidacy": {
            "a better candidate": _said(lambda desk: desk.candidate(9)),
            "a worse candidate": _said(lambda desk: desk.candidate(1)),
            "a candidate, late": _said(lambda desk: desk.candidate(9, late=True)),
        },
    },
    event_kinds=methods_of(Election, without=("check", "next_deadline")),
    state_kinds=tuple(Stage),
    check=check,
    rest=rest,
    order=(*(label for stage in Stage for label in (stage.value, f"{stage.value}, under another")), IN_OFFICE),
)
