"""Random workflows with pools, and pools in them, come to what a plain evaluator makes of them, whatever goes wrong.

The steps compute real values of what arrives: their inputs are staged, picked and checked by the code that a node
uses. So a result tells whether everything that it was made of came, in order, and of the newest edition. The evaluator
is in random_flows.py.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec
import pytest

from roost.api.requests import Submission
from roost.app.intake.reading import read_body
from roost.app.intake.submission import to_event
from roost.core.actions import Start
from roost.core.events import Event, ReopenAsked
from roost.core.facts import ResultsStored
from roost.core.node import Node
from roost.executors.order import Order
from roost.executors.port import Executor
from roost.executors.worker.arrivals import Arrivals
from roost.executors.worker.lease import unstarted_elements
from roost.model.elements import Elements
from roost.model.ids import BlobHash, CauseId, RunId, TaskId, name_of, run_of
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.states import NO_LENGTH, Done
from roost.runtime.data.staging import stage
from roost.runtime.journal.journal import Journal
from roost.sim.hosts import Host
from roost.sim.journal import SimDisk
from roost.sim.plan import Plan, draw_plan
from roost.sim.trial import Trial
from roost.wire.values import encode_item
from tests.app.web.plain_service import PlainService
from tests.property.random_flows import Results, evaluated, index_of, random_flow, step
from tests.stored_results import stored_results

SEEDS = range(12)
FLOWS = 3
#: So many that no element fails for good.
RETRIES = 100


def plan_of(seed: int) -> Plan:
    """Draw crashes, loss, partitions and clocks; and nobody who lies, for lies are results, too."""
    plan = draw_plan(seed, clusters=1, brief=True)
    mishaps = msgspec.structs.replace(plan.options.machine.mishaps, lie=0.0, fickle=False)
    machine = msgspec.structs.replace(plan.options.machine, mishaps=mishaps, disk_full=0.0)
    return Plan(plan.seed, msgspec.structs.replace(plan.options, machine=machine, requests=2 * FLOWS), plan.faults)


class DiskJournal:
    """As much of a journal as staging reads, on a simulated disk."""

    def __init__(self, disk: SimDisk) -> None:
        self._disk = disk

    def results(self, task: TaskId, elements: Elements, ranges: RangeSet) -> Iterator[Segment]:
        for index in ranges:
            state = elements.at(index)
            assert isinstance(state, Done), f"{task}[{index}] is {state}"
            made = [*self._disk.made.get((task, state.token, state.node), ()), *self._coming(task, state)]
            yield next(segment.cut(index, index + 1) for segment in made if index in segment.ranges)

    def blob(self, name: BlobHash) -> bytes:
        """No code is called here."""
        return b""

    def _coming(self, task: TaskId, state: Done) -> list[Segment]:
        """What is on its way to the disk counts, too."""
        return [
            fact.segment
            for _, facts in self._disk._queued
            for fact in facts
            if isinstance(fact, ResultsStored) and (fact.task, fact.token, fact.node) == (task, state.token, state.node)
        ]


class Orders:
    def __init__(self) -> None:
        self.orders: list[Order] = []

    def start(self, order: Order) -> None:
        self.orders.append(order)


class Flows(Trial):
    """A trial in which people hand in flows and send some of their work back."""

    def __init__(self, plan: Plan) -> None:
        self.expected: dict[RunId, Results] = {}
        self._flows: dict[RunId, list[dict[str, Any]]] = {}
        self._values: dict[TaskId, dict[int, bytes]] = {}
        self._service = PlainService(Path("/nowhere"))
        super().__init__(plan, compute=self._compute)

    def is_result(self, value: bytes, task: TaskId, index: int) -> bool:
        return self._values[task].get(index) == value

    def _compute(self, node: Node, disk: SimDisk, start: Start) -> Mapping[int, tuple[bytes, int]]:
        executor, failures = Orders(), list[Event]()
        stage(start, cast(Journal, DiskJournal(disk)), cast(Executor, executor), node, failures.append)
        assert failures == []
        (order,) = executor.orders
        arrivals = Arrivals(order.each, order.shared)
        ports = [*(each.port for each in order.each if each.port), *(one.port for one in order.shared if one.port)]
        given = self._given(order.spec.id)
        made = {}
        for element in unstarted_elements(order):
            result = step(given["name"], given["shape"], {port: arrivals.value(port, element) for port in ports})
            made[element[0]] = (encode_item(result), len(result) if given["shape"] == "list" else NO_LENGTH)
        return made

    def _given(self, task: TaskId) -> dict[str, Any]:
        (asked,) = [each for each in self._flows[run_of(task)] if each["name"] == name_of(task)]
        given: dict[str, Any] = asked["function"]["keywords"]
        return given

    def _liveness(self) -> list[Host]:
        self.core = super()._liveness()
        return self.core

    def _ask_somebody(self, places: Random) -> None:
        there = [host for host in self.mesh.hosts if host.life is not None and not host.asleep(self.mesh.now)]
        if there:
            host = there[int(places.random() * len(there))]
            number = len(self.expected)
            if number < FLOWS:
                self._submit(host, 10 * self.plan.seed + number)
            else:
                self._send_back(host, places)

    def _submit(self, host: Host, seed: int) -> None:
        tasks = [{**task, "retries": RETRIES} for task in random_flow(seed)]
        submission = read_body(msgspec.json.encode({"kind": "flow", "tasks": tasks}), Submission)
        asked = msgspec.structs.replace(to_event(submission, self._service), cause=CauseId(f"flow-{seed}"))
        self._flows[asked.run.id], self.expected[asked.run.id] = tasks, evaluated(tasks)
        for name, values in self.expected[asked.run.id].items():
            self._values[TaskId(f"{asked.run.id}/{name}")] = {
                index_of(path): encode_item(value) for path, value in values.items()
            }
        self._workload.runs[asked.run.id] = asked.tasks
        self._ask(host, asked)

    def _send_back(self, host: Host, places: Random) -> None:
        """Let somebody want some of what is done once more; it comes to the same."""
        tasks = host.disk.flushed.tasks
        done = [task for task, record in tasks.items() if "/t" in task and record.elements.in_state(Done)]
        if done:
            task = places.choice(done)
            some = tasks[task].elements.in_state(Done)
            asked = ((task, some.take(places.randint(1, len(some)))),)
            self._ask(host, ReopenAsked(CauseId(f"back-{self.mesh.now}"), asked))


@pytest.mark.parametrize("seed", SEEDS)
def test_flows_come_to_what_a_plain_evaluator_makes_of_them(seed: int) -> None:
    trial = Flows(plan_of(seed))
    trial.run()
    compared = 0
    for host in trial.core:
        for task, record in host.disk.flushed.tasks.items():
            expected = trial._values[task]
            assert record.elements.in_state(Done) == RangeSet.of(expected), task
            for index, value in expected.items():
                state = record.elements.at(index)
                assert isinstance(state, Done)
                if any(index in part.ranges for part in host.disk.made.get((task, state.token, state.node), ())):
                    assert value in [stored for _, stored in stored_results(host.disk, task, index)], task
                    compared += 1
    assert compared
