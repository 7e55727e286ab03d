"""What a node makes of words about itself (core/mesh/membership/incarnation.py): the result is a ``Hearing``."""

from collections.abc import Callable
from typing import TypeAlias

from roost.core.mesh.membership.incarnation import Hearing, Incarnation
from roost.model.ids import NodeId
from roost.wire.messages import News, Standing
from tests.machines.machine import Machine, State, methods_of

ASH = NodeId("ash")
_BOOT = 2
AGES = {
    "of an earlier life": (-1, 0),
    "of the past": (0, -1),
    "of now": (0, 0),
    "of the next incarnation": (0, 1),
    "of a later life": (1, 0),
}
Act: TypeAlias = Callable[[Incarnation], str | None]


def make() -> Incarnation:
    own = Incarnation(ASH, _BOOT, "ash:1")
    own.renew()
    return own


def _hear(standing: Standing, lives: int, incarnations: int) -> Act:
    def hear(own: Incarnation) -> str:
        before = own.news
        hearing = own.hear(News(ASH, before.boot + lives, before.incarnation + incarnations, standing, before.address))
        # Only a word that it refutes, or that knows of more than the node itself does, lets it count on.
        assert own.news.standing is before.standing
        assert own.news.boot == _BOOT
        assert (own.news.incarnation > before.incarnation) == (
            hearing is Hearing.REFUTED or (hearing is Hearing.AGREED and incarnations > 0)
        )
        return hearing.value

    return hear


def _renew(own: Incarnation) -> None:
    own.renew()


def _leave(own: Incarnation) -> None:
    own.leave()


def check(own: Incarnation) -> None:
    assert own.has_left == (own.news.standing is Standing.LEFT)
    assert own.news.standing in (Standing.ALIVE, Standing.LEFT), "a node believes itself dead"


MACHINE: Machine[Incarnation] = Machine(
    name="own-word",
    make=make,
    state=lambda own: State(own.has_left, own.news.standing.value),
    events={
        **{
            standing: {f"{standing.value} {age}": _hear(standing, *at) for age, at in AGES.items()}
            for standing in Standing
        },
        "hear": {},
        "renew": {"it renews its word": _renew},
        "leave": {"it says goodbye": _leave},
    },
    event_kinds=(*Standing, *methods_of(Incarnation)),
    state_kinds=(False, True),
    check=check,
    order=(Standing.ALIVE.value, Standing.LEFT.value),
)
