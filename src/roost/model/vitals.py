"""The vitals of a machine, which decide how much work it should have, and the node states that follow (FAIR 3.1).

Rules
- Each vital is between 0 and 1. What a machine cannot tell is as on a computer that is plugged in, wired and idle.
- They are this moment's. What they were before, and what that says of the next minutes, is for policies to find out
  (policy/node_state.py).
- What a node tells of its state is a few small numbers; its sentence is made of them in one place, and never read.
"""

from enum import IntEnum, StrEnum
from typing import Annotated, Final

import msgspec


class Vitals(msgspec.Struct, frozen=True, array_like=True):
    #: The charge of its battery; 1 while it is on mains, or has none.
    remaining: float = 1.0
    #: The share of its processors that others use than Roost and its work.
    utilisation: float = 0.0
    #: The quality of the network link by which others reach it; 1 if that is a cable.
    link: float = 1.0


#: On mains, with nothing else to do, and wired.
AT_EASE: Final = Vitals()


class NodeState(IntEnum):
    """How likely a node operates reliably in the near future; the larger, the worse."""

    VERY_STABLE = 0
    STABLE = 1
    UNSTABLE = 2
    TOO_UNSTABLE = 3

    @property
    def label(self) -> str:
        return self.name.lower().replace("_", " ")


class Role(StrEnum):
    """What a node is there for beside handing work in, which every node may."""

    #: A worker that also keeps the results of unstable nodes, and runs their elements, too.
    SUPER_PEER = "super-peer"
    WORKER = "worker"
    #: It takes no work.
    NONE = "none"


_ROLES: Final = {NodeState.VERY_STABLE: Role.SUPER_PEER, NodeState.TOO_UNSTABLE: Role.NONE}


def role_of(state: NodeState) -> Role:
    return _ROLES.get(state, Role.WORKER)


class Sign(IntEnum):
    """What a node state is judged by."""

    REMAINING = 0
    UTILISATION = 1
    LINK = 2
    STAY = 3


class Condition(msgspec.Struct, frozen=True, array_like=True):
    """The state of a node, and the sign that is the worst; it travels with heartbeats unless all is well."""

    state: NodeState = NodeState.VERY_STABLE
    sign: Sign = Sign.STAY
    #: How large that is, in hundredths.
    percent: Annotated[int, msgspec.Meta(ge=0, le=100)] = 100
    #: By how much it is expected to change within the horizon (policy/node_state.py), in hundredths.
    change: Annotated[int, msgspec.Meta(ge=-100, le=100)] = 0


#: As long as nothing speaks against it.
SOUND: Final = Condition()
