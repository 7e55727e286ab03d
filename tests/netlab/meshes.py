"""A mesh in the laboratory: a node on each host, what it runs, and what must be so when all is over."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from netlab.bridge import BridgedLan
from netlab.executions import Executions, times
from netlab.nodes import LabNode, running_nodes
from netlab.switch import SwitchedLan
from netlab.waiting import wait_until
from roost.app.control import Control
from roost.model.errors import NotFound, Unavailable
from roost.model.ids import RunId
from roost.model.states import Done
from roost.runtime.home import Home
from roost.runtime.journal_reader import JournalReader
from tests.real.meshes import give_key

AnyLan = TypeVar("AnyLan", BridgedLan, SwitchedLan)


class Mesh(Generic[AnyLan]):
    """Nodes of one cluster, one on each of the first hosts; they are named by the numbers of their hosts."""

    def __init__(self, lan: AnyLan, nodes: Sequence[LabNode], executions: Executions, talks: ExitStack) -> None:
        self.lan = lan
        self.executions = executions
        self._nodes = {node.host.number: node for node in nodes}
        self._controls = {number: talks.enter_context(node.control()) for number, node in self._nodes.items()}

    @property
    def size(self) -> int:
        return len(self._nodes)

    @property
    def numbers(self) -> list[int]:
        return list(self._nodes)

    def node(self, number: int) -> LabNode:
        return self._nodes[number]

    def ask(self, number: int) -> Control:
        return self._controls[number]

    def number_of(self, host: str) -> int:
        return next(number for number, node in self._nodes.items() if node.host.name == host)

    def await_company(self, size: int | None = None, *, among: Sequence[int] = ()) -> None:
        """Wait until each of these nodes, all if none is named, knows so many, itself among them."""
        wanted = size or self.size
        for number in among or self.numbers:
            self._await_company_of(number, wanted)

    def submit(self, number: int, count: int, seconds: float, name: str = "work") -> str:
        """Hand in an array that notes its executions; return the run when the node has answered for it."""
        work = {"name": name, "command": {"argv": self.executions.command(seconds)}, "array": f"0-{count - 1}"}
        run: str = self.ask(number).post("/v1/runs", {"name": name, "tasks": [work]})["run"]
        return run

    def shown(self, number: int, run: str) -> Any:
        """Return what a node tells of a run; None if it does not know of it."""
        try:
            return self.ask(number).get(f"/v1/runs/{run}")
        except NotFound:
            return None

    def await_done(self, run: str, count: int, *, among: Sequence[int] = ()) -> None:
        """Wait until each of these nodes, all if none is named, says that the run has ended whole."""
        for number in among or self.numbers:
            self._await_done_on(number, run, count)

    def await_ended(self, run: str, count: int) -> None:
        """Wait until so many executions of a run have come to their end."""
        wait_until(
            lambda: len(self.executions.ended(run)) >= count,
            lambda: f"{count} ends in {run}; there are {len(self.executions.ended(run))}",
        )

    def assert_one_result_each(self, run: str, count: int) -> None:
        """Every element has one accepted result, the same wherever it is kept, made by an execution that ended.

        All nodes tell the same of the run, and have the same written.
        """
        self.await_done(run, count)
        self._await_agreement(run)
        shown = [self.shown(number, run) for number in self.numbers]
        assert [show["counts"]["done"] for show in shown] == [count] * self.size
        assert [show["steps"][0]["ranges"] for show in shown] == [{"done": f"0-{count - 1}"}] * self.size
        accepted, makers = self.results(run, count), makers_in(self.node(self.numbers[0]).home, run)
        assert sorted(accepted) == sorted(makers) == list(range(count))
        ended = {(execution.index, execution.host) for execution in self.executions.ended(run)}
        for index, result in accepted.items():
            said_index, host, _ = result.split()
            assert (int(said_index), host) == (index, makers[index])
            assert (index, host) in ended

    def assert_executed_once(self, run: str, count: int) -> None:
        """Nothing was begun twice."""
        assert times(self.executions.begun(run)) == dict.fromkeys(range(count), 1)

    def results(self, run: str, count: int) -> dict[int, str]:
        """Gather the results from all nodes; those that several have must be the same."""
        found: dict[int, str] = {}
        for number in self.numbers:
            for index, value in self._results_of(number, run, count).items():
                assert found.setdefault(index, value) == value, f"element {index} of {run} has two results"
        return found

    def _results_of(self, number: int, run: str, count: int) -> dict[int, str]:
        """Return the results that one node has; it refuses to answer when one of those asked for is elsewhere."""
        ask, found = self.ask(number), {}
        for index in range(count):
            try:
                (result,) = ask.get(f"/v1/runs/{run}/results", elements=str(index))["results"]
            except Unavailable:
                continue
            found[index] = result["value"]
        return found

    def _await_company_of(self, number: int, size: int) -> None:
        ask = self.ask(number)
        wait_until(
            lambda: ask.get("/v1/status")["nodes"] == size,
            lambda: f"that host{number} knows {size} nodes; it knows {ask.get('/v1/nodes')['nodes']}",
        )

    def _await_done_on(self, number: int, run: str, count: int) -> None:
        wait_until(
            lambda: self._ended_whole(number, run, count),
            lambda: f"that {run} is done on host{number}; it says {self.shown(number, run)}; {self._told(run)}",
        )

    def _ended_whole(self, number: int, run: str, count: int) -> bool:
        shown = self.shown(number, run)
        return shown is not None and shown["state"] == "done" and shown["counts"]["done"] == count

    def _await_agreement(self, run: str) -> None:
        wait_until(
            lambda: len({written_in(node.home, run) for node in self._nodes.values()}) == 1,
            lambda: f"the same in all journals: {[written_in(node.home, run) for node in self._nodes.values()]}",
        )

    def _told(self, run: str) -> str:
        """Say what the nodes know of a run, for the message of a failure."""
        written = {number: written_in(node.home, run) for number, node in self._nodes.items()}
        return f"journals: {written}; begun and not ended: {self.executions.under_way(run)}"


@contextmanager
def mesh_on(lan: AnyLan, folder: Path, size: int, settings: Mapping[str, str] | None = None) -> Iterator[Mesh[AnyLan]]:
    """Start nodes of one cluster on the first hosts of a network, and wait until they know each other."""
    hosts, keyring = lan.hosts[:size], None
    for host in hosts:
        keyring = give_key(Home(folder / host.name / "home"), keyring)
    with running_nodes(hosts, folder, settings) as nodes, ExitStack() as talks:
        mesh = Mesh(lan, nodes, Executions(folder / "executions"), talks)
        mesh.await_company()
        yield mesh


@contextmanager
def journal_of(home: Home) -> Iterator[JournalReader]:
    """Read the journal of a node, which may be running."""
    with closing(sqlite3.connect(f"file:{home.journal}?mode=ro", uri=True)) as connection:
        yield JournalReader(home.journal, connection)


def written_in(home: Home, run: str) -> str:
    """Return the states of a run's elements as a journal has them, as one text."""
    with journal_of(home) as journal:
        records = journal.task_records(RunId(run))
    pairs = [(record.spec.id, state, ranges) for record in records for state, ranges in record.elements.items()]
    return "; ".join(sorted(f"{task} {state} {ranges}" for task, state, ranges in pairs))


def makers_in(home: Home, run: str) -> dict[int, str]:
    """Return which node made the accepted result of each element, as a journal has it."""
    with journal_of(home) as journal:
        (record,) = journal.task_records(RunId(run))
    return {
        index: state.node for state, ranges in record.elements.items() if isinstance(state, Done) for index in ranges
    }
