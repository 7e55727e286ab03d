"""LAN's protocol as the document describes it (3.6.2, algorithm 3.2, and 4.5), event by event.

Rules
- Every node has a queue of its own of what is ready, and learns from broadcasts, which take milliseconds: what was
  handed in, who tries to take what, what runs, what has ended.
- A node that is idle broadcasts that it tries to take the head of its queue, and waits for the window. Of those whose
  tries it has heard within, the oldest time stamp wins, in whole seconds as in the log; a tie goes to the first name.
- Who loses notes its rank, and takes the task at that place of its queue the next time.
- A try that comes before the window of who hears it is ignored, so that two may begin the same task. Of these the one
  with the worse try stops when it hears of the other, and looks for idleness as after a task.
- Who runs a task tells of it, and of its progress. Each node looks by itself for tasks whose progress it has missed for
  the time limit, and puts them into its queue again.
- All machines are idle but for the tasks, as in the test (5.2.3).

The printed algorithm sets the rank to -1 where it is used, and counts from there; so who loses to just one other
believes that it has won. The words beside it say otherwise, and are followed here.
"""

from bisect import insort
from collections.abc import Callable, Sequence
from functools import partial
from heapq import heappop, heappush
from random import Random
from typing import Final, NamedTuple

from roost.lab.office.readings import CHECK_EVERY_S, PROGRESS_EVERY_S, WINDOW_S, Reading
from roost.lab.office.workflows import HOSTS, TASK_S, Workflow

#: How long a broadcast takes to each node, at least and at most.
BROADCAST_S: Final = (0.0005, 0.005)


class Outcome(NamedTuple):
    #: From the submission to the end, and from being ready to the start, in minutes, on average.
    make_span_min: float
    wait_min: float
    #: Starts of tasks, those of tasks that have failed with their nodes included.
    executions: int
    #: Contests, and those of them that were lost.
    contests: int
    lost: int
    #: Executions that stopped, because another node ran the same task.
    stopped: int


class _Task:
    def __init__(self, workflow: int, place: int, node: int, *, is_interactive: bool) -> None:
        self.workflow = workflow
        self.place = place
        #: The node that it was handed in to.
        self.node = node
        self.is_interactive = is_interactive
        #: Since when it waits, and how long it has waited before.
        self.ready_at = 0.0
        self.waited_s = 0.0
        self.is_waiting = False
        self.ended_at: float | None = None


class _Try(NamedTuple):
    task: _Task
    stamp: int
    node: int
    began_at: float


class _Node:
    def __init__(self, at: int, phase_s: float, detects_s: float) -> None:
        self.at = at
        self.name = HOSTS[at]
        self.is_up = True
        self.is_idle = True
        self.running: _Task | None = None
        #: By which try it runs that: time stamp and name.
        self.claim = (0, "")
        self.trying: _Try | None = None
        self.heard: list[_Try] = []
        self.rank = 0
        #: In the order in which they are taken.
        self.queue: list[tuple[tuple[bool, float, int], int, _Task]] = []
        #: What it knows to run elsewhere: the node, and when its last word of progress came.
        self.elsewhere: dict[_Task, tuple[int, float]] = {}
        #: When it last began to count towards its looks, and when it looks for failed tasks.
        self.looks_from = phase_s - CHECK_EVERY_S
        self.detects_s = detects_s
        #: Looks that were planned before its last task are void.
        self.turn = 0


