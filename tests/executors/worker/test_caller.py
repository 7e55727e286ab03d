"""The loop that calls functions, in this process."""

import os
import pickle
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from roost.executors.worker import notes, progress
from roost.executors.worker.caller import Caller
from roost.executors.worker.loading import Functions
from roost.executors.worker.mailbox import Mailbox
from roost.executors.worker.messages import FROM_CHILD, Done, Failed, FromChild, Keep, Progress
from roost.executors.worker.output import ElementLogs
from roost.executors.worker.raised import PYTHON
from roost.model.ids import BlobHash
from roost.model.segments import pack
from roost.model.task import Function
from roost.wire.frames import FrameReader
from tests.executors.lab import order_of
from tests.executors.worker.programs import raw_output


class Worker:
    def __init__(self, root: Path) -> None:
        self.node, self._channel = socket.socketpair()
        self.functions = Functions()
        self.mailbox = Mailbox(self._channel, self.functions)
        descriptor, self.page = notes.make(Path("/nowhere/notes"))
        os.close(descriptor)
        self.caller = Caller(self.mailbox, self.functions, self.page, ElementLogs(lambda *_: root / "log"))

    def run(self, function: Any, *argument_lists: tuple[Any, ...]) -> list[FromChild]:
        """Run one lease to its end; return what was sent."""
        items = pack(0, [pickle.dumps((args, {})) for args in argument_lists])
        self.mailbox._handle(Keep("code", (cloudpickle.dumps(function),)))
        self.mailbox._handle(order_of(Function(BlobHash("code"), PYTHON), 0, items.count, items=(items,)))
        self.caller._run(self.mailbox.next())
        return [part for message in FrameReader().feed(self.node.recv(1 << 20)) for part in FROM_CHILD.decode(message)]

    def close(self) -> None:
        self.node.close()
        self._channel.close()
        self.page.close()


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    with raw_output(tmp_path, monkeypatch):
        worker = Worker(tmp_path)
        yield worker
        worker.close()


def test_elements_are_called_one_after_the_other(worker: Worker) -> None:
    (done,) = worker.run(lambda x: x + 1, (1,), (2,))
    assert isinstance(done, Done)
    assert done.segments == (pack(0, [pickle.dumps(2, 5), pickle.dumps(3, 5)]),)
    assert notes.running(worker.page) == []


def test_the_page_tells_which_element_runs(worker: Worker) -> None:
    seen = []
    worker.caller._logs.lease = 1

    def look(_: object) -> None:
        seen.extend(notes.running(worker.page))

    worker.functions._functions["code"] = look
    worker.run(print, (0,), (1,))
    assert [(note.lease, note.index) for note in seen] == [(1, 0), (1, 1)]


def test_progress_is_sent_with_measure(worker: Worker) -> None:
    worker.caller._logs.lease = 1

    def reports() -> None:
        for step in range(50):
            progress.report(step / 100)

    messages = worker.run(reports, ())
    assert messages[0] == Progress(1, 0, 0.0, "")
    assert len([message for message in messages if isinstance(message, Progress)]) < 5


def test_a_failure_does_not_end_the_lease(worker: Worker) -> None:
    failed, done = worker.run(lambda x: 1 // x, (0,), (1,))
    assert isinstance(failed, Failed)
    assert failed.failure.reason.startswith("ZeroDivisionError")
    assert isinstance(done, Done)
    assert done.segments[0].start == 1
