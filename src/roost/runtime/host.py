"""The host: one living node, put together. It is the NodeService that the API uses.

What is in memory is answered by the core; runs that have left it, by the journal.
"""

import asyncio
import heapq
import logging
import os
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from random import Random

import msgspec

from roost.core.actions import Accepted, Change, Notify, Refused, Reply, Send
from roost.core.events import (
    CapacityChanged,
    DrainAsked,
    Leaving,
    Submitted,
    VitalsChanged,
    WaitBegan,
    WaitEnded,
)
from roost.core.facts import StoryTold
from roost.core.medium.alone import Alone
from roost.core.queue.draining import Remaining
from roost.core.recording import Beginning
from roost.core.requests.requests import Request, named_by
from roost.core.restored import Restored
from roost.core.telling.explain import NOBODY_ELSE, Reasons
from roost.core.telling.network_views import KeyChange, NetworkReport, NodeView
from roost.core.telling.views import RunView, TaskView
from roost.core.telling.work_shared import work_shared
from roost.executors.command import CommandExecutor
from roost.executors.function import FunctionExecutor
from roost.executors.places import Places
from roost.executors.port import Executor, Report
from roost.executors.quarantine import Quarantine
from roost.executors.reuse.fingerprints import Keys
from roost.executors.script import ScriptExecutor
from roost.model.attributes import PROGRAMS, PROGRAMS_FOLDER, Attributes
from roost.model.clock import Stamp
from roost.model.errors import InvalidInput, Unavailable
from roost.model.ids import BlobHash, CauseId, LeaseId, NodeId, RunId, TaskId, run_id, run_of
from roost.model.limits import HANDED_FILE_BYTES_MAX, OUTPUT_QUOTA_BYTES, STORED_VALUE_BYTES_MAX
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.segments import Segment
from roost.model.states import Done, State
from roost.model.task import Command, Failure, Function, Needs, RunKind, Script, TaskSpec
from roost.model.vitals import Vitals
from roost.policy.catalogue import DEFAULT_POLICY
from roost.policy.choose import Policy
from roost.policy.fairness import NO_FAIRNESS, Fairness
from roost.policy.usual import USUAL
from roost.runtime.clock import Clock
from roost.runtime.data.handed_in import HandedIn, value_handed_in
from roost.runtime.data.retention import Retention, folder_bytes
from roost.runtime.driver import Driver
from roost.runtime.experience import KeptExperience
from roost.runtime.far.homecoming import Homecoming
from roost.runtime.far.incoming import take_in
from roost.runtime.far.output import Piece
from roost.runtime.far.provisioning import Provisioning
from roost.runtime.far.reach import Reach
from roost.runtime.far.reuse_asking import Asking
from roost.runtime.far.timelines import Timeline
from roost.runtime.far.upkeep import Upkeep
from roost.runtime.home import Home
from roost.runtime.journal.archive import archived_run_view, archived_task_view, explain_archived
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.recall import recall
from roost.runtime.neighbours import node_views
from roost.runtime.network.mesh_settings import MeshSettings
from roost.runtime.network.network import Network
from roost.runtime.online_times import OnlineTimes
from roost.runtime.probation.last_life import LastLife
from roost.runtime.probation.probation import Probation, Trials
from roost.runtime.recorder import Recorder
from roost.runtime.reuse.reasons import ReuseReasons
from roost.runtime.reuse.reusing import Reusing
from roost.runtime.self_check import SelfCheck
from roost.runtime.service import NodeFacts
from roost.runtime.trust.key_file import KeyStore
from roost.version import VERSION
from roost.wire.content import ContentQuestion, Given
from roost.wire.messages import Ask, OutputStream, Told
from roost.wire.stored import Stored

log = logging.getLogger(__name__)

#: How long somebody who asks for a file waits without a word; the client's own patience is a little longer.
_PEOPLE_WAIT_S = 45.0
_STOPPING = "the node is stopping; ask again when it runs"


