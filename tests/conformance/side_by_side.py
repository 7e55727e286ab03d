"""A world of nodes and the plain queue (tests/oracle/memory_queue.py), step by step: they come to the same.

What happens to the nodes is drawn from a seed, and happens to the plain queue as well. Whatever a node starts is a
claim there, and must be granted whole: it was ready, and nobody had it. After every step, when word of it is
everywhere, every node sees each element in the state in which the plain queue has it.
"""

from random import Random

from roost.core.actions import Accepted, Start
from roost.core.queue.replica import Phase
from roost.model.errors import RoostError
from roost.model.ids import LeaseId, TaskId, name_of
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Edge, EdgeKind, Failure, TaskSpec
from tests.conformance.dictionary import Doubt
from tests.conformance.medium_world import TAKEN_OVER_S, Kind, Stand, World
from tests.core.harness import task
from tests.oracle.memory_queue import MemoryQueue
from tests.oracle.queue_port import Claim

TASKS_MAX = 6
COUNT = 4
#: Seconds within which word of something is everywhere; what it leads to may take longer.
TOLD_S = 1.0
FOR_EVER_S = 1e9
#: How often nodes may still lag behind when they are looked at.
DIFFERS_MAX = 5


class SideBySide:
    def __init__(self, kind: Kind, count: int, seed: int) -> None:
        self._rng = Random(f"{kind.name}/{count}/{seed}")
        self.world = World(kind, count, cpus=2.0)
        self.world.on_start = self._started
        self.plain = MemoryQueue()
        self._claims: dict[tuple[str, LeaseId], Claim] = {}
        self._tasks: list[TaskSpec] = []
        if kind.doubts:
            self.world.doubt(lambda claimed, wanted: self._doubt())

    def run(self, steps: int) -> None:
        ends = (self.finish, self.finish, self.finish, self.fail, self.give_back)
        drawn = self._rng.choices((*ends, self.submit, self.cancel, self.retry, self.crash, self.wait), k=steps)
        for step in (self.submit, *drawn):
            step()
            self.world.wait(TOLD_S)
            self._obey()
            self.compare()
        self.end()

    def end(self) -> None:
        """Whatever can be done is done in the end."""
        for _ in range(200):
            if not any(states.get("ready") or states.get("leased") for states in self._plain_states().values()):
                break
            for stand in self.world.stands():
                for lease in list(stand.node.queue.leases.active.values()):
                    self._finish(stand, lease.name, lease.outstanding.first)
            self.world.wait(TOLD_S)
        else:
            raise AssertionError(f"there is no end to it: {self._plain_states()}")
        self.compare()

    def _doubt(self) -> Doubt | None:
        if self._rng.random() < 0.7:
            return None
        return Doubt(written=self._rng.random() < 0.5, for_s=self._rng.uniform(0.0, 4.0))

    # What is compared.

    def _started(self, stand: Stand, start: Start) -> None:
        claim = self.plain.claim(start.spec.id, start.ranges, stand.disk.node, self.world.now, FOR_EVER_S)
        granted = RangeSet() if claim is None else claim.ranges
        assert granted == start.ranges, f"{stand.name} starts {name_of(start.spec.id)}[{start.ranges}], not {granted}"
        assert claim is not None
        self._claims[stand.name, start.lease] = claim

    def compare(self) -> None:
        """Every node comes to see what the plain queue has; what starts meanwhile has to be told as well."""
        for _ in range(DIFFERS_MAX):
            if all(self._seen_by(stand) == self._plain_states() for stand in self.world.stands()):
                return
            self.world.wait(TOLD_S / 2)
        for stand in self.world.stands():
            assert self._seen_by(stand) == self._plain_states(), f"{stand.name} differs"

    def _seen_by(self, stand: Stand) -> dict[TaskId, dict[str, RangeSet]]:
        return {spec.id: _states(stand, spec.id) for spec in self._tasks}

    def _plain_states(self) -> dict[TaskId, dict[str, RangeSet]]:
        return {spec.id: self.plain.states(spec.id, self.world.now) for spec in self._tasks}

    def _obey(self) -> None:
        """Executors give back what they were told to: it was cancelled, or another lane shall have it."""
        for stand in self.world.stands():
            for lease in list(stand.node.queue.leases.active.values()):
                if lease.stopping:
                    claim, told = self._claims[stand.name, lease.name], lease.stopping
                    self.plain.release(claim.task, told, claim.holder, claim.token, self.world.now)
                    stand.give_back(name_of(claim.task), str(told))
        self.world.wait(TOLD_S)

    # Steps.

    def _stand(self) -> Stand:
        return self._rng.choice(self.world.stands())

    def _running(self) -> tuple[Stand, LeaseId, int] | None:
        """Return an element that an executor has, and was not told to stop."""
        held = [
            (stand, lease.name, index)
            for stand in self.world.stands()
            for lease in stand.node.queue.leases.active.values()
            for index in lease.outstanding - lease.stopping
        ]
        return self._rng.choice(held) if held else None

    def submit(self) -> None:
        if len(self._tasks) >= TASKS_MAX:
            return
        stand = self._stand()
        sources = self._rng.sample(self._tasks, min(len(self._tasks), self._rng.randint(0, 2)))
        kinds = [EdgeKind.EACH, EdgeKind.ALL, EdgeKind.AFTER]
        edges = [Edge(source.id, self._rng.choice(kinds)) for source in sources]
        name, count = f"t{len(self._tasks)}", self._rng.randint(1, COUNT)
        spec = task(name, count, *edges, retries=self._rng.randint(0, 2), submitted=stand.stamp())
        try:
            self.plain.submit([spec], self.world.now)
        except RoostError:
            assert not isinstance(stand.submit(spec, stays_open=True), Accepted)
        else:
            stand.submit(spec, stays_open=True)
            self._tasks.append(spec)

    def finish(self) -> None:
        if (held := self._running()) is not None:
            self._finish(*held)

    def _finish(self, stand: Stand, lease: LeaseId, index: int) -> None:
        claim, one = self._claims[stand.name, lease], pack(index, [b"x"])
        self.plain.complete(claim.task, one, claim.holder, claim.token, self.world.now)
        stand.done(name_of(claim.task), str(index), each_s=0.05)

    def fail(self) -> None:
        if (held := self._running()) is not None:
            stand, lease, index = held
            claim = self._claims[stand.name, lease]
            permanent = self._rng.random() < 0.2
            failure = Failure("exit code 1", permanent=permanent)
            assert self.plain.fail(claim.task, index, failure, claim.holder, claim.token, self.world.now)
            stand.fail(name_of(claim.task), index, permanent=permanent)

    def give_back(self) -> None:
        if (held := self._running()) is not None:
            stand, lease, index = held
            claim = self._claims[stand.name, lease]
            one = RangeSet.of([index])
            assert self.plain.release(claim.task, one, claim.holder, claim.token, self.world.now)
            stand.give_back(name_of(claim.task), str(index))

    def cancel(self) -> None:
        spec = self._rng.choice(self._tasks)
        index = self._rng.choice(list(spec.elements))
        self.plain.cancel(spec.id, RangeSet.of([index]), self.world.now)
        self._stand().cancel(**{name_of(spec.id): str(index)})

    def retry(self) -> None:
        for spec in self._tasks:
            failed = self.plain.states(spec.id, self.world.now).get("failed")
            if failed:
                self.plain.retry(spec.id, failed, self.world.now)
                self._stand().retry(**{name_of(spec.id): str(failed)})
                return

    def crash(self) -> None:
        """Kill a node, and start it again when all others know that it was.

        Where a node that starts does not know the others yet, it may take what they have: that is for other tests.
        """
        if self.world.kind.starts_alone and len(self.world.members) > 1:
            return
        stand = self._stand()
        for (name, _), claim in list(self._claims.items()):
            if name == stand.name:
                self.plain.release(claim.task, claim.ranges, claim.holder, claim.token, self.world.now)
        self._claims = {key: claim for key, claim in self._claims.items() if key[0] != stand.name}
        self.world.kill(stand.name)
        self.world.wait(TAKEN_OVER_S)
        self.world.boot(stand.name)
        self.world.wait(TAKEN_OVER_S)

    def wait(self) -> None:
        self.world.wait(self._rng.uniform(0.1, 5.0))


def _states(stand: Stand, name: TaskId) -> dict[str, RangeSet]:
    """Return the elements of a task as a node sees them, in the words of the plain queue."""
    entry, dataflow = stand.node.queue.replica.tasks[name], stand.node.queue.dataflow
    states = {
        "waiting": dataflow.waiting(name),
        "ready": dataflow.ready(name),
        "leased": entry.leased,
        "done": entry.done,
        "failed": entry.phases[Phase.FAILED],
        "cancelled": entry.phases[Phase.CANCELLED],
        "aborted": dataflow.aborted(name),
    }
    return {state: members for state, members in states.items() if members}
