"""A mesh in the laboratory: a node of one cluster on each host, handed work and asked what became of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from netlab.bridge import BridgedLan
from netlab.executions import Executions
from netlab.histories import live_before
from netlab.journals import written_in
from netlab.nodes import LabNode, running_nodes
from netlab.switch import SwitchedLan
from netlab.waiting import PATIENCE_S, wait_until
from roost.client.control import Control, NodeGone
from roost.model.errors import NotFound, Unavailable
from roost.model.online import OnlineLog
from roost.runtime.home import Home
from roost.runtime.trust.key_file import KeyStore

AnyLan = TypeVar("AnyLan", BridgedLan, SwitchedLan)
#: More than any run here has.
RESULTS_MAX = 1000
#: All nodes are new.
NO_HISTORIES: Mapping[int, OnlineLog] = {}


class Mesh(Generic[AnyLan]):
    """Nodes of one cluster, one on each of the first hosts; they are named by the numbers of their hosts."""

    def __init__(self, lan: AnyLan, nodes: Sequence[LabNode], executions: Executions, talks: ExitStack) -> None:
        self.lan: AnyLan = lan
        self.executions = executions
        self._nodes = {node.host.number: node for node in nodes}
        self._controls = {number: talks.enter_context(node.control()) for number, node in self._nodes.items()}

    @property
    def size(self) -> int:
        return len(self._nodes)

    @property
    def nodes(self) -> list[LabNode]:
        return list(self._nodes.values())

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

    def submit(self, number: int, count: int, seconds: float, name: str = "work", *, quorum: bool = False) -> str:
        """Hand in an array that notes its executions; return the run when the node has answered for it."""
        work = {"name": name, "command": {"argv": self.executions.command(seconds)}, "array": f"0-{count - 1}"}
        run: str = self.ask(number).post("/v1/runs", {"name": name, "tasks": [work], "quorum": quorum})["run"]
        return run

    def submit_bag(self, number: int, lengths: Sequence[float], policy: str = "") -> str:
        """Hand in unlike tasks of one element each, in this order, which say how long they take; return the run."""
        tasks = [
            # Of those that are handed in together the first by name comes first.
            {"name": f"t{at:05}", "command": {"argv": self.executions.command(seconds)}, "length_s": seconds}
            for at, seconds in enumerate(lengths)
        ]
        run: str = self.ask(number).post("/v1/runs", {"name": "bag", "tasks": tasks, "policy": policy})["run"]
        return run

    def shown(self, number: int, run: str) -> Any:
        """Return what a node tells of a run; None if it does not know of it."""
        try:
            return self.ask(number).get(f"/v1/runs/{run}")
        except NotFound:
            return None

    def await_done(self, run: str, count: int, *, among: Sequence[int] = (), patience_s: float = PATIENCE_S) -> None:
        """Wait until each of these nodes, all if none is named, says that the run has ended whole."""
        for number in among or self.numbers:
            wait_until(
                partial(self._ended_whole, number, run, count), partial(self._told, number, run), patience_s=patience_s
            )

    def await_ended(self, run: str, count: int) -> None:
        """Wait until so many executions of a run have come to their end."""
        wait_until(
            lambda: len(self.executions.ended(run)) >= count,
            lambda: f"{count} ends in {run}; there are {len(self.executions.ended(run))}",
        )

    def pause_at_work(self, number: int, run: str) -> set[int]:
        """Pause a node while it has elements of a run under way; return which."""
        caught: set[int] = set()

        def is_caught() -> bool:
            if not self.under_way_on(number, run):
                return False
            self.node(number).pause()
            caught.update(self.under_way_on(number, run))
            if not caught:
                self.node(number).resume()
            return bool(caught)

        wait_until(is_caught, lambda: f"that host{number} works on {run}")
        return caught

    def under_way_on(self, number: int, run: str) -> set[int]:
        """Return the elements of a run that were begun on a host and have not ended there."""
        host = self.node(number).host.name
        return {execution.index for execution in self.executions.under_way(run) if execution.host == host}

    def results(self, run: str, count: int) -> dict[int, str]:
        """Gather the results from all nodes; those that several have must be the same."""
        found: dict[int, str] = {}
        for number in self.numbers:
            for index, value in self._results_of(number, run, count).items():
                assert found.setdefault(index, value) == value, f"element {index} of {run} has two results"
        return found

    def _results_of(self, number: int, run: str, count: int) -> dict[int, str]:
        """Return the results that one node has; it refuses to answer when one of those asked for is elsewhere."""
        at_once = self._asked_for(number, run, f"0-{count - 1}")
        if at_once is not None:
            return at_once
        one_by_one = (self._asked_for(number, run, str(index)) for index in range(count))
        return {index: value for found in one_by_one if found is not None for index, value in found.items()}

    def _asked_for(self, number: int, run: str, elements: str) -> dict[int, str] | None:
        try:
            found = self.ask(number).get(f"/v1/runs/{run}/results", elements=elements, limit=RESULTS_MAX)["results"]
        except NodeGone:
            raise
        except Unavailable:
            return None
        return {result["index"]: result["value"] for result in found}

    def _await_company_of(self, number: int, size: int) -> None:
        ask = self.ask(number)
        wait_until(
            lambda: ask.get("/v1/status")["nodes"] == size,
            lambda: f"that host{number} knows {size} nodes; it knows {ask.get('/v1/nodes')['nodes']}",
        )

    def _ended_whole(self, number: int, run: str, count: int) -> bool:
        shown = self.shown(number, run)
        return shown is not None and shown["state"] == "done" and shown["counts"]["done"] == count

    def _told(self, number: int, run: str) -> str:
        """Say what is known of a run, for the message of a failure."""
        written = {node.host.name: written_in(node.home, run) for node in self.nodes}
        return (
            f"that {run} is done on host{number}; it says {self.shown(number, run)}; journals: {written}; "
            f"begun and not ended: {self.executions.under_way(run)}"
        )


@contextmanager
def mesh_on(
    lan: AnyLan,
    folder: Path,
    size: int,
    settings: Mapping[str, str] | None = None,
    histories: Mapping[int, OnlineLog] = NO_HISTORIES,
) -> Iterator[Mesh[AnyLan]]:
    """Start nodes of one cluster on the first hosts of a network, and wait until they know each other.

    ``histories``: when the nodes of these hosts were on line before.
    """
    hosts, keyring = lan.hosts[:size], None
    for host in hosts:
        home = Home(folder / host.name / "home")
        home.create()
        keyring = KeyStore(home).ensure("lab") if keyring is None else KeyStore(home).adopt(keyring)
        if host.number in histories:
            live_before(home, histories[host.number])
    with running_nodes(hosts, folder, settings) as nodes, ExitStack() as talks:
        mesh = Mesh(lan, nodes, Executions(folder / "executions"), talks)
        mesh.await_company()
        yield mesh
