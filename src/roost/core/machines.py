"""The machines of a node, put together: each gets the few others that it uses, and keeps them to itself.

Only here, in the queue and in a medium, which put their own together, machines are there for all to see.
"""

from roost.core.agreement.agreeing import Agreeing
from roost.core.clock_bounds import ClockBounds
from roost.core.completion import Completion
from roost.core.data.fetcher import Fetcher
from roost.core.data.inventory import Inventory, Lacking
from roost.core.data.losses import Losses
from roost.core.data.re_replication import ReReplication
from roost.core.events import ReopenAsked
from roost.core.facts import StatesMerged
from roost.core.medium.port import Above, Below, MakeMedium
from roost.core.outcomes import Outcomes
from roost.core.own_state import OwnState
from roost.core.page_in import PageIn
from roost.core.peers import Peers
from roost.core.queue.applying import Followers
from roost.core.queue.attempts import Attempts
from roost.core.queue.draining import Draining
from roost.core.queue.leasing import Leasing
from roost.core.queue.leasing_ahead import LeasingAhead
from roost.core.queue.preemption import Preemption
from roost.core.queue.queue import Queue
from roost.core.quorum.quorum import Quorum
from roost.core.requests.cancelling import Cancelling
from roost.core.requests.decisions import Decisions
from roost.core.requests.requests import Requests
from roost.core.requests.sending_back import SendingBack
from roost.core.requests.submitting import Submitting
from roost.core.requests.switching import Switching
from roost.core.requests.trying_again import TryingAgain
from roost.core.restored import Restored
from roost.core.staying import Staying
from roost.core.telling.explain import Explanations
from roost.core.telling.summaries import Summaries
from roost.core.telling.undecided import Undecided
from roost.core.tickets import Tickets
from roost.core.tombstones import Tombstones
from roost.core.turn import Turn
from roost.model.chance import Chance
from roost.model.ids import NodeId, TaskId
from roost.model.record import RunRecord
from roost.model.resources import Capacity
from roost.model.tombstones import Tombstone
from roost.policy.choose import Policy
from roost.policy.company import processor_type
from roost.policy.fairness import Fairness, fairly


