"""A pseudo-terminal with the command line in it, for what only happens at a terminal: bars, live views, keys."""

import os
import pty
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from select import select

#: A session that opens a terminal takes it as its own, so that Ctrl-C reaches the program. Tests that were started in
#: the background hand down that it is to be ignored, which nobody's terminal does.
_BEGINNING = """
import os, signal, sys
from roost.app.cli.main import main
os.close(os.open(os.ttyname(0), os.O_RDWR))
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main())
"""
PROGRAM = [sys.executable, "-c", _BEGINNING]
PATIENCE_S = 30.0


class Terminal(AbstractContextManager["Terminal"]):
    """Runs ``roost WORDS``; ``read_until`` waits for a text on the screen, ``ended`` for the exit code."""

    def __init__(self, *words: str, env: Mapping[str, str] = os.environ, cwd: Path | None = None) -> None:
        self._ours, theirs = pty.openpty()
        environment = {**env, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
        self._process = subprocess.Popen(
            [*PROGRAM, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            cwd=cwd,
            start_new_session=True,
        )
        os.close(theirs)
        self._seen = ""

    def __exit__(self, *exc_info: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def read_until(self, text: str) -> str:
        """Return all that was on the screen up to and with ``text``."""
        give_up = time.monotonic() + PATIENCE_S
        while text not in self._seen:
            assert time.monotonic() < give_up, f"'{text}' did not appear: {self._seen!r}"
            self._read()
        return self._seen

    def ended(self) -> int:
        give_up = time.monotonic() + PATIENCE_S
        while self._process.poll() is None:
            assert time.monotonic() < give_up, f"it did not end: {self._seen!r}"
            self._read()
        return self._process.returncode

    def _read(self) -> None:
        if select([self._ours], [], [], 0.05)[0]:
            try:
                self._seen += os.read(self._ours, 65536).decode(errors="replace")
            except OSError:
                # The other end was closed: the program has ended.
                self._process.wait()
