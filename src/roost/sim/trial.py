"""A trial: a mesh lives through the history that its plan tells, in two phases, while checkers look on.

First safety: people ask here and there, and everything goes wrong that the plan names. Then liveness: the faults stop,
a core of machines goes on and the others are dead for good. The core must bring everything that it knows to its end,
agree on all of it, and fall quiet, in bounded time.

What a node accepted alone goes with its disk, if that is lost before another could keep it (accepted_kept.py sees to it
that nothing else does). What needs it waits for it, because the machine may only be away; so people cancel such a run.
"""

from collections.abc import Callable, Mapping
from random import Random

import msgspec

from roost.core.events import CancelAsked, Recalled, Sealed, SuspendAsked
from roost.core.mesh.contest.takedowns import CALM_S
from roost.core.quorum.proposing import majority
from roost.core.requests.requests import Request
from roost.model.clock import Stamp
from roost.model.ids import CauseId, NodeId, RunId, TaskId, run_of
from roost.model.limits import TAKEDOWNS_MAX
from roost.model.record import TaskRecord
from roost.model.task import TaskSpec
from roost.policy.fairness import PATIENCE_S
from roost.sim.checkers.accepted_kept import AcceptedKept
from roost.sim.checkers.agreement_kept import AgreementKept
from roost.sim.checkers.attempts_apart import AttemptsApart
from roost.sim.checkers.bounded_waiting import BoundedWaiting
from roost.sim.checkers.convergence import (
    Converged,
    lost_results,
    lost_votes,
    single_results,
    strangers,
    unended,
    unsettled,
)
from roost.sim.checkers.ends_agree import EndsAgree
from roost.sim.checkers.forgotten_stays import ForgottenStays
from roost.sim.checkers.inputs_accepted import InputsAccepted
from roost.sim.checkers.left_in_time import LeftInTime
from roost.sim.checkers.mesh_observer import Member, MeshObserver
from roost.sim.checkers.nothing_returns import NothingReturns
from roost.sim.checkers.observer import Broken
from roost.sim.checkers.offer_kept import OfferKept
from roost.sim.checkers.poison_only import PoisonOnly
from roost.sim.checkers.progress_sane import ProgressSane
from roost.sim.checkers.quiet import Quiet
from roost.sim.checkers.quorum_kept import QuorumKept
from roost.sim.checkers.results_agree import ResultsAgree
from roost.sim.checkers.tables_bounded import TablesBounded
from roost.sim.checkers.tokens_grow import TokensGrow
from roost.sim.executor import SLOWNESS
from roost.sim.hosts import Host
from roost.sim.liars import is_result_of
from roost.sim.life import Computing
from roost.sim.mesh import KILLED_S, MakeNode, Mesh, make_node
from roost.sim.plan import Plan
from roost.sim.poison import SOON_S, is_poison
from roost.sim.recall import recall_for
from roost.sim.workload import Workload, most_elements

#: Simulated seconds for the core to find itself again, and to do then what it is asked to, which is asked so often.
HEALING_S = 10.0
HEALING_ATTEMPTS = 6
#: Simulated seconds within which the core must have settled, beside the work itself.
LIVENESS_S = 180.0
#: How often a node dies over one element until it has failed, as a person may have it tried again in the meantime, and
#: how long it takes the others to notice.
DEATHS = 2 * TAKEDOWNS_MAX
NOTICED_S = 5.0
#: Simulated seconds between two looks at whether the core is as far as it must be.
LOOK_EVERY_S = 1.0
#: How long what was begun before may still be on its way, and how long the core must stay quiet in the end.
CALMING_S = 3.0
QUIET_S = 5.0


class TrialResult(msgspec.Struct, frozen=True):
    hash: str
    steps: int
    #: Lives that ended, however.
    ends: int
    simulated_s: float
    messages: int
    message_bytes: int
    #: How often an element was started, and how often of these beside the node that had leased it.
    starts: int
    attempts: int
    #: How many submitted tasks were accepted.
    accepted: int


