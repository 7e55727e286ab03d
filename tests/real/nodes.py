"""A real node in a home of its own, which a test may start, kill and ask; nothing of it outlives the test."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from netlab.processes import is_alive
from roost.client.control import Control, node_of
from roost.client.start import find_node
from roost.runtime.home import Home

#: Longer than anything here takes on a busy machine; what has not come by then will not come.
PATIENCE_S = 40.0
_LOOK_EVERY_S = 0.01
_DAEMON = [sys.executable, "-P", "-m", "roost.app.daemon"]
PROGRAM = [sys.executable, "-c", "import sys; from roost.app.cli.main import main; sys.exit(main())"]


def wait_until(condition: Callable[[], object], what: str | Callable[[], str]) -> None:
    """Look again and again until it is so; fail with ``what`` was waited for if it takes too long."""
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > give_up:
            raise AssertionError(f"waited in vain: {what if isinstance(what, str) else what()}")
        time.sleep(_LOOK_EVERY_S)


def processes_with(variable: str, value: str) -> list[int]:
    """Return every living process that was started with this in its environment, and their children."""
    wanted = f"\0{variable}={value}\0".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and is_alive(int(entry.name)):
            try:
                environ = b"\0" + (entry / "environ").read_bytes()
            except OSError:
                continue
            if wanted in environ:
                found.append(int(entry.name))
    return found


class NodeHome:
    """The home, the node in it if there is one, and a folder to work in."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home")
        self.work = folder / "work"
        self.work.mkdir()
        own = {name: value for name, value in os.environ.items() if not name.startswith("ROOST_")}
        self.environment = own | {"ROOST_HOME": str(self.home.path), "ROOST_CPUS": "2", "NO_COLOR": "1"}
        self._log = folder / "daemon.log"
        self._node: subprocess.Popen[bytes] | None = None

    def spawn(self, *, program: Sequence[str] = _DAEMON, **variables: str) -> subprocess.Popen[bytes]:
        """Start the node's process, in a session of its own, and return at once."""
        assert self._node is None, "one node at a time"
        with self._log.open("ab") as log:
            self._node = subprocess.Popen(
                program,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment | variables,
                start_new_session=True,
            )
        return self._node

    def start(self, **variables: str) -> int:
        """Start the node and wait until it listens; return its pid."""
        node = self.spawn(**variables)
        wait_until(lambda: find_node(self.home) is not None or node.poll() is not None, "that the node listens")
        assert node.poll() is None, f"the node did not start: {self.log_text()}"
        return node.pid

    def kill(self) -> None:
        """kill -9, without any warning."""
        if self._node is not None:
            os.killpg(self._node.pid, signal.SIGKILL)
            self._node.wait(PATIENCE_S)
            self._node = None

    def await_end(self) -> None:
        """Wait until the node, which was told to, has ended."""
        if self._node is not None:
            self._node.wait(PATIENCE_S)
            self._node = None

    def log_text(self) -> str:
        return self._log.read_text(errors="replace")

    def roost(
        self, *words: str, code: int | None = 0, stdin: str = "", variables: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run one command line, as a person does, and check its exit code."""
        ended = subprocess.run(
            [*PROGRAM, *words],
            cwd=self.work,
            env=self.environment | dict(variables or {}),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert code is None or ended.returncode == code, (words, ended)
        return ended

    def told(self, *words: str) -> Any:
        """Run one command line with --json and return what it says."""
        return json.loads(self.roost(*words, "--json").stdout)

    def python(self, text: str, *arguments: str) -> str:
        """Run a script of a user in the working folder and return what it prints."""
        script = self.work / "script.py"
        script.write_text(text)
        ended = subprocess.run(
            [sys.executable, script, *arguments],
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def control(self) -> Control:
        """The HTTP API, which is faster to ask than a new process."""
        return node_of(self.home)

    def processes(self) -> list[int]:
        """Every living process that was started in this home: nodes, workers, commands and their children."""
        return processes_with("ROOST_HOME", str(self.home.path))

    def told_processes(self) -> str:
        """The command lines of all living processes of this home, for the message of a failure."""
        lines = []
        for pid in self.processes():
            with suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                lines.append(f"{pid}: {words.strip()}")
        return "; ".join(lines)

    def close(self) -> None:
        """End the node by force, and complain if something is left that should have ended with it."""
        self.kill()
        try:
            wait_until(self._is_empty, lambda: f"that all ends with its node; there is {self.told_processes()}")
        finally:
            for pid in self.processes():
                os.kill(pid, signal.SIGKILL)

    def _is_empty(self) -> bool:
        holder = self.home.holder()
        if holder is not None and self.home.running() and holder in self.processes():
            # A node that a command line or a script has started; perhaps only now, after waiting for the lock.
            os.kill(holder, signal.SIGKILL)
        return not self.processes()
