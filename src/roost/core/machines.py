"""The machines of a node, put together: each gets the few others that it uses, and keeps them to itself.

Only here, in the queue and in the mesh, which put their own together, machines are there for all to see.
"""

from roost.core.clock_bounds import ClockBounds
from roost.core.completion import Completion
from roost.core.data.inventory import Inventory, Lacking
from roost.core.data.losses import Losses
from roost.core.events import ReopenAsked
from roost.core.mesh.membership.membership import Membership
from roost.core.mesh.mesh import Above, Mesh, Surroundings
from roost.core.outcomes import Outcomes
from roost.core.page_in import PageIn
from roost.core.peers import Peers
from roost.core.queue.applying import Followers
from roost.core.queue.draining import Draining
from roost.core.queue.leasing import Leasing
from roost.core.queue.leasing_ahead import LeasingAhead
from roost.core.queue.preemption import Preemption
from roost.core.queue.queue import Queue
from roost.core.requests.cancelling import Cancelling
from roost.core.requests.decisions import Decisions
from roost.core.requests.requests import Requests
from roost.core.requests.sending_back import SendingBack
from roost.core.requests.submitting import Submitting
from roost.core.requests.switching import Switching
from roost.core.requests.trying_again import TryingAgain
from roost.core.restored import Restored
from roost.core.telling.explain import Explanations
from roost.core.telling.summaries import Summaries
from roost.core.telling.undecided import Undecided
from roost.core.tickets import Tickets
from roost.core.tombstones import Tombstones
from roost.core.turn import Turn
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.record import RunRecord
from roost.model.resources import Capacity
from roost.model.tombstones import Tombstone


