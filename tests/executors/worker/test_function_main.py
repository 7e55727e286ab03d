"""The worker's program: it ends with its node, whatever its function does."""

import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cloudpickle
import pytest

from roost.executors.worker import page
from roost.executors.worker.messages import ENCODER, FROM_CHILD, FunctionLease, Keep, Ready
from roost.model.segments import pack
from roost.wire.frames import FrameReader, frame
from tests.executors.lab import TASK


class Process:
    """A worker, and all that a node holds of it."""

    def __init__(self, root: Path) -> None:
        self.channel, theirs = socket.socketpair()
        lifeline, self.lifeline = os.pipe()
        shared, self.page = page.make()
        lent = [theirs.fileno(), shared, lifeline]
        command = [sys.executable, "-m", "roost.executors.worker.function_main", *map(str, lent), str(root), "0"]
        with (root / "output").open("ab") as output:
            self.popen = subprocess.Popen(
                command, pass_fds=lent, start_new_session=True, stdout=output, stderr=output, cwd=root
            )
        theirs.close()
        os.close(lifeline)
        os.close(shared)
        self.channel.settimeout(30)
        assert [FROM_CHILD.decode(message) for message in FrameReader().feed(self.channel.recv(1000))] == [[Ready()]]

    def hog(self) -> None:
        """Make it call a function that keeps Python's lock, and wait until it does."""
        items = (pack(0, [pickle.dumps(((range(10**13),), {}))]),)
        lease = FunctionLease(1, TASK, 1, False, (0, 1), items, (), (), False, "code", None, None)
        self.channel.sendall(frame(ENCODER.encode([Keep("code", (cloudpickle.dumps(sum),)), lease])))
        while page.read(self.page) is None:
            pass

    def close(self) -> None:
        self.popen.kill()
        self.popen.wait(30)
        self.channel.close()
        self.page.close()


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    process = Process(tmp_path)
    yield process
    process.close()


def test_an_idle_worker_ends_with_its_channel(process: Process) -> None:
    process.channel.shutdown(socket.SHUT_RDWR)
    assert process.popen.wait(30) == -9
    os.close(process.lifeline)


def test_a_worker_that_cannot_listen_ends_with_its_lifeline(process: Process) -> None:
    process.hog()
    os.close(process.lifeline)
    assert process.popen.wait(30) == -9
