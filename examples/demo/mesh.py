"""Three nodes on this machine, each in a home of its own, brought together by the commands that people type.

They have ports of their own, so that a mesh of the user is neither heard nor disturbed, and find each other over
loopback, so that no network is needed. Whatever happens, they end with the demonstration.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Timer
from typing import Final

from roost.app.config import ENVIRONMENT_PREFIX, write_setting
from roost.client.control import Control, node_of
from roost.model.errors import Unavailable
from roost.runtime.home import Home

NAMES: Final = ("wren", "finch", "owl")
LOOPBACK: Final = "127.0.0.1"
#: Longer than anything here takes on a busy machine; what has not come by then will not come.
PATIENCE_S: Final = 60.0
LOOK_EVERY_S: Final = 0.05
#: Below the ports that systems hand out by themselves, and away from those that nodes have by default.
_PORTS: Final = range(20_000, 32_000)
_PORTS_TRIED: Final = 200
_PROGRAM: Final = (sys.executable, "-P", "-c", "import sys; from roost.app.cli.main import main; sys.exit(main())")


class DemoNode:
    """A node, as its owner moves it."""

    def __init__(self, folder: Path, name: str, port: int) -> None:
        self.name = name
        self.home = Home(folder / name)
        self.home.create()
        # One port for finding others, and one for each node that follows it, as on any machine with several.
        peers = ",".join(f"{LOOPBACK}:{port + 1 + at}" for at in range(len(NAMES)))
        # Somebody is watching and waits for it, so its work need not step back behind other programs.
        settings = {"name": name, "cpus": "1", "nice": "0", "udp_port": str(port), "peers": peers}
        for setting, value in settings.items():
            write_setting(setting, value, self.home.config)

    def begin(self, *words: str) -> "subprocess.Popen[str]":
        """Start one command line."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(ENVIRONMENT_PREFIX)}
        return subprocess.Popen(
            [*_PROGRAM, *words],
            env=own | {"ROOST_HOME": str(self.home.path), "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def roost(self, *words: str) -> str:
        """Run one command line and return what it prints; raise Unavailable, in its own words, if it fails."""
        with self.begin(*words) as command:
            try:
                said, complaint = command.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired as error:
                command.kill()
                raise Unavailable(f"'roost {words[0]}' on {self.name} takes more than {PATIENCE_S:.0f} s") from error
        if command.returncode != 0:
            raise Unavailable(f"'roost {words[0]}' on {self.name} failed: {complaint.strip()}")
        return said

    def control(self) -> Control:
        """The HTTP API, which is quicker to ask than a new process."""
        return node_of(self.home)

    def kill(self) -> None:
        """kill -9, without a warning; return when the process is gone."""
        node = self.home.holder() if self.home.running() else None
        if node is not None:
            with suppress(ProcessLookupError):
                os.kill(node, signal.SIGKILL)
            wait_until(lambda: not self.home.running(), f"that {self.name} is gone")

    def end(self) -> None:
        """Stop the node as its owner would; one that does not listen is killed."""
        try:
            self.roost("down")
        except Unavailable:
            self.kill()


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Look again and again until it is so; raise Unavailable with ``what`` was waited for if it takes too long."""
    give_up = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > give_up:
            raise Unavailable(f"waited {PATIENCE_S:.0f} s in vain {what}")
        time.sleep(LOOK_EVERY_S)


@contextmanager
def mesh_in(folder: Path, tell: Callable[[str], None]) -> Iterator[list[DemoNode]]:
    """Start the nodes and let them join, telling of each step; all have ended when this is left."""
    port = free_port()
    nodes = [DemoNode(folder, name, port) for name in NAMES]
    with ExitStack() as ending:
        ending.callback(_all_at_once, nodes, DemoNode.end)
        first, *others = nodes
        first.roost("up")
        tell(f"{first.name:6} $ roost up")
        _all_at_once(others, lambda newcomer: _bring(first, newcomer, tell))
        with ExitStack() as talking:
            controls = [talking.enter_context(node.control()) for node in nodes]
            wait_until(lambda: all(_company(one) == len(nodes) for one in controls), "that all know each other")
        yield nodes


def _bring(inviter: DemoNode, newcomer: DemoNode, tell: Callable[[str], None]) -> None:
    """A code on one machine, typed on another: that is all it takes to join."""
    with inviter.begin("invite", "--json") as inviting:
        impatience = Timer(PATIENCE_S, inviting.kill)
        impatience.start()
        try:
            assert inviting.stdout is not None
            line = inviting.stdout.readline()
            if not line:
                raise Unavailable(f"'roost invite' on {inviter.name} failed: {inviting.communicate()[1].strip()}")
            offered = json.loads(line)
            newcomer.roost("join", offered["code"], "--at", f"{LOOPBACK}:{offered['port']}")
            inviting.communicate()
        finally:
            impatience.cancel()
            inviting.kill()
    newcomer.roost("up")
    told = f"{inviter.name:6} $ roost invite\n{newcomer.name:6} $ roost join {offered['code']} && roost up"
    tell(told)


def _company(control: Control) -> int:
    known: int = control.get("/v1/status")["nodes"]
    return known


def _all_at_once(nodes: Sequence[DemoNode], act: Callable[[DemoNode], None]) -> None:
    """Do the same with several nodes side by side: most of it is waiting."""
    with ThreadPoolExecutor(len(nodes)) as pool:
        for outcome in [pool.submit(act, node) for node in nodes]:
            outcome.result()


def free_port() -> int:
    """Return a port that is free together with those that follow it, one for each node."""
    for _ in range(_PORTS_TRIED):
        port = random.choice(_PORTS)
        if all(_is_free(port + at) for at in range(len(NAMES) + 1)):
            return port
    raise Unavailable(f"no {len(NAMES) + 1} neighbouring ports are free between {_PORTS.start} and {_PORTS.stop}")


def _is_free(port: int) -> bool:
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("", port))
            except OSError:
                return False
    return True