class Trial:
    def __init__(self, plan: Plan, make: MakeNode = make_node, compute: Computing | None = None) -> None:
        self.plan = plan
        self._tokens = TokensGrow()
        self._attempts = AttemptsApart()
        self.agreement = AgreementKept()
        self.poison = PoisonOnly(plan.options.machine.mishaps.poison)
        self.mesh = Mesh(plan, self._watch, make, compute)
        # What no node offers would wait for ever, and in a small core any machine may be the only one.
        self._workload = Workload(
            Random(f"{plan.seed}/people"),
            min(plan.options.cpus),
            sessions=plan.options.sessions,
            careful=Random(f"{plan.seed}/careful"),
            strict=Random(f"{plan.seed}/strict"),
            quorum=plan.options.quorum,
            doubtful=(Random(f"{plan.seed}/doubtful"), plan.options.agreement),
            widths=plan.options.widths,
            forgetful=(Random(f"{plan.seed}/forgetting"), plan.options.forgetful),
            policy=(Random(f"{plan.seed}/lengths"), plan.options.policy) if plan.options.policy else None,
            owners=(Random(f"{plan.seed}/users"), plan.options.owners) if plan.options.owners > 1 else None,
        )

    def _watch(self, mesh: Mesh) -> MeshObserver:
        self._kept = AcceptedKept(mesh)
        options = self.plan.options
        self.waiting = BoundedWaiting(mesh, PATIENCE_S if options.fairness else 0.0)
        return MeshObserver(
            [
                *([LeftInTime(options.nodes, lambda: mesh.now)] if options.fairness else ()),
                self._kept,
                ResultsAgree(mesh, self.is_result),
                QuorumKept(mesh),
                self.agreement,
                self._tokens,
                self._attempts,
                NothingReturns(),
                InputsAccepted(),
                OfferKept(),
                self.waiting,
                self.poison,
                ProgressSane(),
                TablesBounded(),
                Converged(),
                EndsAgree(),
                ForgottenStays(mesh),
            ]
        )

    def is_result(self, value: bytes, task: TaskId, index: int) -> bool:
        """Whether this may be the result of an element."""
        return is_result_of(value, task, index)

    def run(self) -> TrialResult:
        """Live through both phases; raise Broken, or what the core raised, as soon as a promise does not hold."""
        self._safety()
        self.mesh.check()
        core = self._liveness()
        self.mesh.check()
        self.mesh.observer.at_rest(_members(core))
        said = self.mesh.network.tallies.values()
        trace = self.mesh.trace
        return TrialResult(
            trace.hash,
            trace.steps,
            self.mesh.ends,
            self.mesh.now,
            sum(tally.messages for tally in said),
            sum(tally.size for tally in said),
            self._tokens.starts,
            self._attempts.begun,
            len(self._kept.accepted),
        )

    # Safety.

    def _safety(self) -> None:
        options, seed = self.plan.options, self.plan.seed
        pauses, places = Random(f"{seed}/pauses"), Random(f"{seed}/places")
        for time in sorted(pauses.uniform(0.0, options.faulty_s) for _ in range(options.requests)):
            self.mesh.until(time)
            self._ask_somebody(places)
        self.mesh.until(options.faulty_s)

    def _ask_somebody(self, places: Random) -> None:
        luck = places.random()
        there = [host for host in self.mesh.hosts if host.life is not None and not host.asleep(self.mesh.now)]
        if there:
            host = there[int(luck * len(there))]
            known = host.disk.flushed.tasks
            self._ask(host, self._workload.next_request(known, _stamp(host, self.mesh.now)))

    def _ask(self, host: Host, request: Request) -> None:
        if host.life is None:
            return
        recalled = recall_for(request, host.life.node.queue.replica, host.disk)
        # A node that dies over the first of the two is not asked any more.
        if recalled is None or self.mesh.feed(host, recalled):
            self.mesh.feed(host, request)

    # Liveness.

    def _liveness(self) -> list[Host]:
        mesh = self.mesh
        core = self._choose_core()
        mesh.heal(core)
        # What was asked at the very end is on its way to the disk.
        mesh.until(mesh.awake_at + CALMING_S)
        self._wait(lambda: strangers(_members(core)) is None, HEALING_S, core)
        self._give_up_lost_runs(core)
        self._resume_and_seal(core)
        for host in core:
            # The last request is over; what it recalled may leave.
            mesh.feed(host, Recalled((), ()))
        self._settle(core)
        mesh.until(mesh.now + CALMING_S)
        quiet = Quiet(mesh.network)
        began = {host.machine: host.clock.read(mesh.now) for host in mesh.hosts}
        mesh.until(mesh.now + QUIET_S)
        quiet.check({host.machine: host.clock.read(mesh.now) - began[host.machine] for host in mesh.hosts})
        return core

    def _choose_core(self) -> list[Host]:
        """Choose who lives on: all, or in a cluster whose disks are all there, all but one, which Roost can bear.

        Whoever has results on its disk only is not left out. It was alone when it accepted them (else results_agree.py
        says so at once), and nobody can help it if such a machine is lost before it has met others for long enough.
        """
        luck = Random(f"{self.plan.seed}/core")
        core: list[Host] = []
        for cluster in range(self.plan.options.clusters):
            hosts = [host for host in self.mesh.hosts if host.cluster == cluster]
            spare = luck.randrange(2 * len(hosts))
            whole = len(hosts) == 1 or any(host.disks_lost for host in hosts)
            whole = whole or (spare < len(hosts) and _has_single(hosts[spare], hosts))
            core += [host for at, host in enumerate(hosts) if whole or at != spare]
        return core

    def _give_up_lost_runs(self, core: list[Host]) -> None:
        """Cancel what may need results that went with a disk, or with those who forgot a run that came back."""
        if not any(host.disks_lost or host.disk.flushed.tombstones for host in core):
            return
        for host in core:
            disks = [other.disk for other in core if other.cluster == host.cluster]
            tasks = host.disk.flushed.tasks
            lost = {
                run_of(task)
                for task in tasks
                if lost_results(host.disk, disks, task) or lost_votes(host.disk, disks, task)
            }
            for run in sorted(_with_those_that_need(lost, tasks)):
                whole = tuple((task, record.spec.elements) for task, record in tasks.items() if run_of(task) == run)
                self._ask(host, CancelAsked(_cause(host, run), whole))

    def _resume_and_seal(self, core: list[Host]) -> None:
        """Resume every run and seal every session, so that everything can come to its end.

        What too few voters are left to decide on, or too few nodes to agree, never would; a person cancels that.
        """
        living = {host.cluster: {other.name for other in core if other.cluster == host.cluster} for host in core}

        def left() -> list[tuple[Host, Request]]:
            asked = {host: [*_to_heal(host), *_undecidable(host, living[host.cluster])] for host in core}
            return [(host, request) for host, requests in asked.items() for request in requests]

        for _ in range(HEALING_ATTEMPTS + int(self._deaths_s() / HEALING_S)):
            for host, request in left():
                self._ask(host, request)
            if self._wait(lambda: not left(), HEALING_S, core):
                return
        raise Broken("there are runs that cannot be resumed or sealed although no fault is left")

    def _settle(self, core: list[Host]) -> None:
        limit_s = LIVENESS_S + self._work_s(core) + self._deaths_s()
        if not self._wait(lambda: unsettled(_members(core)) is None, limit_s, core):
            what = unsettled(_members(core)) if _all_live(core) else "nodes die on"
            raise Broken(f"{what}, {limit_s:.0f} s after the last fault")

    def _wait(self, is_so: Callable[[], bool], limit_s: float, core: list[Host]) -> bool:
        """Let time go by until something is so while all of the core live; return whether it became so in time."""
        end = self.mesh.now + limit_s
        while not (_all_live(core) and is_so()):
            if self.mesh.now >= end:
                return False
            self.mesh.until(self.mesh.now + LOOK_EVERY_S)
        return True

    def _deaths_s(self) -> float:
        """Return how long the nodes of the core are away that elements kill, until it is known which ones do."""
        share = self.plan.options.machine.mishaps.poison
        tasks = {spec.id: spec for specs in self._workload.runs.values() for spec in specs} if share else {}
        # Of a pool all that there could be, though most of it turns out not to exist.
        killers = sum(
            sum(is_poison(spec.id, index, share) for index in spec.elements)
            if spec.mapper is None
            else share * most_elements(spec)
            for spec in tasks.values()
        )
        return CALM_S + killers * DEATHS * (KILLED_S[1] + SOON_S + NOTICED_S) if killers else 0.0

    def _work_s(self, core: list[Host]) -> float:
        """Return how long all work would take in the cluster with the fewest processors, done twice on half of them."""
        mishaps = self.plan.options.machine.mishaps
        elements = sum(
            most_elements(task) * (1 if task.agreement is None else task.agreement.limit)
            for tasks in self._workload.runs.values()
            for task in tasks
        )
        cpus: dict[int, float] = {}
        for host in core:
            cpus[host.cluster] = cpus.get(host.cluster, 0.0) + host.cpus
        return 4 * elements * mishaps.mean_s * (1 + SLOWNESS * mishaps.slow) / min(cpus.values())


