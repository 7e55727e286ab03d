"""Overruled results: accepted on one side of a partition, and dropped for those of the other when the sides meet.

Rules
- Without a quorum, both sides may accept a result of one element. The merge keeps the larger state, alike everywhere
  (model/states.py). Whoever had accepted the other one says in the story that it was dropped.
- What was made of a dropped result stays: it is what a run of the same tasks may well give. Its maker says so in the
  story, for it alone knows for sure which of the two it took; what had left memory is looked up for that.
- What is still being made of a dropped result is stopped, and begins again from the one that counts.
"""

from collections.abc import Callable

from roost.core.actions import LookUp
from roost.core.facts import DROPPED, MADE_OF_DROPPED
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.invalidation import reached
from roost.core.queue.replica import Replica
from roost.core.queue.stopping import Stopping
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.happenings import MadeOfDropped, ResultDropped
from roost.model.ids import RunId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done, State

#: How often a run is looked up that has left memory again before it could be looked at.
LOOKS_MAX = 8


class Overruled:
    def __init__(
        self,
        turn: Turn,
        replica: Replica,
        dataflow: Dataflow,
        stopping: Stopping,
        offered: Callable[[TaskId], list[Elements]],
    ) -> None:
        """``offered`` returns what this node has finished of a task and nobody has accepted yet."""
        self._turn = turn
        self._replica = replica
        self._dataflow = dataflow
        self._stopping = stopping
        self._offered = offered
        #: Dropped results of runs that are not whole in memory: what was made of them is looked at when they are.
        self._unfollowed: dict[TaskId, RangeSet] = {}
        #: How often such a run was looked up.
        self._looks: dict[RunId, int] = {}

    def merged(self, task: TaskId, before: Elements, done: RangeSet, moved: list[tuple[State, RangeSet]]) -> None:
        """States were joined in; ``before`` are those that elements had until then, ``done`` those that were."""
        dropped = EMPTY
        for now, ranges in moved:
            if isinstance(now, Done) and (again := ranges & done):
                dropped |= self._drop(task, before.entries_within(again), now)
        if not dropped:
            return
        run = run_of(task)
        if self._replica.has_whole(run):
            self._follow(task, dropped)
        else:
            self._unfollowed[task] = self._unfollowed.get(task, EMPTY) | dropped
            if run not in self._looks:
                self._look_up(run)

    def recalled(self) -> None:
        """Runs that had left memory are back; some may have left once more meanwhile."""
        for run in dict.fromkeys(run_of(task) for task in self._unfollowed):
            if self._replica.has_whole(run):
                del self._looks[run]
                for task in [task for task in self._unfollowed if run_of(task) == run]:
                    self._follow(task, self._unfollowed.pop(task))
            else:
                self._look_up(run)

    def _look_up(self, run: RunId) -> None:
        self._looks[run] = self._looks.get(run, 0) + 1
        if self._looks[run] <= LOOKS_MAX:
            self._turn.act(LookUp((run,), (), None, whole=True))
            return
        # It is not whole on disk either: others told of it while the disk was full.
        del self._looks[run]
        self._unfollowed = {task: ranges for task, ranges in self._unfollowed.items() if run_of(task) != run}

    def _drop(self, task: TaskId, entries: list[tuple[State, RangeSet]], now: Done) -> RangeSet:
        """Tell of results in whose place another counts now; return their elements. Another edition is no rival."""
        dropped = EMPTY
        for was, part in entries:
            if isinstance(was, Done) and was.edition == now.edition:
                dropped |= part
                self._tell(task, part, was, now)
        return dropped

    def _tell(self, task: TaskId, part: RangeSet, was: Done, now: Done) -> None:
        what = ResultDropped(was.node, was.token, now.node, now.token)
        self._turn.persist(Note((task,), urgent=True), self._turn.story(task, part, what, DROPPED))

    def _follow(self, task: TaskId, dropped: RangeSet) -> None:
        source = self._replica.tasks[task]
        for name in self._dataflow.targets(task):
            target = self._replica.tasks[name]
            touched = reached(source.spec, target, dropped)
            made = target.elements.within(target.done & touched)
            for offered in self._offered(name):
                made = made.merge(offered.within(touched))
            for state, part in made.items():
                if isinstance(state, Done) and state.node == self._turn.name:
                    self._tell_maker(name, part, state, task)
            self._stopping.end(name, touched - target.done)

    def _tell_maker(self, task: TaskId, part: RangeSet, made: Done, source: TaskId) -> None:
        what = MadeOfDropped(made.node, made.token, source)
        self._turn.persist(Note((task,), urgent=True), self._turn.story(task, part, what, MADE_OF_DROPPED))
