"""Every life is recorded in a file of its own, up to a bound; whatever becomes of that, the node goes on."""

import errno
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from roost.core.actions import Action
from roost.core.events import DeadlineReached, Moved
from roost.core.recording import Beginning, Ending, Frames, Step, read_recording
from roost.core.restored import Restored
from roost.model.clock import NEVER
from roost.model.limits import FAILED_LIVES_KEPT
from roost.runtime import recorder
from roost.runtime.recorder import CHUNK_STEPS, SUMMED_EVERY, TOGETHER_STEPS, Recorder, failed_lives
from tests.core.tapes import BEGINNING

MUCH = 2**20


def beginning(boot: int = 1) -> Beginning:
    return Beginning("0.1.0", BEGINNING.name, BEGINNING.capacity, Restored(boot, NEVER))


def read(path: Path) -> list[Beginning | Step | Ending]:
    with path.open("rb") as file:
        return list(read_recording(file.read, path.name))


def steps(path: Path) -> list[Step]:
    return [value for value in read(path) if isinstance(value, Step)]


def tell(made: Recorder, count: int) -> None:
    for number in range(count):
        made.note(DeadlineReached(), float(number), [])


def never(after_s: float, what: Callable[[], None]) -> None:
    """Nobody waits here: what is noted is encoded when it is much, or flushed."""


def begun(folder: Path, bytes_max: int = MUCH) -> Recorder:
    """Return a recorder whose thread has nothing to do any more."""
    made = Recorder(folder, bytes_max, beginning(), never)
    wait_for(made)
    return made


def wait_for(made: Recorder) -> None:
    assert made._writing is not None
    made._writing.result(20)


def test_a_life_is_in_a_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    made = Recorder(tmp_path, MUCH, beginning(), never)
    tell(made, 2 * SUMMED_EVERY)
    made.note(None, 99.0, None)
    path = made.close()
    assert path == tmp_path / "life-1"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    begin, *told, stamp, end = read(path)
    assert (begin, stamp, end) == (beginning(), Step(99.0, None, None, None), Ending())
    assert [step.now for step in told if isinstance(step, Step)] == [float(at) for at in range(2 * SUMMED_EVERY)]
    summed = [step.now + 1 for step in told if isinstance(step, Step) and step.checksum is not None]
    assert summed == [SUMMED_EVERY, 2 * SUMMED_EVERY]
    assert made.close() is None, "once"


def test_what_was_noted_is_on_disk_after_a_while_and_when_it_is_flushed(tmp_path: Path) -> None:
    made = begun(tmp_path)
    tell(made, CHUNK_STEPS)
    wait_for(made)
    assert len(steps(tmp_path / "life-1")) == CHUNK_STEPS
    tell(made, 3)
    made.flush()
    wait_for(made)
    assert len(steps(tmp_path / "life-1")) == CHUNK_STEPS + 3
    assert read(tmp_path / "life-1")[-1] != Ending()
    made.close()


def test_what_is_noted_is_encoded_a_moment_later(tmp_path: Path) -> None:
    due: list[Callable[[], None]] = []
    made = Recorder(tmp_path, MUCH, beginning(), lambda after_s, what: due.append(what))
    wait_for(made)
    tell(made, 3)
    assert len(due) == 1
    assert made._frames.count == 0
    due.pop()()
    assert made._frames.count == 3
    tell(made, TOGETHER_STEPS)
    assert made._frames.count == 3 + TOGETHER_STEPS, "at once if it is much"
    due.pop()()
    made.close()
    made.note(DeadlineReached(), 1.0, [])
    assert due == [], "nothing any more"
    assert len(steps(tmp_path / "life-1")) == 3 + TOGETHER_STEPS