class Office:
    def __init__(
        self,
        reading: Reading,
        workflows: Sequence[Workflow],
        nodes: int,
        seed: int,
        *,
        failing: int = 0,
        limit_s: float = 60.0,
    ) -> None:
        """``failing`` nodes go while they run their first tasks, and ``limit_s`` is for how long progress is missed."""
        self._reading = reading
        self._luck = Random(f"{seed}/office")
        self._now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._limit_s = limit_s
        self._nodes = [
            _Node(at, self._luck.uniform(0.0, CHECK_EVERY_S), self._luck.uniform(0.0, CHECK_EVERY_S))
            for at in range(nodes)
        ]
        self._fails = set(self._luck.sample(range(nodes), failing))
        self._failed_at: dict[int, float] = {}
        self._tasks = [
            [
                _Task(at, place, workflow.node, is_interactive=interactive)
                for place, interactive in enumerate(workflow.interactive)
            ]
            for at, workflow in enumerate(workflows)
        ]
        self._left = sum(map(len, self._tasks))
        self._executions = self._contests = self._lost = self._stopped = 0

    def run(self) -> Outcome:
        """Live through it until all has ended."""
        for node in self._nodes:
            self._plan_look(node)
            self._after(node.detects_s, partial(self._detect, node))
        for chain in self._tasks:
            self._becomes_ready(chain[0], heard_from=chain[0].node)
        while self._left:
            self._now, _, act = heappop(self._events)
            act()
        tasks = [task for chain in self._tasks for task in chain]
        ends = [chain[-1].ended_at or 0.0 for chain in self._tasks]
        return Outcome(
            sum(ends) / len(ends) / 60.0,
            sum(task.waited_s for task in tasks) / len(tasks) / 60.0,
            self._executions,
            self._contests,
            self._lost,
            self._stopped,
        )

    def _after(self, delay_s: float, act: Callable[[], None]) -> None:
        self._number += 1
        heappush(self._events, (self._now + delay_s, self._number, act))

    def _tell(self, sender: int, hear: Callable[[_Node], None]) -> None:
        """Let all other nodes hear something, each after a moment of its own."""
        for node in self._nodes:
            if node.at != sender:
                self._after(self._luck.uniform(*BROADCAST_S), partial(self._hears, node, hear))

    def _hears(self, node: _Node, hear: Callable[[_Node], None]) -> None:
        if node.is_up:
            hear(node)

    # What is ready.

    def _becomes_ready(self, task: _Task, heard_from: int) -> None:
        """A task has become ready where it was handed in, or where the one before it has ended; all others hear so."""
        task.ready_at, task.is_waiting = self._now, True
        self._enqueue(task, self._nodes[heard_from])
        self._tell(heard_from, partial(self._enqueue, task))

    def _enqueue(self, task: _Task, node: _Node) -> None:
        if task.ended_at is not None or task in node.elsewhere or not node.is_up:
            return
        number = task.workflow * 100 + task.place
        since = task.ready_at if self._reading.order == "ready" else 0.0
        insort(node.queue, ((not task.is_interactive, since, number), number, task))
        at_once = self._reading.interactive == "at once" and task.is_interactive and task.node == node.at
        if at_once and node.running is None:
            self._start(node, task, int(self._now))
        elif self._reading.begins == "when ready":
            self._try(node)

    # The contest.

    def _try(self, node: _Node) -> None:
        """Try to take a task, if the node has nothing to do (algorithm 3.2)."""
        if not node.is_up or not node.is_idle or node.running or node.trying or not node.queue:
            return
        place = min(max(node.rank, 1), len(node.queue)) - 1
        node.rank = 0
        if self._reading.losers == "look again":
            node.is_idle = False
        attempt = node.trying = _Try(node.queue[place][2], int(self._now), node.at, self._now)
        node.heard = []
        self._contests += 1
        self._tell(node.at, partial(self._hear_try, attempt))
        self._after(WINDOW_S, partial(self._decide, node, attempt))

    def _hear_try(self, attempt: _Try, node: _Node) -> None:
        """A try of another counts within the window alone; outside it is ignored."""
        if node.trying is not None:
            node.heard.append(attempt)

    def _decide(self, node: _Node, attempt: _Try) -> None:
        if node.trying is not attempt or not node.is_up:
            return
        node.trying = None
        mine = (attempt.stamp, node.name)
        rivals = [other for other in node.heard if other.task is attempt.task]
        node.rank = sum((other.stamp, HOSTS[other.node]) < mine for other in rivals)
        is_there = any(task is attempt.task for _, _, task in node.queue)
        if node.rank == 0 and is_there:
            self._start(node, attempt.task, attempt.stamp)
            return
        self._lost += 1
        winner = min(rivals, key=lambda other: (other.stamp, HOSTS[other.node]), default=None)
        if winner is not None:
            # It agrees that the other will run it.
            self._runs_elsewhere(attempt.task, winner.node, node)
        self._try(node)

    # Running.

    def _start(self, node: _Node, task: _Task, stamp: int) -> None:
        if task.is_waiting:
            task.is_waiting = False
            task.waited_s += self._now - task.ready_at
        self._executions += 1
        node.running, node.trying, node.is_idle = task, None, False
        node.turn += 1
        node.claim = (stamp, node.name)
        self._drop(task, node)
        self._tell(node.at, partial(self._hear_running, task, node.at, node.claim))
        if node.at in self._fails:
            self._after(self._luck.uniform(0.0, TASK_S), partial(self._fail, node))
        else:
            self._after(TASK_S, partial(self._end, node, task, node.turn))

    def _drop(self, task: _Task, node: _Node) -> None:
        node.queue = [entry for entry in node.queue if entry[2] is not task]

    def _hear_running(self, task: _Task, runner: int, claim: tuple[int, str], node: _Node) -> None:
        if node.running is not task:
            self._runs_elsewhere(task, runner, node)
        elif claim < node.claim:
            self._stopped += 1
            self._runs_elsewhere(task, runner, node)
            self._is_free(node)

    def _runs_elsewhere(self, task: _Task, runner: int, node: _Node) -> None:
        node.elsewhere[task] = (runner, self._now)
        self._drop(task, node)

    def _end(self, node: _Node, task: _Task, turn: int) -> None:
        if node.running is not task or node.turn != turn:
            return
        self._is_free(node)
        task.ended_at = self._now
        self._left -= 1
        self._tell(node.at, partial(self._ended_elsewhere, task))
        chain = self._tasks[task.workflow]
        if task.place + 1 < len(chain):
            self._becomes_ready(chain[task.place + 1], heard_from=node.at)

    def _is_free(self, node: _Node) -> None:
        node.running = None
        node.turn += 1
        if self._reading.looks == "after a task":
            node.looks_from = self._now
        self._plan_look(node)

    def _ended_elsewhere(self, task: _Task, node: _Node) -> None:
        node.elsewhere.pop(task, None)
        self._drop(task, node)

    # Looking.

    def _plan_look(self, node: _Node) -> None:
        """Look whether the processor is idle 60 s after the last look, or after where they are counted from."""
        past = self._now - node.looks_from
        delay = CHECK_EVERY_S - past % CHECK_EVERY_S
        self._after(delay, partial(self._look, node, node.turn))

    def _look(self, node: _Node, turn: int) -> None:
        if turn == node.turn and node.is_up and node.running is None:
            node.is_idle = True
            self._try(node)
            self._after(CHECK_EVERY_S, partial(self._look, node, turn))

    def _fail(self, node: _Node) -> None:
        node.is_up, node.running = False, None
        self._failed_at[node.at] = self._now

    def _detect(self, node: _Node) -> None:
        """Put what runs elsewhere into the queue again if its progress has been missed for the time limit."""
        if not node.is_up:
            return
        for task, (runner, began_at) in list(node.elsewhere.items()):
            if self._nodes[runner].is_up:
                continue
            silent_s = self._now - self._last_progress(runner, began_at)
            if silent_s > self._limit_s and task.ended_at is None:
                del node.elsewhere[task]
                if not task.is_waiting:
                    task.ready_at, task.is_waiting = self._now, True
                self._enqueue(task, node)
        self._after(CHECK_EVERY_S, partial(self._detect, node))

    def _last_progress(self, runner: int, began_at: float) -> float:
        """Return when the last progress came of what a node that has failed had begun."""
        failed_at = self._failed_at.get(runner, self._now)
        return began_at + (failed_at - began_at) // PROGRESS_EVERY_S * PROGRESS_EVERY_S
