"""What a node has in hand, as its heartbeats tell it: what runs, and what is finished and not accepted yet."""

from roost.core.mesh.keepers import Keepers
from roost.core.queue.lease_progress import LeaseProgress
from roost.core.queue.leases import Leases
from roost.core.quorum.quorum import Quorum
from roost.wire.messages import RunningLease


class InHand:
    def __init__(self, leases: Leases, progress: LeaseProgress, keepers: Keepers, quorum: Quorum) -> None:
        self._leases = leases
        self._progress = progress
        self._keepers = keepers
        self._quorum = quorum

    def leases(self) -> tuple[RunningLease, ...]:
        """Return all leases of this node; others are told by it how far each has come."""
        held = []
        for lease in self._leases.active.values():
            lease.told, note = self._progress.of(lease)
            running_s = self._progress.running_s(lease)
            held.append(RunningLease(lease.spec.id, lease.token, lease.outstanding, lease.told, running_s, note))
        return (*held, *self._keepers.leases(), *self._quorum.leases())