def _with_those_that_need(runs: set[RunId], tasks: Mapping[TaskId, TaskRecord]) -> set[RunId]:
    """Add the runs that need something of these, directly or through others."""
    needed: dict[RunId, set[RunId]] = {}
    for task, record in tasks.items():
        needed.setdefault(run_of(task), set()).update(run_of(edge.source) for edge in record.spec.edges)
    while more := {run for run, sources in needed.items() if run not in runs and not sources.isdisjoint(runs)}:
        runs = runs | more
    return runs


def _has_single(host: Host, hosts: list[Host]) -> bool:
    disks = [other.disk for other in hosts if other is not host]
    return any(single_results(host.disk, disks, task) for task in host.disk.flushed.tasks)


def _stamp(host: Host, now: float) -> Stamp:
    return Stamp(int(host.clock.read(now) * 1000), 0, host.name)


def _all_live(core: list[Host]) -> bool:
    return all(host.life is not None for host in core)


def _members(core: list[Host]) -> list[Member]:
    return [_member(host) for host in core]


def _member(host: Host) -> Member:
    assert host.life is not None
    return Member(host.life.node, host.disk, host.cluster)


def _to_heal(host: Host) -> list[Request]:
    requests: list[Request] = []
    for run, record in host.disk.flushed.runs.items():
        if record.suspended.on:
            requests.append(SuspendAsked(_cause(host, run), run, on=False))
        if not record.sealed.on:
            requests.append(Sealed(_cause(host, run), run))
    return requests


def _undecidable(host: Host, living: set[NodeId]) -> list[Request]:
    tasks = host.disk.flushed.tasks
    hopeless = [task for task in unended(tasks) if _lacks_nodes(tasks[task].spec, living)]
    return [CancelAsked(_cause(host, task), ((task, tasks[task].spec.elements),)) for task in hopeless]


def _lacks_nodes(spec: TaskSpec, living: set[NodeId]) -> bool:
    """Whether too few nodes live to decide on its results."""
    lacks_voters = bool(spec.voters) and len(living.intersection(spec.voters)) < majority(len(spec.voters))
    return lacks_voters or (spec.agreement is not None and len(living) < spec.agreement.limit)


def _cause(host: Host, about: RunId | TaskId) -> CauseId:
    return CauseId(f"healed-{host.name}-{about}")
