"""Promise 2: one result. What is told done is done on disk, with its own value, and stays so; tokens grow."""

from roost.core.actions import Action, Notify, Start, TaskChanged
from roost.core.events import Event
from roost.core.node import Node
from roost.model.ids import TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from roost.model.token import NO_TOKEN, Token
from roost.sim.checkers.nothing_returns import editions_of
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from roost.sim.liars import result_of
from tests.stored_results import stored_results


class OneResult:
    def __init__(self) -> None:
        #: What was told done or cancelled, by task and edition.
        self._final: dict[tuple[TaskId, int], RangeSet] = {}
        #: The token and the value that were accepted, by element and edition.
        self._accepted: dict[tuple[TaskId, int, int], tuple[Token, bytes]] = {}
        self._last_token: dict[tuple[TaskId, int], Token] = {}

    def on_event(self, event: Event, node: Node) -> None:
        """Events promise nothing about results."""

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Start):
            self._started(action, node)
        elif isinstance(action, Notify) and isinstance(action.change, TaskChanged):
            change = action.change
            if change.state in ("done", "cancelled"):
                key = (change.task, change.edition)
                self._final[key] = self._final.get(key, EMPTY) | change.ranges
            if change.state == "done":
                self._check_stored(change, disk)

    def on_crash(self) -> None:
        """What was told stays told."""

    def at_rest(self, node: Node, disk: SimDisk) -> None:
        for (task, index, edition), (token, _) in self._accepted.items():
            if run_of(task) in disk.flushed.tombstones:
                continue
            state = disk.flushed.tasks[task].elements.at(index)
            if state is not None and state.edition > edition:
                continue
            if not isinstance(state, Done) or state.token != token:
                raise Broken(f"{task}[{index}] was done under token {token} and is now {state}")

    def _started(self, start: Start, node: Node) -> None:
        task = start.spec.id
        for edition, part in editions_of(start, node):
            again = self._final.get((task, edition), EMPTY) & part
            if again:
                raise Broken(f"{task}: {again} was done or cancelled and is started again")
        for index in start.ranges:
            if self._last_token.get((task, index), NO_TOKEN) >= start.token:
                raise Broken(f"{task}[{index}]: the token {start.token} does not grow")
            self._last_token[task, index] = start.token

    def _check_stored(self, change: TaskChanged, disk: SimDisk) -> None:
        for index in change.ranges if run_of(change.task) not in disk.flushed.tombstones else ():
            state = disk.flushed.tasks[change.task].elements.at(index)
            if state is not None and state.edition > change.edition:
                # It was sent back meanwhile: the disk is written in groups, and told of one by one.
                continue
            if not isinstance(state, Done):
                raise Broken(f"{change.task}[{index}] is told done and is {state} on disk")
            stored = stored_results(disk.flushed, change.task, index)
            values = [value for token, value in stored if token == state.token]
            if values != [result_of(change.task, index)]:
                raise Broken(f"{change.task}[{index}] is told done and its result on disk is {values}")
            before = self._accepted.setdefault((change.task, index, state.edition), (state.token, values[0]))
            if before != (state.token, values[0]):
                raise Broken(f"{change.task}[{index}] had the result {before} and has another now")
