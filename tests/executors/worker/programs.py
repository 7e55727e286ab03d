"""Workers as a node has them: a process of its own with all that a node holds of it, and their raw output here."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from roost.executors.worker import notes, output, progress
from roost.executors.worker.messages import ENCODER, FROM_CHILD, Ready, ToChild
from roost.wire.frames import FrameReader, frame


class Program:
    """A worker process; ``module`` is its program."""

    def __init__(self, module: str, root: Path) -> None:
        self.channel, theirs = socket.socketpair()
        lifeline, self.lifeline = os.pipe()
        shared, self.page = notes.make(Path("/nowhere/notes"))
        lent = [theirs.fileno(), shared, lifeline]
        command = [sys.executable, "-m", module, *map(str, lent), str(root), str(root), "1000000", "0"]
        with (root / "output").open("ab") as written:
            self.popen = subprocess.Popen(
                command, pass_fds=lent, start_new_session=True, stdout=written, stderr=written, cwd=root
            )
        theirs.close()
        os.close(lifeline)
        os.close(shared)
        self.channel.settimeout(30)
        assert [FROM_CHILD.decode(message) for message in FrameReader().feed(self.channel.recv(1000))] == [[Ready()]]

    def begin(self, *messages: ToChild) -> None:
        """Send a lease with all that goes with it, and wait until an element of it runs."""
        self.channel.sendall(frame(ENCODER.encode(messages)))
        while not notes.running(self.page):
            assert self.popen.poll() is None, "it has ended"

    def close(self) -> None:
        self.popen.kill()
        self.popen.wait(30)
        self.channel.close()
        self.page.close()


@contextmanager
def raw_output(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let files stand for the raw output of a worker that runs in this process."""
    opened = []
    for name in ("RAW_STDOUT", "RAW_STDERR"):
        opened.append(os.open(root / name, os.O_RDWR | os.O_CREAT | os.O_APPEND))
        monkeypatch.setattr(output, name, opened[-1])
    yield
    progress.listen(None)
    for descriptor in opened:
        os.close(descriptor)
