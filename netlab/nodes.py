"""Real nodes on the hosts of a network: started, asked, stopped, paused and killed.

Each has a home and settings of its own. Nothing of it outlives its host: a host is a machine with processes of its own
(namespaces.py), and a node that this class does not know, started by a command line there, ends with it as well.
"""

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import psutil

from netlab.door import Door
from netlab.errors import LabError
from netlab.lan import Host
from netlab.processes import continue_all, kill_entered, stop_all
from netlab.programs import DAEMON, ROOST, node_environment
from netlab.waiting import PATIENCE_S, wait_until
from roost.client.control import Control
from roost.client.start import Address, find_node
from roost.runtime.home import Home

#: The same on every host, since none can be in the way of another.
PORT: Final = 7700
#: Two processors are shared by all nodes; a machine that offers more than one of them promises too much.
_SETTINGS: Final = {"cpus": "1", "port": str(PORT)}
#: The node is born on its host, of a shell that entered it, and so can be paused (processes.py).
_UNDER_A_SHELL: Final = ("sh", "-c", '"$@"; exit $?', "node")


class LabNode:
    """A home on one host, and the node in it while there is one.

    ``settings`` are those of ``roost config``, by name: ``{"cpus": "2"}``.
    """

    def __init__(self, host: Host, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self.host = host
        self.home = Home(folder / "home")
        self.work = folder / "work"
        self.work.mkdir(parents=True, exist_ok=True)
        self._settings = {**_SETTINGS, "name": host.name, **(settings or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._door: Door | None = None

    def spawn(self, **settings: str) -> None:
        """Start the node's process and return at once. Settings that are given here count for this life only."""
        if self._process is not None:
            raise LabError(f"{self.host.name} has a node already")
        self.home.create()
        # A life that was killed left this, and it must not be taken for the next one's.
        self.home.node.unlink(missing_ok=True)
        with self.home.log.open("ab") as log:
            self._process = self.host.namespace.start(
                *_UNDER_A_SHELL,
                *DAEMON,
                cwd=self.work,
                environment=node_environment(self.variables(**settings)),
                stdout=log,
                stderr=log,
            )

    def await_listening(self) -> None:
        """Wait until the node answers. Raise LabError, with its log, if it ends instead."""
        process = self._alive()
        wait_until(
            lambda: find_node(self.home) is not None or process.poll() is not None,
            lambda: f"that the node on {self.host.name} listens; it says: {self.log_text()}",
        )
        if process.poll() is not None:
            self._process = None
            raise LabError(f"the node on {self.host.name} did not start: {self.log_text()}")

    def start(self, **settings: str) -> None:
        """Start the node and wait until it listens."""
        self.spawn(**settings)
        self.await_listening()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The node's process, as this process numbers it."""
        for shell in psutil.Process(self._alive().pid).children():
            for node in shell.children():
                return int(node.pid)
        raise LabError(f"the node on {self.host.name} has ended: {self.log_text()}")

    def stop(self) -> None:
        """Ask the node to end, as the machine does when it is switched off, and wait for it."""
        os.kill(self.pid, signal.SIGTERM)
        self.await_end()

    def await_end(self) -> None:
        """Wait until a node has ended that was told so in another way: by ``roost down``, for example."""
        self._alive().wait(PATIENCE_S)
        self._process = None

    def kill(self) -> None:
        """kill -9, without any warning; also a node that is paused."""
        kill_entered(self._alive())
        self._process = None

    def pause(self) -> None:
        """Stop the node and all that it runs where they stand, as a closed lid does."""
        stop_all(self.host.namespace)

    def resume(self) -> None:
        """Open the lid."""
        continue_all(self.host.namespace)

    def run(self, *command: str, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run any program on the host, a script that uses Roost for example: it finds this home and its settings."""
        known = node_environment(self.variables())
        return self.host.namespace.run(*command, text=text, cwd=self.work, environment=known, timeout_s=PATIENCE_S)

    def roost(self, *words: str, code: int | None = 0, text: str = "") -> subprocess.CompletedProcess[str]:
        """Run one command line on the host, as a person there does. Raise LabError if it ends with another code."""
        ended = self.run(*ROOST, *words, text=text)
        if code is not None and ended.returncode != code:
            said = f"{ended.stdout}{ended.stderr}".strip()
            raise LabError(f"'roost {' '.join(words)}' on {self.host.name} ended with {ended.returncode}: {said}")
        return ended

    def told(self, *words: str) -> Any:
        """Run one command line with --json and return what it says."""
        return json.loads(self.roost(*words, "--json").stdout)

    def control(self) -> Control:
        """Return a conversation over the HTTP API, which is faster than a process for each question."""
        if self._door is None:
            self._door = Door(self.host.namespace, int(self._settings["port"]))
        port = self._door.port
        return Control(lambda: Address(f"http://127.0.0.1:{port}", self.home.read_token()))

    def log_text(self) -> str:
        return self.home.log.read_text(errors="replace") if self.home.log.exists() else ""

    def close(self) -> None:
        """End the node by force, if there is one, and the way to it."""
        if self.running:
            self.kill()
        if self._door is not None:
            self._door.close()
            self._door = None

    def variables(self, **settings: str) -> dict[str, str]:
        """Return the environment variables that name the home and the settings, with those given here on top."""
        chosen = {**self._settings, **settings, "home": str(self.home.path)}
        return {f"ROOST_{name.upper()}": value for name, value in chosen.items()}

    def _alive(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            raise LabError(f"there is no node on {self.host.name}")
        return self._process


@contextmanager
def running_nodes(
    hosts: Sequence[Host], folder: Path, settings: Mapping[str, str] | None = None
) -> Iterator[list[LabNode]]:
    """Start a node on every host, all at once, and end them by force afterwards. Host 3 lives in ``folder``/host3."""
    with ExitStack() as ending:
        nodes = [LabNode(host, folder / host.name, settings) for host in hosts]
        for node in nodes:
            ending.callback(node.close)
            node.spawn()
        for node in nodes:
            node.await_listening()
        yield nodes
