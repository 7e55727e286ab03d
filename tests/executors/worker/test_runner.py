"""What workers of all kinds share."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.executors.worker import notes, progress
from roost.executors.worker.mailbox import Mailbox, WorkerLease
from roost.executors.worker.messages import FROM_CHILD, Keep, Progress
from roost.executors.worker.output import ElementLogs
from roost.executors.worker.runner import LeaseRunner
from roost.model.ids import BlobHash
from roost.model.task import Script
from roost.wire.frames import FrameReader
from tests.executors.lab import order_of


class Enough(Exception):
    """Ends the loop that has no end."""


class Reporting(LeaseRunner):
    """Says three times how far the first element of each lease is, and runs two leases."""

    def __init__(self, root: Path, channel: socket.socket) -> None:
        self.ran: list[tuple[int, int]] = []
        descriptor, self.own_page = notes.make(Path("/nowhere/notes"))
        os.close(descriptor)
        self.mailbox = Mailbox(channel)
        super().__init__(self.mailbox, self.own_page, ElementLogs(lambda *_: root / "log"))

    def _run(self, lease: WorkerLease) -> None:
        self._logs.index = lease.todo[0][0]
        self.ran.append((self._logs.lease, self._logs.index))
        for step in range(3):
            progress.report(step / 4, f"step {step}")
        if len(self.ran) == 2:
            raise Enough


@pytest.fixture
def channels() -> Iterator[tuple[socket.socket, socket.socket]]:
    node, channel = socket.socketpair()
    with node, channel:
        yield node, channel
    progress.listen(None)


def test_leases_run_in_turn_and_progress_is_sent_with_measure(
    channels: tuple[socket.socket, socket.socket], tmp_path: Path
) -> None:
    node, channel = channels
    runner = Reporting(tmp_path, channel)
    runner.mailbox._handle(Keep("code", (b"",)))
    for lease in (4, 9):
        runner.mailbox._handle(order_of(Script(BlobHash("code"), "job"), lease, lease + 1, lease=lease))
    with pytest.raises(Enough):
        runner.run()
    runner.own_page.close()
    assert runner.ran == [(4, 4), (9, 9)]
    (first, *_) = [part for message in FrameReader().feed(node.recv(9999)) for part in FROM_CHILD.decode(message)]
    assert first == Progress(4, 4, 0.0, "step 0")
