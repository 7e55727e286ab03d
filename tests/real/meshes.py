"""Several real nodes of one cluster: on this machine, or one on each host of a network of namespaces."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from netlab.bridge import BridgedLan
from netlab.nodes import running_nodes
from roost.client.control import Control
from roost.model.errors import NotFound
from roost.runtime.home import Home
from roost.runtime.trust.key_file import KeyStore
from roost.wire.trust.cluster_keys import Keyring
from tests.real.nodes import NodeHome, wait_until


def give_key(home: Home, keyring: Keyring | None = None) -> Keyring:
    """Let a home belong to this cluster, or to a new one."""
    home.create()
    return KeyStore(home).ensure("test") if keyring is None else KeyStore(home).adopt(keyring)


@contextmanager
def mesh_here(
    folder: Path,
    size: int,
    own: Mapping[int, Mapping[str, str]] | None = None,
    *,
    users: Sequence[str] = (),
    **variables: str,
) -> Iterator[list[NodeHome]]:
    """Start so many nodes of one cluster on this machine, those of these users; they end with the test.

    All have these variables of the environment, and those of ``own`` only the node of that number.
    """
    with ExitStack() as ending:
        homes, keyring = [], None
        for number in range(size):
            place = folder / f"node{number}"
            place.mkdir(parents=True)
            home = NodeHome(place)
            ending.callback(home.close)
            keyring = give_key(home.home, keyring)
            home.environment |= {"ROOST_CPUS": "1", **variables, **(own or {}).get(number, {})}
            homes.append(home)
        for home, user in zip(homes, users, strict=False):
            home.environment |= {"LOGNAME": user}
        for home in homes:
            home.start()
        yield homes


class HasControl(Protocol):
    """A node on this machine, or on a host of the laboratory."""

    def control(self) -> Control: ...


@contextmanager
def talking_to(homes: Sequence[HasControl]) -> Iterator[list[Control]]:
    """Talk to the HTTP API of each of these nodes."""
    with ExitStack() as ending:
        yield [ending.enter_context(home.control()) for home in homes]


@contextmanager
def lan_of_nodes(
    folder: Path, size: int, settings: Mapping[str, str] | None = None, cuts: Sequence[str] = ()
) -> Iterator[tuple[BridgedLan, list[Control]]]:
    """Start a node of one cluster on each of so many hosts; ``cuts`` are nft's rules for the bridge between them."""
    with BridgedLan(size) as lan:
        keyring = None
        for host in lan.hosts:
            keyring = give_key(Home(folder / host.name / "home"), keyring)
        for cut in cuts:
            lan.switch.do("nft", cut)
        with running_nodes(lan.hosts, folder, settings) as nodes, talking_to(nodes) as controls:
            yield lan, controls


def await_company(nodes: Sequence[Control], size: int) -> None:
    """Wait until every node knows so many, itself among them."""
    for node in nodes:
        _await_size(node, size)


def _await_size(node: Control, size: int) -> None:
    wait_until(
        lambda: node.get("/v1/status")["nodes"] == size,
        lambda: f"that {size} nodes know each other; one knows {node.get('/v1/nodes')['nodes']}",
    )


def run_array(node: Control, command: str, count: int) -> str:
    """Hand in an array of shell commands; return the run."""
    work = {"name": "work", "command": {"argv": ["sh", "-c", command]}, "array": f"0-{count - 1}"}
    run: str = node.post("/v1/runs", {"name": "work", "tasks": [work]})["run"]
    return run


def await_done(node: Control, run: str, count: int) -> None:
    """Wait until a node knows that all of a run is done; it may not have heard of the run yet."""
    wait_until(
        lambda: count_of(node, run, "done") == count,
        lambda: f"that {count} of {run} are done, and not {count_of(node, run, 'done')}",
    )


def count_of(node: Control, run: str, state: str) -> int | None:
    """Return how many elements of a run are in a state, as a node knows it; None if it has not heard of the run."""
    try:
        count: int = node.get(f"/v1/runs/{run}")["counts"][state]
    except NotFound:
        return None
    return count


def workers_of(nodes: Sequence[Control], run: str) -> set[str]:
    """Return the names of all nodes that finished something of a run; each tells of its own work."""
    told = [node.get(f"/v1/runs/{run}/explain")["story"] for node in nodes]
    return {line["who"] for story in told for line in story if line["kind"] == "done"}


def ways_of(node: Control) -> dict[str, Any]:
    """Return how a node finds others, by way."""
    return {way["way"]: way for way in node.get("/v1/nodes")["network"]["ways"]}


def remarks_of(node: Control) -> str:
    return " ".join(node.get("/v1/nodes")["network"]["remarks"])


def address_of(node: Control, name: str) -> str:
    """Return where a node speaks to another."""
    (known,) = [view for view in node.get("/v1/nodes")["nodes"] if view["node"] == name]
    return str(known["address"])
