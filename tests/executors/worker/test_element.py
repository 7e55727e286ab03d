"""A running program: attention in time, and how its end is judged."""

import os
import signal
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path

import pytest

from roost.executors.worker.capture import Capture
from roost.executors.worker.element import GRACE_S, PROGRESS_INTERVAL_S, SPILL_S, WATCH_S, Element, Prepared, Why
from roost.executors.worker.folder import Folder, Scratch
from roost.model.task import Failure
from roost.wire.values import CommandResult
from tests.executors.lab import is_alive, make_places, process_state

Make = Callable[..., Element]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make elements that began at 100; their programs really run."""
    started: list[int] = []
    places = make_places(tmp_path / "home")

    def made(*, limit_s: float | None = None, lan: bool = False) -> Element:
        pid = os.posix_spawn("/bin/sleep", ["sleep", "600"], {}, setpgroup=0)
        started.append(pid)
        captures = [Capture(-1, lambda name: tmp_path / name, stream) for stream in ("stdout", "stderr")]
        prepared = Prepared(Folder(Scratch(tmp_path / "s"), places), "/", {}, {}, "mark")
        element = Element(1, 0, pid, captures[0], captures[1], prepared, 100.0)
        element.limit_s = limit_s
        if lan:
            read, write = os.pipe()
            element.speak_lan(write)
            made.inputs.append(read)  # type: ignore[attr-defined]
        return element

    made.inputs = []  # type: ignore[attr-defined]
    yield made
    for pid in started:
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            continue
    for descriptor in made.inputs:  # type: ignore[attr-defined]
        os.close(descriptor)


def status_of(element: Element) -> int:
    return os.waitpid(element.pid, 0)[1]


def test_it_needs_attention_at_the_right_times(make: Make) -> None:
    element = make(limit_s=5)
    assert element.due == 100 + WATCH_S
    assert not element.is_to_be_watched(100)
    assert element.is_to_be_watched(element.due)
    assert not element.is_to_be_watched(200)
    assert element.due == 100 + SPILL_S
    element.attend(element.due)
    assert element.due == 105


def test_a_program_that_takes_too_long_is_told_to_end_and_then_made_to(make: Make) -> None:
    element = make(limit_s=5)
    assert element.is_to_be_watched(104)
    element.attend(104)
    assert element.why is None
    element.attend(105)
    assert element.why is Why.TIME
    status = status_of(element)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGTERM
    assert element.due == 105 + GRACE_S
    element.attend(element.due)
    assert element.due == inf
    failure = element.judge(status, 7, 107)
    assert isinstance(failure, Failure)
    assert (failure.reason, failure.duration_s, failure.peak_memory_bytes) == ("took longer than 5 s", 7.0, 7 * 1024)


def test_time_in_which_it_was_frozen_does_not_count(make: Make) -> None:
    element = make(limit_s=5)
    element.attend(101)
    element.is_to_be_watched(101)
    element.pause(102)
    element.pause(103)
    while process_state(element.pid) != "T":
        pass
    assert element.due == inf
    element.resume(112)
    element.resume(113)
    assert element.due == 115
    element.attend(114)
    assert element.why is None


def test_a_frozen_program_that_is_stopped_can_obey(make: Make) -> None:
    element = make()
    element.pause(101)
    element.stop(102)
    element.stop(102)
    assert element.why is Why.STOPPED
    assert os.waitstatus_to_exitcode(status_of(element)) == -signal.SIGTERM


def test_progress_is_measured_out_and_the_newest_counts(make: Make) -> None:
    element = make()
    element.take(element.stdout, b"::progress 10\nnoise\n::progress 20 x\n", 101)
    first = element.take_progress(101)
    assert first is not None
    assert (first.fraction, first.note) == (0.2, "x")
    element.take(element.stdout, b"::progress 30\n", 101.01)
    assert element.take_progress(101.02) is None
    element.is_to_be_watched(101)
    element.attend(101)
    assert element.due == pytest.approx(101 + PROGRESS_INTERVAL_S)
    later = element.take_progress(element.due)
    assert later is not None
    assert later.fraction == 0.3
    assert element.take_progress(200) is None


@pytest.mark.parametrize(
    ("status", "reason"),
    [(0, None), (3 << 8, "exit code 3"), (9, "killed by signal 9 (SIGKILL)")],
)
def test_the_end_of_a_plain_program(make: Make, status: int, reason: str | None) -> None:
    element = make()
    element.take(element.stdout, b"out\n", 101)
    element.stderr.take(b"err\n")
    outcome = element.judge(status, None, 102)
    if reason is None:
        assert outcome == CommandResult(stdout=b"out\n", stderr=b"err\n", duration_s=2.0)
    else:
        assert isinstance(outcome, Failure)
        assert (outcome.reason, outcome.detail, outcome.peak_memory_bytes) == (reason, "err\nout", None)


@pytest.mark.parametrize(
    ("output", "status", "expected"),
    [
        (b"TERMINATED 1 2\n", 0, ("1", "2")),
        (b"PROGRESS 9\nTERMINATED", 0, ()),
        (b"TERMINATED 1\n", 15, ("1",)),
        (b"TERMINATED 1\n", 1 << 8, "exit code 1"),
        (b"ERROR no data\n", 0, "no data"),
        (b"CANCELLED\n", 0, "said CANCELLED, though nobody had asked it to end"),
        (b"", 0, "ended without saying TERMINATED, as a LAN program must"),
        (b"", 2 << 8, "exit code 2"),
    ],
)
def test_the_end_of_a_lan_program(make: Make, output: bytes, status: int, expected: object) -> None:
    element = make(lan=True)
    element.take(element.stdout, output, 101)
    outcome = element.judge(status, None, 102)
    element.close_channel()
    assert (outcome.datasets if isinstance(outcome, CommandResult) else outcome.reason) == expected


def test_a_lan_program_that_has_said_all_should_leave(make: Make) -> None:
    element = make(lan=True)
    element.take(element.stdout, b"TERMINATED 1\n", 101)
    assert os.read(make.inputs[0], 10) == b"", "its input is closed"  # type: ignore[attr-defined]
    element.attend(101 + GRACE_S)
    assert os.waitstatus_to_exitcode(status_of(element)) == -signal.SIGTERM


def test_a_lan_program_is_asked_before_it_is_forced(make: Make) -> None:
    element = make(lan=True)
    element.stop(101)
    assert os.read(make.inputs[0], 10) == b"CANCEL\n"  # type: ignore[attr-defined]
    assert is_alive(element.pid)
    element.attend(101 + GRACE_S)
    assert os.waitstatus_to_exitcode(status_of(element)) == -signal.SIGTERM
    element.close_channel()
