"""The loop that runs scripts, in this process."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roost.executors.worker import notes
from roost.executors.worker.mailbox import Mailbox
from roost.executors.worker.messages import FROM_CHILD, Done, Failed, FromChild, Keep, Progress
from roost.executors.worker.output import ElementLogs
from roost.executors.worker.script_caller import ScriptCaller
from roost.executors.worker.script_engine import run_in_thread
from roost.model.ids import BlobHash
from roost.model.segments import pack
from roost.model.task import Script
from roost.wire.frames import FrameReader
from roost.wire.values import encode_item
from tests.executors.lab import order_of
from tests.executors.worker.programs import raw_output


class Worker:
    def __init__(self, root: Path) -> None:
        self.node, self._channel = socket.socketpair()
        self.mailbox = Mailbox(self._channel)
        descriptor, self.page = notes.make(Path("/nowhere/notes"))
        os.close(descriptor)
        self.root = root
        self.logs = ElementLogs(lambda _, index, stream: root / f"{index}.{stream}")
        self.caller = ScriptCaller(self.mailbox, self.page, self.logs)

    def run(self, code: str, *items: Any, again: bool = False) -> list[FromChild]:
        """Run one lease to its end; return what was sent."""
        packed = pack(0, [encode_item(item) for item in items])
        self.mailbox._handle(Keep("code", (code.encode(),)))
        self.mailbox._handle(Keep("arguments", (b'[{"item":true},{"index":true}]',)))
        work = Script(BlobHash("code"), "job", arguments=BlobHash("arguments"))
        self.mailbox._handle(order_of(work, 0, packed.count, items=(packed,), again=again))
        self.logs.lease = 1
        run_in_thread(lambda: self.caller._run(self.mailbox.next())).join(60)
        self.logs.close()
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


def test_elements_run_one_after_the_other(worker: Worker) -> None:
    told = worker.run("function weevil_main(item, index) { return [item, index] }", "a", {"b": 1})
    # On a slow machine the first result leaves before the second is there.
    values = [value for done in told if isinstance(done, Done) for part in done.segments for value in part.values()]
    assert values == [b'["a",0]', b'[{"b":1},1]']
    assert notes.running(worker.page) == []


def test_a_failure_does_not_end_the_lease(worker: Worker) -> None:
    failed, done = worker.run("function weevil_main(x) { if (x) return x; throw new Error('none') }", 0, 1)
    assert isinstance(failed, Failed)
    assert (failed.index, failed.failure.reason) == (0, "Error: none")
    assert failed.failure.detail.startswith("Error: none\n    at weevil_main (job:1:")
    assert failed.failure.duration_s is not None
    assert not failed.failure.permanent
    assert isinstance(done, Done)
    assert done.segments[0].start == 1


def test_halves_of_surrogate_pairs_go_nowhere(worker: Worker) -> None:
    code = "function weevil_main() { weevil_progress(0.5, '\\ud800'); throw new Error('\\udfff\\nmore') }"
    said, failed = worker.run(code, 0)
    assert said == Progress(1, 0, 0.5, "\ufffd")
    assert isinstance(failed, Failed)
    assert failed.failure.reason == "Error: \ufffd"
    assert failed.failure.detail.startswith("Error: \ufffd\nmore\n    at weevil_main")


def test_what_can_never_work_fails_for_good(worker: Worker) -> None:
    for code in ("function weevil_main() { return NaN }", "syntax error", "1"):
        (failed,) = worker.run(code, 0)
        assert isinstance(failed, Failed)
        assert failed.failure.permanent


def test_output_goes_to_the_log_of_its_element(worker: Worker) -> None:
    worker.run("function weevil_main(x) { console.log('out', x); if (x) console.error('\\ud800') }", 0, 1)
    assert (worker.root / "0.stdout").read_bytes() == b"out 0\n"
    assert (worker.root / "1.stdout").read_bytes() == b"out 1\n"
    assert (worker.root / "1.stderr").read_bytes() == "\ufffd\n".encode()
    assert not (worker.root / "0.stderr").exists()


def test_what_an_earlier_attempt_logged_is_removed(worker: Worker) -> None:
    (worker.root / "0.stdout").write_text("old")
    worker.run("function weevil_main() {}", 0, again=True)
    assert not (worker.root / "0.stdout").exists()


def test_progress_is_sent_with_measure_and_within_bounds(worker: Worker) -> None:
    code = "function weevil_main() { for (let i = 0; i < 50; i++) weevil_progress(3 + i, `step ${i}`) }"
    messages = worker.run(code, 0)
    assert messages[0] == Progress(1, 0, 1.0, "step 0")
    assert len([message for message in messages if isinstance(message, Progress)]) < 5
