"""The program of a worker for scripts: it ends with its node, whatever its script does."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.executors.worker.messages import Keep
from roost.model.ids import BlobHash
from roost.model.task import Script
from tests.executors.lab import order_of
from tests.executors.worker.programs import Program


def loop(process: Program) -> None:
    """Make it run a script without end, and wait until it does."""
    code = Keep("code", (b"function weevil_main() { while (true); }",))
    process.begin(code, order_of(Script(BlobHash("code"), "job"), 0, 1))


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Program]:
    process = Program("roost.executors.worker.script_main", tmp_path)
    yield process
    process.close()


def test_an_idle_worker_ends_with_its_channel(process: Program) -> None:
    process.channel.shutdown(socket.SHUT_RDWR)
    assert process.popen.wait(30) == -9
    os.close(process.lifeline)


def test_a_worker_whose_script_loops_ends_with_its_lifeline(process: Program) -> None:
    loop(process)
    os.close(process.lifeline)
    assert process.popen.wait(30) == -9