def test_it_ends_at_its_bound_and_says_so(tmp_path: Path) -> None:
    bound = 2_000
    made = begun(tmp_path, bound)
    for number in range(20):
        made.note(Moved(os.urandom(200).hex()), float(number), [])
        made.flush()
        wait_for(made)
    path = made.close()
    assert path is not None
    assert path.stat().st_size < bound + 100, "with the note of its end"
    told = steps(path)
    assert 3 < len(told) < 10
    assert [step.now for step in told] == [float(at) for at in range(len(told))], "without a gap"
    assert read(path)[-1] == Ending(is_cut=True)


def test_a_life_that_ended_with_a_failure_is_kept_and_few_of_those(tmp_path: Path) -> None:
    for boot in range(1, 4 + FAILED_LIVES_KEPT):
        path = Recorder(tmp_path, MUCH, beginning(boot), never).close("an error \udcff")
        assert path == tmp_path / f"failed-{boot}"
        assert read(path)[-1] == Ending("an error ?")
        os.utime(path, (boot, boot))
    assert len(failed_lives(tmp_path)) == FAILED_LIVES_KEPT + 1
    for boot in (91, 92, 93):
        Recorder(tmp_path, MUCH, beginning(boot), never).close()
        os.utime(tmp_path / f"life-{boot}", (boot, boot))
    kept = [*(f"failed-{boot}" for boot in range(4, 4 + FAILED_LIVES_KEPT)), "life-92", "life-93"]
    assert sorted(path.name for path in tmp_path.iterdir()) == kept
    assert failed_lives(tmp_path)[0].name == kept[FAILED_LIVES_KEPT - 1]


def test_of_no_bytes_there_is_no_recording(tmp_path: Path) -> None:
    made = Recorder(tmp_path, 0, beginning(), never)
    tell(made, 2 * CHUNK_STEPS)
    made.flush()
    assert made.close("a fault") is None
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_not_there_costs_the_recording_and_nothing_else(tmp_path: Path) -> None:
    made = Recorder(tmp_path / "gone", MUCH, beginning(), never)
    tell(made, 2 * CHUNK_STEPS)
    assert made.close("a fault") is None


@pytest.mark.parametrize("by_half", [False, True])
def test_a_full_disk_ends_it_where_it_was_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_half: bool) -> None:
    made = begun(tmp_path)
    tell(made, CHUNK_STEPS)
    wait_for(made)
    write = os.write

    def full(file: int, data: bytes) -> int:
        if by_half:
            return write(file, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(recorder.os, "write", full)
    tell(made, 2 * CHUNK_STEPS)
    wait_for(made)
    monkeypatch.undo()
    path = made.close("a fault")
    assert path is not None
    assert len(steps(path)) == CHUNK_STEPS
    assert read(path)[-1] == Ending("a fault", is_cut=True)


def test_what_cannot_be_written_ends_it(tmp_path: Path) -> None:
    made = begun(tmp_path)
    tell(made, 3)
    made.flush()
    wait_for(made)
    made.note(Moved("\udcff"), 3.0, [])
    made.flush()
    wait_for(made)
    tell(made, 3)
    path = made.close()
    assert path is not None
    assert len(steps(path)) == 3
    assert read(path)[-1] == Ending(is_cut=True)


def test_actions_that_cannot_be_summed_up_end_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(actions: list[Action]) -> int:
        raise TypeError("what is this?")

    monkeypatch.setattr("roost.core.recording._checksum_of", fails)
    made = Recorder(tmp_path, MUCH, beginning(), never)
    tell(made, 2 * SUMMED_EVERY)
    path = made.close()
    assert path is not None
    assert read(path)[-1] == Ending(is_cut=True)


def test_a_disk_that_is_too_slow_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    chunk = Frames.chunk

    def slow(frames: Frames) -> bytes:
        go_on.wait(20)
        return chunk(frames)

    monkeypatch.setattr(Frames, "chunk", slow)
    monkeypatch.setattr(recorder, "WAITING_STEPS_MAX", 10)
    made = Recorder(tmp_path, MUCH, beginning(), never)
    tell(made, 2 * CHUNK_STEPS)
    go_on.set()
    path = made.close()
    assert path is not None
    assert read(path)[-1] == Ending(is_cut=True)
    assert steps(path) == []