class Host:
    """Make one inside a running event loop, in a home whose lock this process holds; ``start`` it, ``close`` it."""

    def __init__(
        self,
        home: Home,
        capacity: Capacity,
        proposed_name: NodeId,
        *,
        niceness: int = 10,
        output_bytes: int = OUTPUT_QUOTA_BYTES,
        mesh: MeshSettings | None = None,
        programs: Path | None = None,
        keep_runs_s: float | None = None,
        recording_bytes: int = 0,
        policy: Policy = USUAL,
        fairness: Fairness = NO_FAIRNESS,
        policy_of_runs: str = DEFAULT_POLICY,
    ) -> None:
        """``niceness`` is how far the processes of tasks step back behind the owner's own, ``output_bytes`` what an
        element may write to each of its streams.

        Without ``mesh`` the node stays alone. The proposed name counts for a new home. ``programs`` is the folder of
        the programs that tasks name without a path; those that ``capacity`` names are there. Runs that were handed in
        here are forgotten ``keep_runs_s`` after their end. What the core is fed is recorded, up to ``recording_bytes``.
        ``policy`` says what the node wants, ``fairness`` when not; runs of its people get ``policy_of_runs``.
        """
        self._home, self._policy_of_runs, self._fairness = home, policy_of_runs, fairness
        self._clock = Clock()
        keyring = KeyStore(home).ensure(proposed_name) if mesh is not None else None
        self._journal = Journal.open(home.journal)
        self._network = None if mesh is None or keyring is None else Network(home, keyring, mesh)
        if self._network is not None and not home.is_named:
            proposed_name = self._network.distinct(proposed_name)
        name = self._journal.identity(proposed_name)
        self._boot = self._journal.begin_boot()
        beginning = _beginning(name, capacity, self._journal.restore(), self._network, fairness)
        self._recorder = Recorder(home.recordings, recording_bytes, beginning, asyncio.get_running_loop().call_later)
        medium = Alone if self._network is None else self._network.surroundings()
        self._node = beginning.node(medium, Random, self._recorder.note if recording_bytes else None, policy)
        hear = (lambda: None) if self._network is None else self._network.hear
        self._driver = Driver(self._node, self._journal, self._clock, self._speak, self._give_up, hear)
        self._online_times = OnlineTimes(self._journal, beginning.restored.online, self._driver.feed)
        self._experience = KeptExperience(self._journal, self._node.queue.expectations, self._node.queue.policy_memory)
        self._self_check = SelfCheck(self._node, self._driver.as_a_whole, self._recorder.flush)
        places = Places(home.logs, home.blobs, home.scratch, output_bytes)
        asking = self._ask_or_tell, self._carry, self._call_back
        self._reach = Reach(self._node, self._journal, self._driver, places, *asking)
        if self._network is not None:
            self._network.attach(self._node, self._driver.feed, self._clock, self._reach.heard, self._reach.give)
        reusing = Reusing(Keys(programs), self._reach.shelf, self._reach.kept_here, self._driver.feed)
        self._reuse_reasons = ReuseReasons(self._journal, self._reach.shelf, name)
        self._last_life = LastLife(home)
        trials = Trials(self._last_life) if self._last_life.suspects else None
        self._executors: dict[type, Executor] = {
            kind: self._prepared(_on_probation(make, reusing.heard, trials), reusing)
            for kind, make in _kinds_of_work(places, niceness, programs).items()
        }
        self._upkeep = Upkeep(self._node, self._journal, self._reach.copies)
        self._driver.listen_to_company(self._upkeep.company)
        self._reach.contents.on_damage = self._upkeep.damaged
        self._homecoming = Homecoming(self._node, self._journal, self._reach) if self._network is not None else None
        ask, run, cause = self.ask, self.run, self.new_cause
        self._retention = Retention(self._node, self._journal, places, ask, run, cause, keep_s=keep_runs_s)
        self._answers: dict[CauseId, asyncio.Future[Accepted]] = {}
        self._listeners: dict[int, Callable[[Change], None]] = {}
        self._listener_names = self._causes = 0
        self._started_at, self._closed = self._clock.now(), False
        self.stopping = asyncio.Event()
        #: Whether it stops in order to leave the cluster for good.
        self.leaves = False
        #: Whether it stops because it cannot go on.
        self.gave_up = False

    def _prepared(self, executor: Executor, reusing: Reusing) -> Executor:
        """Let an executor begin when what it needs is here, and nobody has done the same before."""
        provided = Provisioning(executor, reusing.heard, self._reach.output, self._reach.shelf)
        return reusing.before(Asking(provided, reusing, self._reach.kept))

    def start(self) -> None:
        if self._network is not None:
            self._network.start()
        self._last_life.begin(lambda: bool(self._node.queue.leases.in_hand()))
        self._driver.start(self._executors)
        self._online_times.start()
        self._experience.start()
        self._self_check.start()
        self.listen(self._retention.hear)
        self._retention.start()
        if self._homecoming is not None:
            self.listen(self._homecoming.hear)
            self._homecoming.start()
            self._upkeep.start()

    async def close(self) -> None:
        """End the executors' processes, write what is queued, close the journal; refuse what was not answered."""
        self._closed = True
        self._self_check.close()
        self._driver.feed(Leaving())
        self._driver.close()
        await self._retention.close()
        if self._homecoming is not None:
            await self._homecoming.close()
        await self._upkeep.close()
        await self._reach.close()
        if self._network is not None:
            await self._network.close()
        for executor in self._executors.values():
            await executor.close()
        self._last_life.end()
        self._experience.close()
        self._online_times.close()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self._journal.close)
        await loop.run_in_executor(None, self._recorder.close)
        answers, self._answers = self._answers, {}
        for answer in answers.values():
            if not answer.done():
                answer.set_exception(Unavailable(_STOPPING))

    # Changes.

    def offer_programs(self, names: tuple[str, ...]) -> None:
        """The programs in this node's folder are these now."""
        self.offer_attributes({PROGRAMS_FOLDER: names})

    def expect_look(self) -> None:
        """Somebody looks at the machine, and will offer what is found."""
        self._reach.fitting.looked.clear()

    def offer_attributes(self, found: Attributes) -> None:
        """The machine has this from now on, beside what it has had."""
        if PROGRAMS in found:
            self._reach.fitting.looked.set()
        capacity = self._node.queue.lanes.capacity
        self._driver.feed(CapacityChanged(msgspec.structs.replace(capacity, attributes=capacity.attributes | found)))

    def feel(self, vitals: Vitals) -> None:
        """The machine is so from now on."""
        self._driver.feed(VitalsChanged(vitals))

    def new_cause(self, word: str) -> CauseId:
        self._causes += 1
        return CauseId(f"{word}-{self._boot}.{self._causes}")

    def new_run_id(self) -> RunId:
        return run_id(self._journal.next_run_number(), secrets.randbits(32))

    def stamp(self) -> Stamp:
        return self._node.stamp_at(self._clock.now())

    def ask(self, request: Request) -> asyncio.Future[Accepted]:
        if self._closed:
            raise Unavailable(_STOPPING)
        self._recall(request)
        answer = self._answers[request.cause] = asyncio.get_running_loop().create_future()
        self._driver.feed(request)
        if isinstance(request, Submitted) and any(task.needs.condition for task in request.tasks):
            return asyncio.ensure_future(self._with_misfits(request, answer))
        return answer

    async def _with_misfits(self, submitted: Submitted, answer: asyncio.Future[Accepted]) -> Accepted:
        """Return the core's answer, and beside it what no node that is here can run, for which others may be asked."""
        accepted = await answer
        warnings = await self._reach.fitting.warnings(submitted.tasks)
        return msgspec.structs.replace(accepted, warnings=(*accepted.warnings, *warnings))

    def shut_down(self) -> None:
        self.stopping.set()

    def note_wait(self, lease: LeaseId, index: int | None, *, begins: bool) -> None:
        self._driver.feed(WaitBegan(lease, index) if begins else WaitEnded(lease, index))

    def drain(self, *, on: bool, at_once: bool = False) -> Remaining:
        begins = on and not self._node.draining.on
        self._driver.feed(DrainAsked(on, at_once))
        if begins:
            self._upkeep.drains()
        return self.remaining()

    def remaining(self) -> Remaining:
        told = self._node.remaining()
        return msgspec.structs.replace(told, only_here=told.only_here + self._upkeep.left)

    def leave(self) -> None:
        self.leaves = True
        self.shut_down()

    async def change_key(self, without: NodeId | None = None) -> KeyChange:
        if self._network is None:
            raise Unavailable("this node stays alone, and shares its key with nobody; 'roost config set mesh on'")
        return await self._network.change_key(without)

    def _speak(self, said: Reply | Notify | Send) -> None:
        if isinstance(said, Send):
            assert self._network is not None, "a node without surroundings has nobody to speak to"
            self._network.send(said)
        elif isinstance(said, Notify):
            for listener in list(self._listeners.values()):
                listener(said.change)
        else:
            self._reply(said)

    def _reply(self, reply: Reply) -> None:
        answer = self._answers.pop(reply.cause, None)
        if answer is None or answer.done():
            return
        outcome = reply.outcome
        if isinstance(outcome, Refused):
            answer.set_exception((Unavailable if outcome.temporary else InvalidInput)(outcome.message))
        else:
            answer.set_result(outcome)

    def _ask_or_tell(self, node: NodeId, message: Ask | Told) -> None:
        if self._network is not None and not self._closed:
            self._network.ask_or_tell(node, message)

    async def _carry(self, node: NodeId, question: ContentQuestion) -> Given:
        if self._network is None or self._closed:
            raise Unavailable(_STOPPING)
        return await self._network.carry(node, question)

    async def _call_back(self, node: NodeId) -> None:
        if self._network is not None and not self._closed:
            await self._network.call_back(node)

    def _give_up(self, reason: str, is_ours: bool) -> None:
        recording = self._recorder.close(reason) if is_ours else None
        again = f"; 'roost sim --replay {recording}' plays again what led to it" if recording else ""
        log.error("%s; the node stops, and a restart goes on from what the disk holds%s", reason, again)
        self._closed = self.gave_up = True
        self.shut_down()

    def _recall(self, request: Request) -> None:
        """Bring the records that a request is about back into the core, if they have left it."""
        named = named_by(request)
        here = self._node.queue.replica
        if not named.whole and here.runs.keys() >= set(named.runs) and here.tasks.keys() >= set(named.tasks):
            return
        whole = [task for run in named.whole for task in self._journal.task_ids(run)]
        wanted = list(dict.fromkeys([*named.tasks, *whole]))
        recalled = recall(self._journal, here, named.runs, wanted)
        if recalled.runs or recalled.tasks:
            self._driver.feed(recalled)

    # Questions. What is answered may be told on: it is flushed first.

    @property
    def policy(self) -> str:
        return self._policy_of_runs

    def facts(self) -> NodeFacts:
        lanes = self._node.queue.lanes
        return NodeFacts(
            node=self._node.name,
            pid=os.getpid(),
            home=str(self._home.path),
            capacity=lanes.capacity,
            free=lanes.free,
            boot=self._boot,
            uptime_s=self._clock.now() - self._started_at,
            runs=self._journal.run_count(),
            running=sum(not lane.paused for lane in lanes.open_lanes.values()),
            trouble=self._node.queue.readiness.trouble,
            nodes=1 + len(self._node.peers.others),
            draining=self._node.draining.on,
            fairness=self._fairness,
            online=self._online_times.log,
            reliability=self._node.staying.reliability,
            condition=self._node.condition,
            work=work_shared(self._node.queue.usage, (self._node.name, *self._node.peers.others)),
        )

    def nodes(self) -> list[NodeView]:
        return node_views(self._node, self._network)

    async def attributes(self) -> Mapping[NodeId, Attributes]:
        return {node: offer.attributes for node, offer in (await self._reach.fitting.whole_offers()).items()}

    async def why_nobody(self, needs: Needs) -> str | None:
        return await self._reach.fitting.why_nobody(needs)

    def network(self) -> NetworkReport | None:
        return None if self._network is None else self._network.report()

    def run_ids(self) -> list[RunId]:
        return self._journal.run_ids()

    def mend(self, run: RunId) -> None:
        self._journal.refuse_lost_tasks(run)
        self._driver.feed(recall(self._journal, self._node.queue.replica, (run,), (), whole=True))

    def forgotten_ids(self) -> list[RunId]:
        return self._journal.forgotten_ids()

    def run_bytes(self, run: RunId) -> int:
        return self._journal.run_bytes(run) + folder_bytes(self._home.logs / run)

    def unended_runs(self) -> list[RunId]:
        return [name for name, run in self._node.queue.replica.runs.items() if run.unended]

    def open_sessions(self) -> list[RunId]:
        runs = self._node.queue.replica.runs
        own = [run for run in runs.values() if run.record.spec.submitted.node == self._node.name]
        return [run.record.spec.id for run in own if run.record.spec.kind is RunKind.SESSION and not run.sealed]

    def run(self, run: RunId) -> RunView:
        self._driver.settle()
        if run in self._node.queue.replica.runs:
            return self._node.summaries.run_view(run)
        return archived_run_view(self._journal, run)

    def tasks(self, run: RunId) -> list[TaskView]:
        return [self.task(task) for task in self._journal.task_ids(run)]

    def task(self, task: TaskId) -> TaskView:
        self._driver.settle()
        if task in self._node.queue.replica.tasks:
            return self._node.summaries.task_view(task)
        return archived_task_view(self._journal, task)

    async def explain(self, tasks: Sequence[TaskId], index: int | None) -> list[list[str]]:
        elsewhere = await self._reach.reasons.gather(tasks, index)
        misfits = {task: await self._misfit(task) for task in elsewhere}
        self._driver.settle()
        return [
            [*self._explain(task, index, elsewhere.get(task, NOBODY_ELSE)), *misfits.get(task, ())] for task in tasks
        ]

    async def _misfit(self, task: TaskId) -> list[str]:
        """Say what the nearest nodes lack for what is ready of a task, if its author requires what none has."""
        if not self._node.peers.others:
            # It is told of this one already.
            return []
        spec = self.spec(task)
        why = await self._reach.fitting.why_nobody(spec.needs, spec.work) if spec.needs.condition else None
        return [] if why is None else [why]

    def _explain(self, task: TaskId, index: int | None, elsewhere: Reasons) -> list[str]:
        if task in self._node.queue.replica.tasks:
            return self._node.explanations.explain(task, index, elsewhere)
        return explain_archived(self._journal, task, index)

    def spec(self, task: TaskId) -> TaskSpec:
        return self._reach.shelf.spec(task)

    def has_run_of(self, workflow: str) -> bool:
        return self._reuse_reasons.has_run_of(workflow)

    def explain_reuse(self, task: TaskId, index: int | None) -> list[str]:
        self._driver.settle()
        return self._reuse_reasons.explain(task, index)

    async def story(self, tasks: Sequence[TaskId]) -> list[StoryTold]:
        self._driver.settle()
        return await self._reach.stories.gather(tasks, [line for task in tasks for line in self._journal.story(task)])

    async def timeline(self, run: RunId) -> Timeline:
        self._driver.settle()
        return await self._reach.timelines.gather(run, self._journal.spans(run), self._journal.happened(run))

    def results(self, task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        self._driver.settle()
        return self._journal.results(task, self._reach.shelf.elements(task), ranges)

    def inputs(self, task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        self._driver.settle()
        return self._journal.items_one_by_one(task, self._journal.holdings(task).items & ranges, partly=True)

    def states(self, task: TaskId, ranges: RangeSet) -> list[tuple[State, RangeSet]]:
        self._driver.settle()
        return self._reach.shelf.elements(task).entries_within(ranges)

    def absent(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        # What another node sent counts as here before it is written; whoever waits for it gets it then.
        return self._reach.shelf.absent_results(task, ranges) | (self._driver.unwritten_results(task) & ranges)

    async def bring(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        return await self._reach.outcomes.bring_results(task, ranges)

    async def bring_any(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        return await self._reach.outcomes.bring_any(task, ranges)

    def failures(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Failure]]:
        self._driver.settle()
        known = self._journal.failures(task, ranges)
        absent = self._reach.shelf.absent_failures(task, ranges)
        unknown = ((index, _unknown_failure(maker)) for index, (_, maker) in sorted(absent.items()))
        current = ((index, failure) for index, failure in known if index not in absent)
        return heapq.merge(current, unknown, key=itemgetter(0))

    def unexplained(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        return RangeSet.of(self._reach.shelf.absent_failures(task, ranges))

    async def bring_failures(self, task: TaskId, ranges: RangeSet) -> None:
        await self._reach.outcomes.bring_failures(task, ranges)

    def known_blobs(self, blobs: Sequence[BlobHash]) -> Collection[BlobHash]:
        return self._journal.known_blobs(blobs)

    async def log(self, task: TaskId, index: int, stream: OutputStream, offset: int) -> Piece | None:
        return await self._reach.output.log(task, index, stream, offset)

    async def file(self, task: TaskId, index: int, content: str, size: int) -> Path:
        state = self._reach.shelf.state(task, index)
        makers = [state.node] if isinstance(state, Done) else []
        return await self._reach.output.file(content, size, run_of(task), makers, _PEOPLE_WAIT_S)

    async def take_file(self, pieces: AsyncIterator[bytes]) -> tuple[str, int]:
        return await take_in(self._home.blobs, pieces, HANDED_FILE_BYTES_MAX)

    async def take_value(self, pieces: AsyncIterator[bytes]) -> tuple[str, int]:
        content, size = await take_in(self._home.blobs, pieces, STORED_VALUE_BYTES_MAX)
        await self._upkeep.take(value_handed_in(Stored(content, size), self._node.name))
        return content, size

    async def value(self, content: str, size: int) -> Path:
        return await self._reach.output.file(content, size, RunId(content), ())

    async def keep_handed(self, run: RunId, content: str, size: int) -> None:
        await self._reach.output.file(content, size, run, ())
        await self._upkeep.take(HandedIn(content, size, run, self._node.name))

    def listen(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        self._listener_names += 1
        name = self._listener_names
        self._listeners[name] = listener

        def stop() -> None:
            self._listeners.pop(name, None)

        return stop


def _beginning(
    name: NodeId, capacity: Capacity, restored: Restored, network: Network | None, fairness: Fairness
) -> Beginning:
    if network is None:
        return Beginning(VERSION, name, capacity, restored, fairness=fairness)
    # Chance only spreads what nodes say; no secret comes of it.
    return Beginning(VERSION, name, capacity, restored, secrets.randbits(63), network.address, fairness=fairness)


def _kinds_of_work(places: Places, niceness: int, programs: Path | None) -> Mapping[type, Callable[[Report], Executor]]:
    def commands(report: Report) -> Executor:
        return Quarantine(CommandExecutor(places, report, niceness=niceness, programs=programs), report)

    return {
        Command: commands,
        Function: partial(FunctionExecutor, places, niceness=niceness),
        Script: partial(ScriptExecutor, places, niceness=niceness),
    }


def _on_probation(make: Callable[[Report], Executor], report: Report, trials: Trials | None) -> Executor:
    return make(report) if trials is None else Probation(make, report, trials)


def _unknown_failure(maker: NodeId) -> Failure:
    return Failure(f"it failed on {maker}, and no node that is here knows why; ask again when {maker} is back")
