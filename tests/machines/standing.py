"""What a node believes of another: its standing, by the words and the silence that it hears.

A whole membership runs it (core/mesh/membership). Words about oak come from elm, which is known and beats all the time;
oak itself is heard, or is not. A word is of a past incarnation, of the present or the next one, or of another life.
"""

from collections.abc import Callable, Hashable
from random import Random
from typing import TypeAlias

from roost.core.mesh.membership import members
from roost.core.mesh.membership.membership import BeatDue, Membership
from roost.core.mesh.membership.suspicion import DOUBT_S, HEARTBEAT_S
from roost.model.ids import NodeId
from roost.model.limits import BEATS_PER_BOOT
from roost.model.resources import Capacity
from roost.wire.messages import Heartbeat, Hello, Members, News, Standing
from tests.machines.machine import CannotHappen, Machine, State, methods_of

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
UNKNOWN = "unknown"
START_S, STEP_S, SILENCE_S = 100.0, 0.25, 30.0
_OFFER = Capacity.of(1.0, 1, "3.11")
#: What is said, as (lives, incarnations) from what is known.
AGES = {"of the past": (0, -1), "of now": (0, 0), "of the next incarnation": (0, 1), "of the next life": (1, 0)}


class View:
    """The membership of ash, which knows elm, and may come to know oak."""

    def __init__(self) -> None:
        self.now = START_S
        self.membership = Membership(ASH, 1, "ash:1", Random(1))
        self.membership.start(self.now)
        self.beats = 0
        self._beat(ELM, 1, 0)

    @property
    def known(self) -> News | None:
        member = self.membership.member(OAK)
        return None if member is None else member.news

    def step(self, seconds: float = STEP_S) -> str | None:
        """Let a little time pass, in which elm is heard, and this node does what is due."""
        self.now += seconds
        self._beat(ELM, 1, 0)
        answers = self.membership.tick(self.now)
        if BeatDue() in answers:
            self.membership.heartbeat(self.now, _OFFER, 1.0)
        return self._changed(answers)

    def told(self, standing: Standing, lives: int, incarnations: int) -> str | None:
        before = self.known
        if before is None and (lives, incarnations) != (0, 0):
            raise CannotHappen
        boot, incarnation = (2, 5) if before is None else (before.boot, before.incarnation)
        word = News(OAK, boot + lives, 0 if lives else incarnation + incarnations, standing, "oak:1")
        self.step()
        return self._changed(self.membership.on_members(ELM, Members((word,)), self.now))

    def beaten(self) -> str | None:
        self.step()
        before = self.known
        return self._changed(self._beat(OAK, *((2, 5) if before is None else (before.boot, before.incarnation))))

    def greeted(self) -> str | None:
        """Oak says hello, in the next incarnation if it is known, as a node that was held dead does."""
        self.step()
        before = self.known
        boot, incarnation = (2, 5) if before is None else (before.boot, before.incarnation + 1)
        hello = Hello(News(OAK, boot, incarnation, Standing.ALIVE, "oak:1"))
        return self._changed(self.membership.on_hello(OAK, hello, self.now))

    def spoken(self) -> str | None:
        self.step()
        return self._changed(self.membership.heard(OAK, self.now))

    def silent(self, seconds: float) -> str | None:
        """Time passes, and only elm is heard."""
        if seconds > SILENCE_S and (self.known is None or self.known.standing in (Standing.ALIVE, Standing.SUSPECT)):
            # It is dead long before.
            raise CannotHappen
        step_s = STEP_S if seconds <= SILENCE_S else HEARTBEAT_S
        said = [self.step(step_s) for _ in range(int(seconds / step_s) + 1)]
        return ", ".join(word for word in said if word) or None

    def _beat(self, node: NodeId, boot: int, incarnation: int) -> list[object]:
        self.beats += 1
        beat = Heartbeat(node, boot, incarnation, boot * BEATS_PER_BOOT + self.beats, _OFFER, 1.0, address=f"{node}:1")
        return list(self.membership.on_heartbeat(beat, self.now))

    def _changed(self, answers: list[object]) -> str | None:
        """Return what the node was told of oak, in the words of the membership."""
        changes = [answer for answer in answers if isinstance(answer, members.Change) and answer.node == OAK]
        return ", ".join(type(change).__name__.lower() for change in changes) or None


Act: TypeAlias = Callable[[View], str | None]


def state(view: View) -> State:
    return State(None, UNKNOWN) if view.known is None else State(view.known.standing, view.known.standing.value)


def rest(view: View) -> Hashable:
    member = view.membership.member(OAK)
    if member is None:
        return None
    if not member.lives:
        return round(member.silence_allowed_s)
    silence_s, suspected_s = view.now - member.heard_at, view.now - member.since
    return (
        member.condemned,
        member.heartbeat is None,
        round(member.silence_allowed_s),
        int(2 * max(member.silence_allowed_s - silence_s, 0.0)),
        suspected_s >= DOUBT_S,
    )


def _told(standing: Standing) -> dict[str, Act]:
    def told(age: tuple[int, int]) -> Act:
        return lambda view: view.told(standing, *age)

    return {f"elm says {standing.value}, {age}": told(ages) for age, ages in AGES.items()}


def _own(act: Callable[[View], object]) -> Act:
    def acted(view: View) -> None:
        act(view)

    return acted


MACHINE: Machine[View] = Machine(
    name="standing",
    make=View,
    state=state,
    events={
        **{standing: _told(standing) for standing in Standing},
        "on_members": {},
        "on_heartbeat": {"its own heartbeat": lambda view: view.beaten()},
        "on_hello": {"its own hello, in the next incarnation": lambda view: view.greeted()},
        "heard": {"any other word of its own": lambda view: view.spoken()},
        "tick": {
            "silence, for seconds": lambda view: view.silent(2.0),
            "silence, for long": lambda view: view.silent(SILENCE_S),
            "silence, for an hour": lambda view: view.silent(members.GONE_S),
        },
        "start": {"this node looks for others again": _own(lambda view: view.membership.start(view.now))},
        "heartbeat": {"this node beats": _own(lambda view: view.membership.heartbeat(view.now, _OFFER, 1.0))},
        "move": {"this node moves": _own(lambda view: view.membership.move("ash:2", view.now))},
        # It ends all of this: the membership then only repeats its goodbye.
        "leave": {},
    },
    event_kinds=(
        *Standing,
        *methods_of(
            Membership,
            without=(
                "alive", "check", "delivery_s", "member", "members", "next_deadline", "others", "round_trip_s", "sizes",
            ),
        ),
    ),
    state_kinds=(None, *Standing),
    check=lambda view: view.membership.check(),
    rest=rest,
    order=(UNKNOWN, *(standing.value for standing in Standing)),
)  # fmt: skip