class Machines:
    def __init__(
        self,
        name: NodeId,
        capacity: Capacity,
        restored: Restored,
        make_medium: MakeMedium,
        chance: Chance,
        policy: Policy,
        fairness: Fairness,
        archive_group: int,
    ) -> None:
        self._archive_group = archive_group
        self.clocks = ClockBounds(name, restored.last_stamp)
        self.tickets = Tickets()
        self.turn = turn = Turn(name, restored.boot, self.clocks, self.tickets, restored.online)
        self.peers = peers = Peers(turn)
        self.queue = queue = Queue(turn, self.tickets, capacity, restored)
        self.draining = Draining(peers, self.tickets, queue.leases, queue.scheduler, queue.stopping)
        self.staying = Staying(turn, lambda: queue.expectations.speed_seen, self._processor)
        queue.expectations.alike = lambda: peers.alike(self._processor())
        self.own_state = OwnState(turn, self.staying)
        self.attempts = Attempts(
            turn,
            peers=peers,
            replica=queue.replica,
            leases=queue.leases,
            findings=queue.findings,
            tokens=queue.tokens,
            scheduler=queue.scheduler,
            readiness=queue.readiness,
            stopping=queue.stopping,
        )
        self.inventory = Inventory(queue.replica, restored.blobs)
        self.fetcher = Fetcher(turn, peers, queue.replica, self.inventory)
        self.re_replication = ReReplication(
            turn,
            peers,
            queue.replica,
            queue.dataflow,
            self.inventory,
            self.draining,
            queue.digests.runs,
        )
        self._put_together_deciding(chance)
        below = Below(
            turn,
            self.clocks,
            peers,
            queue,
            self.draining,
            self.staying,
            self.attempts,
            self.inventory,
            self.fetcher,
            self.re_replication,
            self.quorum,
            self.agreeing,
            chance,
            fairness,
            fairly(policy, fairness),
        )
        self.medium = make_medium(below, Above(self._nobody_has, self._run_switched, self._runs_forgotten))
        self.agreeing.accept = lambda offer: self.medium.accept(offer, ())
        self._put_together_telling()
        self._put_together_ends()
        self._put_together_requests()
        self._put_together_leasing()

    def _put_together_deciding(self, chance: Chance) -> None:
        queue = self.queue
        self.quorum = Quorum(
            self.turn,
            peers=self.peers,
            replica=queue.replica,
            leases=queue.leases,
            inventory=self.inventory,
            re_replication=self.re_replication,
            forgotten=queue.forgotten,
            chance=chance,
        )
        self.agreeing = Agreeing(
            self.turn, self.peers, queue.replica, queue.dataflow, queue.applying, queue.findings, queue.tokens
        )

    def _put_together_telling(self) -> None:
        queue = self.queue
        self.undecided = Undecided(self.turn.name, self.peers, queue.replica, self.quorum, self.agreeing)
        self.summaries = Summaries(
            self.turn, self.peers, queue.replica, queue.dataflow, queue.lanes, queue.progress, self.undecided
        )
        self.explanations = Explanations(
            self.turn,
            peers=self.peers,
            tickets=self.tickets,
            replica=queue.replica,
            dataflow=queue.dataflow,
            scheduler=queue.scheduler,
            fair_queue=queue.fair_queue,
            expectations=queue.expectations,
            readiness=queue.readiness,
            disk_pressure=queue.disk_pressure,
            draining=self.draining,
            lending=queue.lending,
            inventory=self.inventory,
            summaries=self.summaries,
            undecided=self.undecided,
            claims=self.medium,
        )

    def _put_together_ends(self) -> None:
        queue, medium, turn = self.queue, self.medium, self.turn
        self.completion = Completion(
            turn,
            clocks=self.clocks,
            tickets=self.tickets,
            replica=queue.replica,
            dataflow=queue.dataflow,
            leases=queue.leases,
            digests=queue.digests,
            quorum=self.quorum,
            forgotten=queue.forgotten,
            summaries=self.summaries,
            leave=(
                queue.scheduler.forget,
                queue.usage.forget,
                queue.policy_memory.forget,
                queue.disk_pressure.forget,
                self.attempts.forget,
                queue.digests.task_leaves,
                self.re_replication.forget,
                self.quorum.forget,
                self.agreeing.forget,
                self.inventory.drop,
                self.fetcher.forget,
                medium.forget,
            ),
            archive_group=self._archive_group,
        )
        queue.applying.followers = Followers(
            quorum=self.quorum.moved,
            agreeing=self.agreeing.moved,
            attempts=self.attempts.moved,
            completion=self.completion.moved,
            states_told=lambda task, delta: medium.publish(StatesMerged(task, delta)),
            leases_told=lambda task, delta: medium.publish(StatesMerged(task, delta), hurried=True),
            decided=self.re_replication.decided,
            leased=medium.leased,
        )
        self.tombstones = Tombstones(
            turn,
            tickets=self.tickets,
            replica=queue.replica,
            dataflow=queue.dataflow,
            leases=queue.leases,
            stopping=queue.stopping,
            digests=queue.digests,
            forgotten=queue.forgotten,
            quorum=self.quorum,
            agreeing=self.agreeing,
            re_replication=self.re_replication,
            medium=medium,
            completion=self.completion,
        )
        self.page_in = PageIn(
            turn,
            replica=queue.replica,
            dataflow=queue.dataflow,
            applying=queue.applying,
            inventory=self.inventory,
            digests=queue.digests,
            quorum=self.quorum,
            re_replication=self.re_replication,
            medium=medium,
            completion=self.completion,
        )

    def _put_together_requests(self) -> None:
        queue, medium, turn = self.queue, self.medium, self.turn
        replica, dataflow = queue.replica, queue.dataflow
        self.losses = Losses(
            turn, self.peers, replica, dataflow, queue.readiness, self.inventory, queue.digests.doubt, self._ask
        )
        decisions = Decisions(turn, replica, queue.applying, queue.digests, medium)
        submitting = Submitting(
            turn,
            peers=self.peers,
            replica=replica,
            dataflow=dataflow,
            tokens=queue.tokens,
            lanes=queue.lanes,
            applying=queue.applying,
            inventory=self.inventory,
            digests=queue.digests,
            medium=medium,
            decisions=decisions,
        )
        self.switching = Switching(
            turn,
            tickets=self.tickets,
            replica=replica,
            lanes=queue.lanes,
            stopping=queue.stopping,
            digests=queue.digests,
            medium=medium,
            re_replication=self.re_replication,
            submitting=submitting,
        )
        self.cancelling = Cancelling(turn, replica, queue.readiness, queue.stopping, decisions)
        sending_back = SendingBack(
            turn, replica, dataflow, queue.tokens, queue.stopping, self.inventory, medium, decisions
        )
        trying_again = TryingAgain(turn, replica, dataflow, decisions, sending_back, self.losses)
        self.requests = Requests(
            turn,
            queue.forgotten,
            submitting,
            self.cancelling,
            trying_again,
            sending_back,
            self.switching,
            self.tombstones,
        )

    def _put_together_leasing(self) -> None:
        queue, medium = self.queue, self.medium
        self.leasing = Leasing(
            self.turn,
            replica=queue.replica,
            memory=queue.policy_memory,
            lives=queue.lives,
            leases=queue.leases,
            scheduler=queue.scheduler,
            readiness=queue.readiness,
            applying=queue.applying,
            stopping=queue.stopping,
            claims=medium,
            ahead=LeasingAhead(
                medium,
                queue.replica,
                queue.dataflow,
                queue.leases,
                queue.scheduler,
                queue.readiness,
                self.inventory.has_blob,
            ),
            attempts=self.attempts,
        )
        self.preemption = Preemption(
            self.turn.name,
            self.tickets,
            queue.scheduler,
            queue.fair_queue,
            queue.readiness,
            medium,
            queue.stopping,
        )
        self.outcomes = Outcomes(
            self.turn,
            medium=medium,
            leases=queue.leases,
            attempts=self.attempts,
            scheduler=queue.scheduler,
            expectations=queue.expectations,
            readiness=queue.readiness,
            disk_pressure=queue.disk_pressure,
            memory=queue.policy_memory,
            applying=queue.applying,
            inventory=self.inventory,
        )

    # Who is put together later is reached by these.

    def _processor(self) -> int:
        return processor_type(self.queue.lanes.capacity.attributes)

    def _nobody_has(self, task: TaskId, lacking: Lacking) -> None:
        self.losses.nobody_has(task, lacking)

    def _run_switched(self, before: RunRecord, after: RunRecord) -> None:
        self.switching.switched_elsewhere(before, after)

    def _runs_forgotten(self, tombstones: tuple[Tombstone, ...]) -> None:
        self.tombstones.heard(tombstones)

    def _ask(self, event: ReopenAsked) -> None:
        self.requests.ask(event)
