"""The queue: it puts together what is known of tasks here, what of it is ready, and what this node runs."""

from roost.core.queue.applying import Applying
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.digests import Digests
from roost.core.queue.disk_pressure import DiskPressure
from roost.core.queue.expectations import Expectations
from roost.core.queue.fair_queue import FairQueue
from roost.core.queue.findings import Findings
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.lease_progress import LeaseProgress
from roost.core.queue.leases import Leases
from roost.core.queue.lending import Lending
from roost.core.queue.lives import Lives
from roost.core.queue.policy_memory import PolicyMemory
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Replica
from roost.core.queue.scheduler import Scheduler
from roost.core.queue.stopping import Stopping
from roost.core.queue.tokens import Tokens
from roost.core.queue.usage import Usage
from roost.core.queue.yielding import Yielding
from roost.core.restored import Restored
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.resources import Capacity


class Queue:
    """Its machines are there for who puts a node together; to all others the node gives those that they use."""

    def __init__(self, turn: Turn, tickets: Tickets, capacity: Capacity, restored: Restored) -> None:
        self.replica = Replica()
        self.policy_memory = PolicyMemory(restored.executions)
        self.dataflow = Dataflow(self.replica)
        self.lives = Lives(turn.boot)
        self.digests = Digests(self.replica)
        self.forgotten = ForgottenRuns(turn, self.digests)
        self.usage = Usage(turn, self.replica.owner_of, lambda: self.scheduler)
        self.applying = Applying(turn, self.replica, self.dataflow, self.lives, self.digests, self.usage)
        self.tokens = Tokens(turn.boot)
        self.leases = Leases(turn.name, turn.boot)
        self.findings = Findings(turn.name)
        self.stopping = Stopping(turn, self.leases)
        self.expectations = Expectations(self.replica.owner_of, restored.lengths)
        self.fair_queue = FairQueue(self.usage, self.replica.owner_of)
        self.scheduler = Scheduler(capacity, self.expectations, self.fair_queue)
        self.lanes = self.scheduler.lanes
        self.progress = LeaseProgress(turn, self.lanes)
        self.disk_pressure = DiskPressure()
        self.readiness = Readiness(
            self.replica, self.dataflow, tickets, self.disk_pressure, self.forgotten, self.leases, self.findings
        )
        self.lending = Lending(turn, self.leases, self.lanes, self.stopping)
        self.yielding = Yielding(turn, self.scheduler, self.stopping)
