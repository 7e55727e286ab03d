"""``kill -9`` of a real node at random moments loses nothing that was accepted.

A run of this module kills KILLS nodes, a dozen, in a bounded time; the suite runs with every change, so that its life
holds many hundreds. ``ROOST_KILLS=100`` kills more in one go, ``ROOST_KILL_SEED`` chooses other moments. The simulator
(tests/sim) crashes between any two actions; here the disk, the kernel and the clients are real.
"""

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from roost.client.connect import attach, connect, shared_conversation
from roost.client.control import Control
from roost.client.start import find_node
from roost.model.errors import Unavailable
from tests.real.nodes import PATIENCE_S, NodeHome, is_alive, wait_until

KILLS = int(os.environ.get("ROOST_KILLS", "12"))
SEED = os.environ.get("ROOST_KILL_SEED", "1")
#: So many of the nodes are killed after they began to listen; the others perhaps while they start.
SHARE_THAT_LISTENS = 0.8
#: How long a node may live on at most, after it listens or was started.
LIFE_S = 0.5
#: Does not end by itself, nor does what it has started in the background.
SLEEP = {"argv": ["sh", "-c", "sleep 1000 & sleep 1000"]}
pytestmark = [pytest.mark.real, pytest.mark.timeout(120 + 5 * KILLS)]


