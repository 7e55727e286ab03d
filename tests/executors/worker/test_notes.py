"""Notes of what runs, which outlive everybody."""

import mmap
import os
from pathlib import Path

import pytest

from roost.executors.worker import notes
from roost.executors.worker.fronts import LANES_MAX, Fronts
from roost.executors.worker.notes import Note, Ran
from roost.model.ids import TaskId

TASK = TaskId("7-kedova/work")


def test_a_note_is_seen_through_another_mapping() -> None:
    descriptor, ours = notes.make(Path("/nowhere/notes"))
    theirs = mmap.mmap(descriptor, 0)
    os.close(descriptor)
    assert notes.running(ours) == []
    notes.pack_into(theirs, 0, 5, 2**40, 2**40, 1.5)
    assert notes.running(ours) == [Note(5, 2**40, 1.5)]
    notes.clear(theirs)
    assert notes.running(ours) == []
    ours.close()
    theirs.close()


def test_what_a_worker_ran_is_read_from_its_file(tmp_path: Path) -> None:
    descriptor, shared = notes.make(tmp_path / "functions-1")
    os.close(descriptor)
    assert list(notes.read(tmp_path / "functions-1")) == []
    notes.name(shared, TASK)
    notes.pack_into(shared, 0, 5, 2, 9, 1.5)
    assert list(notes.read(tmp_path / "functions-1")) == [Ran(TASK, 2, 9, 1.5)]
    notes.clear(shared)
    assert list(notes.read(tmp_path / "functions-1")) == []
    shared.close()


def test_what_each_lane_of_a_launcher_ran_is_read_from_its_file(tmp_path: Path) -> None:
    descriptor, _ = notes.make(tmp_path / "commands-1", LANES_MAX)
    launcher = Fronts(descriptor)
    os.close(descriptor)
    launcher.begin(1, 5, 3, TASK)
    launcher.begin(2, 6, 0, "7-kedova/other")
    assert {(ran.task, ran.first, ran.last) for ran in notes.read(tmp_path / "commands-1")} == {
        (TASK, 3, 3),
        ("7-kedova/other", 0, 0),
    }


def test_a_task_with_too_long_a_name_is_noted_without_one(tmp_path: Path) -> None:
    descriptor, shared = notes.make(tmp_path / "functions-1")
    os.close(descriptor)
    notes.name(shared, "x" * 1000)
    notes.pack_into(shared, 0, 5, 2, 2, 1.5)
    assert [ran.task for ran in notes.read(tmp_path / "functions-1")] == [""]


def test_without_a_place_for_the_file_the_processes_still_share_the_notes(tmp_path: Path) -> None:
    descriptor, shared = notes.make(tmp_path / "nowhere" / "functions-1")
    os.close(descriptor)
    notes.pack_into(shared, 0, 5, 2, 2, 1.5)
    assert notes.running(shared) == [Note(5, 2, 1.5)]
    assert list(tmp_path.iterdir()) == []


def test_without_room_for_the_file_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "posix_fallocate", full)
    descriptor, shared = notes.make(tmp_path / "functions-1")
    os.close(descriptor)
    notes.pack_into(shared, 0, 5, 2, 2, 1.5)
    assert notes.running(shared) == [Note(5, 2, 1.5)]


def test_a_file_that_is_not_there_or_cut_short_tells_nothing(tmp_path: Path) -> None:
    assert list(notes.read(tmp_path / "none")) == []
    (tmp_path / "short").write_bytes(b"abc")
    assert list(notes.read(tmp_path / "short")) == []
    notes.forget(tmp_path / "none")
