"""The worker's program: it ends with its node, whatever its function does."""

import os
import pickle
import socket
from collections.abc import Iterator
from pathlib import Path

import cloudpickle
import pytest

from roost.executors.worker.messages import Keep
from roost.executors.worker.raised import PYTHON
from roost.model.ids import BlobHash
from roost.model.segments import pack
from roost.model.task import Function
from tests.executors.lab import order_of
from tests.executors.worker.programs import Program


def hog(process: Program) -> None:
    """Make it call a function that keeps Python's lock, and wait until it does."""
    items = (pack(0, [pickle.dumps(((range(10**13),), {}))]),)
    lease = order_of(Function(BlobHash("code"), PYTHON), 0, 1, items=items)
    process.begin(Keep("code", (cloudpickle.dumps(sum),)), lease)


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Program]:
    process = Program("roost.executors.worker.function_main", tmp_path)
    yield process
    process.close()


def test_an_idle_worker_ends_with_its_channel(process: Program) -> None:
    process.channel.shutdown(socket.SHUT_RDWR)
    assert process.popen.wait(30) == -9
    os.close(process.lifeline)


def test_a_worker_that_cannot_listen_ends_with_its_lifeline(process: Program) -> None:
    hog(process)
    os.close(process.lifeline)
    assert process.popen.wait(30) == -9
