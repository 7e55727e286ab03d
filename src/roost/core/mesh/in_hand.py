"""What a node has in hand, as its heartbeats tell it: what runs, and what is finished and not accepted yet."""

from roost.core.agreement.agreeing import Agreeing
from roost.core.mesh.keepers import Keepers
from roost.core.queue.lease_progress import LeaseProgress
from roost.core.queue.leases import Lease, Leases
from roost.core.quorum.quorum import Quorum
from roost.wire.messages import RunningLease


class InHand:
    def __init__(
        self, leases: Leases, progress: LeaseProgress, keepers: Keepers, quorum: Quorum, agreeing: Agreeing
    ) -> None:
        self._leases = leases
        self._progress = progress
        self._keepers = keepers
        self._quorum = quorum
        self._agreeing = agreeing

    def leases(self) -> tuple[RunningLease, ...]:
        """Return all leases of this node; others are told by it how far each has come."""
        held = map(self._running, self._leases.active.values())
        return (*held, *self._keepers.leases(), *self._quorum.leases(), *self._agreeing.leases())

    def attempts(self) -> tuple[RunningLease, ...]:
        """Return what this node attempts beside others."""
        return tuple(map(self._running, self._leases.attempts.values()))

    def _running(self, lease: Lease) -> RunningLease:
        lease.told, note = self._progress.of(lease)
        running_s = self._progress.running_s(lease)
        lease.told_ran_s = running_s or 0.0
        return RunningLease(lease.spec.id, lease.token, lease.outstanding, lease.told, running_s, note)
