"""Node.js and Deno: one process that starts a worker for each job (worker_threads there, Web Workers here)."""

import os
import selectors
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Final

from roost.lab.scripts import jobs
from roost.lab.scripts.engine import Answer, Lap, NotMeasured, Round, order_text, read_answer
from roost.lab.scripts.finding import program

_READ_BYTES: Final = 65536
_START_S: Final = 30.0
#: A worker of Deno is loaded from text that the host made, and has no permission for anything else.
_DENO: Final = ("run", "--quiet", "--no-prompt", "--no-remote", "--no-npm", "--no-config", "--no-lock")


class HostSession:
    """See Session."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._text = b""
        self.title = self._answer(_START_S).opened

    def run(self, order: Round) -> tuple[Lap, ...]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(order_text(order) + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise NotMeasured("it has ended") from None
        return self._answer(order.limit_s).laps

    def _answer(self, limit_s: float) -> Answer:
        return read_answer(self._line(monotonic() + limit_s))

    def _line(self, give_up: float) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while b"\n" not in self._text:
                if not selector.select(max(give_up - monotonic(), 0.0)):
                    raise NotMeasured("it took longer than its time")
                data = os.read(stdout.fileno(), _READ_BYTES)
                if not data:
                    raise NotMeasured("it has ended")
                self._text += data
        line, _, self._text = self._text.partition(b"\n")
        return line


@contextmanager
def open_host(engine: str) -> Iterator[HostSession]:
    """Start "node" or "deno". Raise NotMeasured if it is not here."""
    path = program(engine)
    with TemporaryDirectory(prefix="roost-lab-") as folder:
        host = Path(folder) / ("host.cjs" if engine == "node" else "host.mjs")
        host.write_text(jobs.read("laps.js") + jobs.read("host.js"), encoding="utf-8")
        words = [str(path), *(() if engine == "node" else _DENO), str(host)]
        environment = os.environ | {"NO_COLOR": "1", "DENO_DIR": folder}
        # It ends with its input, so it needs no lifeline of another kind.
        with subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=folder
        ) as process:
            try:
                yield HostSession(process)
            finally:
                process.kill()
