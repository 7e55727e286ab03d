"""The policies that there are, by the names that people give them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from roost.model.errors import InvalidInput
from roost.model.visible import quoted
from roost.policy.by_run import by_run
from roost.policy.choose import Policy
from roost.policy.competition import BFC, EC, FR
from roost.policy.fcfs import first_come_first_served
from roost.policy.groups import BFGC, BFGCE, EGC
from roost.policy.replication import WQR_2, WQR_4, WQR_FA_2, WQR_FA_4
from roost.policy.roost import roost


class NamedPolicy(NamedTuple):
    #: What it does, in one sentence.
    summary: str
    #: Where it is from.
    section: str
    policy: Policy


POLICIES: Final[Mapping[str, NamedPolicy]] = MappingProxyType(
    {
        "fcfs": NamedPolicy(
            "First come, first served: whoever has room takes the next task.",
            "HTC 4.1.1, LAN 3.6.2",
            first_come_first_served,
        ),
        "ec": NamedPolicy("The node that is likeliest to stay long enough gets the next task.", "HTC 4.1.2, 4.2.1", EC),
        "bfc": NamedPolicy(
            "The node that stays about as long as an element takes gets the next task.", "HTC 4.1.2, 4.2.2", BFC
        ),
        "egc": NamedPolicy(
            "Each node competes for that of the next ten tasks that it most likely stays for.", "HTC 4.1.3, 4.2.1", EGC
        ),
        "bfgc": NamedPolicy(
            "Each node competes for that of the next ten tasks that fits it best.", "HTC 4.1.3, 4.2.2", BFGC
        ),
        "bfgce": NamedPolicy(
            "As bfgc, and a task counts as a tenth longer each time that its node died over it.", "HTC 4.6.1", BFGCE
        ),
        "fr": NamedPolicy(
            "The node that has aborted the smallest share of its work gets the next task.", "HTC 4.3.2", FR
        ),
        "wqr-2": NamedPolicy(
            "Any node takes the next task; when nothing waits, up to 2 nodes run the same element.", "HTC 4.3.1", WQR_2
        ),
        "wqr-4": NamedPolicy(
            "Any node takes the next task; when nothing waits, up to 4 nodes run the same element.", "HTC 4.3.1", WQR_4
        ),
        "wqr-fa-2": NamedPolicy(
            "As wqr-2, and of several nodes the one that nearly always stays longest gets a task.",
            "HTC 4.3.1",
            WQR_FA_2,
        ),
        "wqr-fa-4": NamedPolicy(
            "As wqr-4, and of several nodes the one that nearly always stays longest gets a task.",
            "HTC 4.3.1",
            WQR_FA_4,
        ),
        "roost": NamedPolicy(
            "Short work as fcfs; of long work each node takes what suits how long it stays, and how fast it is.",
            "HTC 4.2, 4.6.1, 4.8, LAN 6",
            roost,
        ),
    }
)

#: That of a task that names none.
DEFAULT_POLICY: Final = "roost"
#: What a node wants if nobody gives it another policy: for each task what its run asks for.
AS_EACH_RUN_SAYS: Final = by_run({name: named.policy for name, named in POLICIES.items()}, roost)


def known_policy(name: str) -> str:
    """Return the name of a policy. Raise InvalidInput, with those that there are, for any other."""
    if name not in POLICIES:
        raise InvalidInput(f"there is no policy {quoted(name)}; there are {', '.join(POLICIES)}")
    return name


def recorded_policy(asked: str, default: str) -> str:
    """Return what the record of a task says, if a person ``asked`` for this policy, and for the default otherwise.

    Nothing if it is what counts anyway.
    """
    name = known_policy(asked or default)
    return "" if name == DEFAULT_POLICY else name