class Killer:
    """Kills the node at random moments, some of them before it listens, and starts it again."""

    def __init__(self, node: NodeHome, kills: int, name: str) -> None:
        self._node = node
        self._left = kills
        self._random = random.Random(f"{SEED}/{name}")
        self._thread = threading.Thread(target=self._run, name="killer")
        self.error: BaseException | None = None
        #: What ran when a node was killed.
        self.orphans: set[int] = set()

    @property
    def works(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            while self._left:
                self._left -= 1
                if self._random.random() < SHARE_THAT_LISTENS:
                    wait_until(lambda: find_node(self._node.home), "that the node listens")
                threading.Event().wait(self._random.uniform(0.0, LIFE_S))
                self.orphans.update(self._node.processes())
                self._node.kill()
                self._node.spawn()
        except BaseException as error:  # noqa: BLE001 - the thread's boundary: the test tells it
            self.error = error

    @contextmanager
    def at_work(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._thread.join()
        assert self.error is None, self.error


def submission(name: str, elements: int) -> dict[str, object]:
    """Four steps. What a step prints differs each time it runs, so that a result that was replaced is seen."""
    middle = ["sh", "-c", "echo {needs.a} $$"]
    return {
        "name": name,
        "kind": "flow",
        "tasks": [
            {"name": "a", "array": f"1-{elements}", "command": {"argv": ["sh", "-c", "echo {i} $$"]}},
            {"name": "b", "array": f"1-{elements}", "command": {"argv": middle}, "edges": [edge("a", "each", "a")]},
            {"name": "c", "array": f"1-{elements}", "command": {"argv": middle}, "edges": [edge("b", "each", "a")]},
            {"name": "d", "command": {"stdin": "{needs.a}", "argv": ["cat"]}, "edges": [edge("c", "all", "a")]},
        ],
    }


def edge(source: str, kind: str, port: str) -> dict[str, str]:
    return {"source": source, "kind": kind, "port": port}


class Client:
    """Hands in work while nodes come and go, and remembers what it was told."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self.accepted: dict[str, int] = {}
        self.seen: dict[tuple[str, str, int], str] = {}

    def hand_in(self, elements: int) -> None:
        try:
            answer = self._control.post("/v1/runs", submission(f"chain-{len(self.accepted)}", elements))
        except Unavailable:
            return
        self.accepted[answer["run"]] = elements

    def look(self, run: str) -> None:
        """Read all results that there are; compare them with those that were there before."""
        for task in "abcd":
            try:
                results = self._control.get(f"/v1/runs/{run}/results", task=task, limit=1000)["results"]
            except Unavailable:
                return
            for result in results:
                key = (run, task, result["index"])
                assert self.seen.setdefault(key, result["stdout"]) == result["stdout"], key

    def state(self, run: str) -> Any:
        return self._control.get(f"/v1/runs/{run}")


def check_chain(client: Client, run: str, elements: int) -> None:
    """Every step has every result, and each was made from the very result of the step before that was told."""
    text = {key[1:]: value.strip() for key, value in client.seen.items() if key[0] == run}
    for index in range(1, elements + 1):
        assert text["a", index].split()[0] == str(index)
        assert text["b", index].startswith(text["a", index] + " ")
        assert text["c", index].startswith(text["b", index] + " ")
    assert text["d", 0] == "\n".join(text["c", index] for index in range(1, elements + 1))


def test_every_accepted_run_of_commands_is_completed_and_no_result_changes(node_home: NodeHome) -> None:
    moments = random.Random(f"{SEED}/client")
    killer = Killer(node_home, KILLS // 2, "commands")
    node_home.start()
    with node_home.control() as control:
        client = Client(control)
        lingering = control.post("/v1/runs", {"name": "l", "tasks": [{"name": "s", "command": SLEEP}]})["run"]
        with killer.at_work():
            while killer.works:
                if len(client.accepted) < 3 * KILLS:
                    client.hand_in(moments.choice([1, 3, 10]))
                for run in moments.sample(list(client.accepted), min(2, len(client.accepted))):
                    client.look(run)
        wait_until(lambda: answers(control), "that the last node listens")
        control.post(f"/v1/runs/{lingering}/cancel")
        assert client.accepted
        for run, elements in client.accepted.items():
            wait_until(lambda run=run: client.state(run)["finished_at"], f"that {run} ends")
            assert client.state(run)["counts"]["done"] == 3 * elements + 1
            client.look(run)
            check_chain(client, run, elements)
        assert_no_orphans(node_home, killer)


def answers(control: Control) -> bool:
    try:
        control.get("/v1/status")
    except Unavailable:
        return False
    return True


def assert_no_orphans(node: NodeHome, killer: Killer) -> None:
    """All that ran when a node was killed is dead, also what its commands had started in the background."""
    assert len(killer.orphans) > KILLS // 2
    wait_until(lambda: not any(is_alive(pid) for pid in killer.orphans), f"that orphans die: {killer.orphans}")
    node.kill()
    wait_until(lambda: not node.processes(), "that everything ends with its node")


def stamped(number: int) -> tuple[int, int, int]:
    """A value that is right, and tells one execution from another."""
    return number * number, os.getpid(), time.monotonic_ns()


def test_a_python_session_goes_on_and_its_futures_keep_their_values(
    node_home: NodeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOST_HOME", str(node_home.home.path))
    killer = Killer(node_home, KILLS - KILLS // 2, "functions")
    told: dict[str, tuple[int, int, int]] = {}
    node_home.start()
    with killer.at_work(), connect() as pool:
        while killer.works:
            numbers = range(len(told), len(told) + 300)
            assert [value for value, _, _ in pool.map(stamped, numbers)] == [number**2 for number in numbers]
            futures = [pool.submit(stamped, number) for number in range(20)]
            told |= {future.id: future.result(PATIENCE_S) for future in futures}
            assert [told[future.id][0] for future in futures] == [number**2 for number in range(20)]
    for future_id in random.Random(SEED).sample(list(told), min(200, len(told))):
        assert attach(future_id).result(PATIENCE_S) == told[future_id]
    shared_conversation(node_home.home.path).close()
    assert_no_orphans(node_home, killer)


def test_a_node_that_is_killed_while_it_restores_restores_the_same_again(node_home: NodeHome) -> None:
    node_home.start()
    with node_home.control() as control:
        client = Client(control)
        client.hand_in(10)
        (run,) = client.accepted
        node_home.kill()
        for _ in range(3):
            node_home.spawn()
            wait_until(node_home.home.running, "that the node has its lock")
            node_home.kill()
        node_home.start()
        wait_until(lambda: client.state(run)["finished_at"], f"that {run} ends")
        client.look(run)
        check_chain(client, run, 10)