class Machines:
    def __init__(
        self,
        name: NodeId,
        capacity: Capacity,
        restored: Restored,
        surroundings: Surroundings | None,
        archive_group: int,
    ) -> None:
        self._archive_group = archive_group
        self.clocks = ClockBounds(name, restored.last_stamp)
        self.tickets = Tickets()
        self.turn = turn = Turn(name, restored.boot, self.clocks, self.tickets)
        members = _membership(name, restored.boot, surroundings)
        self.peers = Peers(turn, members)
        self.queue = queue = Queue(turn, self.tickets, capacity, self._is_going)
        self.draining = Draining(self.peers, self.tickets, queue.leases, queue.scheduler, queue.stopping)
        self.inventory = Inventory(queue.replica, restored.blobs)
        self.mesh = Mesh(
            turn,
            clocks=self.clocks,
            peers=self.peers,
            members=members,
            queue=queue,
            draining=self.draining,
            inventory=self.inventory,
            surroundings=surroundings,
            above=Above(self._nobody_has, self._run_switched, self._runs_forgotten),
        )
        self._put_together_telling()
        self._put_together_ends()
        self._put_together_requests()
        self._put_together_leasing()

    def _put_together_telling(self) -> None:
        queue, mesh = self.queue, self.mesh
        self.undecided = Undecided(self.turn.name, self.peers, queue.replica, mesh.quorum)
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
            readiness=queue.readiness,
            disk_pressure=queue.disk_pressure,
            draining=self.draining,
            lending=queue.lending,
            inventory=self.inventory,
            summaries=self.summaries,
            undecided=self.undecided,
        )

    def _put_together_ends(self) -> None:
        queue, mesh, turn = self.queue, self.mesh, self.turn
        self.completion = Completion(
            turn,
            clocks=self.clocks,
            tickets=self.tickets,
            replica=queue.replica,
            dataflow=queue.dataflow,
            leases=queue.leases,
            digests=mesh.digests,
            quorum=mesh.quorum,
            forgotten=mesh.forgotten,
            summaries=self.summaries,
            leave=(
                queue.scheduler.forget,
                queue.disk_pressure.forget,
                mesh.digests.task_leaves,
                mesh.re_replication.forget,
                mesh.quorum.forget,
                self.inventory.drop,
                mesh.fetcher.forget,
                mesh.bidding.forget,
                lambda task: mesh.finished_tasks.remember(task, turn.now),
            ),
            archive_group=self._archive_group,
        )
        queue.applying.followers = Followers(
            digests=mesh.digests.task_changed,
            overruled=mesh.overruled.merged,
            quorum=mesh.quorum.moved,
            completion=self.completion.moved,
            states_told=mesh.broadcasting.moved,
            leases_told=mesh.broadcasting.leased,
            decided=mesh.re_replication.decided,
            claimed=mesh.bidding.leased,
        )
        self.tombstones = Tombstones(
            turn,
            tickets=self.tickets,
            replica=queue.replica,
            dataflow=queue.dataflow,
            leases=queue.leases,
            stopping=queue.stopping,
            digests=mesh.digests,
            forgotten=mesh.forgotten,
            questions=mesh.questions,
            keepers=mesh.keepers,
            quorum=mesh.quorum,
            re_replication=mesh.re_replication,
            broadcasting=mesh.broadcasting,
            completion=self.completion,
        )
        self.page_in = PageIn(
            turn,
            replica=queue.replica,
            dataflow=queue.dataflow,
            applying=queue.applying,
            inventory=self.inventory,
            digests=mesh.digests,
            quorum=mesh.quorum,
            re_replication=mesh.re_replication,
            overruled=mesh.overruled,
            completion=self.completion,
            hear=lambda event: mesh.heard(event, looked_up=True),
        )

    def _put_together_requests(self) -> None:
        queue, mesh, turn = self.queue, self.mesh, self.turn
        replica, dataflow, keepers = queue.replica, queue.dataflow, mesh.keepers
        self.losses = Losses(
            turn, self.peers, replica, dataflow, queue.readiness, self.inventory, mesh.digests.doubt, self._ask
        )
        decisions = Decisions(turn, replica, queue.applying, mesh.digests, mesh.broadcasting)
        submitting = Submitting(
            turn,
            peers=self.peers,
            replica=replica,
            dataflow=dataflow,
            leases=queue.leases,
            lanes=queue.lanes,
            applying=queue.applying,
            inventory=self.inventory,
            digests=mesh.digests,
            keepers=keepers,
            decisions=decisions,
        )
        self.switching = Switching(
            turn,
            tickets=self.tickets,
            replica=replica,
            lanes=queue.lanes,
            stopping=queue.stopping,
            digests=mesh.digests,
            broadcasting=mesh.broadcasting,
            re_replication=mesh.re_replication,
            submitting=submitting,
        )
        self.cancelling = Cancelling(turn, replica, queue.readiness, queue.stopping, decisions)
        sending_back = SendingBack(
            turn, replica, dataflow, queue.leases, queue.stopping, self.inventory, keepers, decisions
        )
        trying_again = TryingAgain(turn, replica, dataflow, decisions, sending_back, self.losses)
        self.requests = Requests(
            turn,
            mesh.forgotten,
            submitting,
            self.cancelling,
            trying_again,
            sending_back,
            self.switching,
            self.tombstones,
        )

    def _put_together_leasing(self) -> None:
        queue, claims = self.queue, self.mesh.bidding
        self.leasing = Leasing(
            self.turn,
            peers=self.peers,
            replica=queue.replica,
            lives=queue.lives,
            leases=queue.leases,
            scheduler=queue.scheduler,
            readiness=queue.readiness,
            applying=queue.applying,
            stopping=queue.stopping,
            claims=claims,
            ahead=LeasingAhead(
                self.peers,
                queue.replica,
                queue.dataflow,
                queue.leases,
                queue.scheduler,
                queue.readiness,
                self.inventory.has_blob,
            ),
        )
        self.preemption = Preemption(
            self.turn.name, self.tickets, queue.scheduler, queue.readiness, claims, queue.stopping
        )
        self.outcomes = Outcomes(
            self.turn,
            self.peers,
            queue.leases,
            queue.scheduler,
            queue.readiness,
            queue.disk_pressure,
            queue.applying,
            self.inventory,
        )

    # Who is put together later is reached by these.

    def _is_going(self, run: RunId) -> bool:
        return self.mesh.forgotten.is_going(run)

    def _nobody_has(self, task: TaskId, lacking: Lacking) -> None:
        self.losses.nobody_has(task, lacking)

    def _run_switched(self, before: RunRecord, after: RunRecord) -> None:
        self.switching.switched_elsewhere(before, after)

    def _runs_forgotten(self, tombstones: tuple[Tombstone, ...]) -> None:
        self.tombstones.heard(tombstones)

    def _ask(self, event: ReopenAsked) -> None:
        self.requests.ask(event)


def _membership(name: NodeId, boot: int, surroundings: Surroundings | None) -> Membership | None:
    return None if surroundings is None else Membership(name, boot, surroundings.address, surroundings.chance)
