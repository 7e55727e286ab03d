"""A replica group by whatever fails: one answer for the three models of HTC chapter 3."""

from collections.abc import Sequence
from decimal import Decimal
from enum import Enum
from typing import NamedTuple

from roost.lab.availability import both_failures, lost_disks, transient
from roost.lab.availability.consistency import REPLICAS_MAX, Consistency
from roost.lab.availability.lost_disks import Fate, Upkeep
from roost.lab.availability.precision import NEVER
from roost.lab.availability.transient import Transient
from roost.model.errors import InvalidInput


class Kind(Enum):
    #: Nodes are away for a time and keep their data.
    TRANSIENT = "transient"
    #: Nodes come back without data.
    MEMORYLESS = "memoryless"
    BOTH = "both"


class Failures(NamedTuple):
    """What happens to nodes. What does not happen never does."""

    kind: Kind
    network: Transient = Transient(NEVER, Decimal(0))
    disks: Transient = Transient(NEVER, Decimal(0))
    upkeep: Upkeep = Upkeep()


def outlook(failures: Failures, replicas: int, consistency: Consistency) -> Fate:
    """Return the availability and the mean time until all data is lost. Raise InvalidInput for what cannot be."""
    refuse_size(failures, replicas)
    match failures.kind:
        case Kind.TRANSIENT:
            return Fate(transient.unavailability(failures.network, replicas, consistency), NEVER)
        case Kind.MEMORYLESS:
            return lost_disks.fate(failures.disks, replicas, consistency, failures.upkeep)
        case Kind.BOTH:
            return both_failures.fate(failures.network, failures.disks, replicas, consistency, failures.upkeep)


def transient_points(
    failures: Failures, replicas: int, consistency: Consistency, times_s: Sequence[Decimal]
) -> list[Decimal]:
    """Return the unavailability at each time after all nodes were there, where nodes keep their data."""
    refuse_size(failures, replicas)
    return [transient.unavailability(failures.network, replicas, consistency, at_s) for at_s in times_s]


def refuse_size(failures: Failures, replicas: int) -> None:
    """Raise InvalidInput for a group that cannot be."""
    if not 1 <= replicas <= REPLICAS_MAX:
        raise InvalidInput(f"a group has from 1 to {REPLICAS_MAX} copies, and not {replicas}")
    if replicas > failures.upkeep.nodes:
        nodes = failures.upkeep.nodes
        raise InvalidInput(
            f"{nodes} nodes cannot keep {replicas} copies, one on each; write fewer copies or more nodes"
        )
