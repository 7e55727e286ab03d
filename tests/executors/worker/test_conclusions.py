"""After the end of a program."""

import errno
import os
import socket
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import monotonic

import msgspec
import pytest

from roost.executors.orphans import MARK_VARIABLE, living
from roost.executors.worker import conclusions
from roost.executors.worker.capture import Capture
from roost.executors.worker.conclusions import Conclusions
from roost.executors.worker.element import Element, Prepared
from roost.executors.worker.finisher import Finisher
from roost.executors.worker.folder import Folder, Scratch
from roost.executors.worker.messages import FROM_CHILD, Done, Failed, FromChild, Returned
from roost.executors.worker.outbox import Outbox
from roost.model.ranges import RangeSet
from roost.model.task import Failure
from roost.wire.frames import FrameReader
from roost.wire.values import CommandResult, decode_command_result
from tests.executors.lab import make_places

#: Larger than any pid or group can be.
NOBODY = 2**30
WELL = CommandResult(stdout=b"out", duration_s=0.5)


class Scene:
    def __init__(self, root: Path) -> None:
        self.node, self.channel = socket.socketpair()
        self.places = make_places(root / "home")
        self.outbox = Outbox(self.channel)
        self.finisher = Finisher()
        self.conclusions = Conclusions(self.outbox, self.finisher, self.places)
        self.scratch = Scratch(root / "scratch")
        self._root = root

    def element(self, **outputs: str) -> Element:
        folder = Folder(self.scratch, self.places)
        captures = [Capture(-1, lambda name: self._root / name, name) for name in ("stdout", "stderr")]
        prepared = Prepared(folder, str(folder.path), outputs, None, f"conclusions-{os.getpid()}.")
        return Element(1, 3, NOBODY, captures[0], captures[1], prepared, 0.0)

    def sent(self) -> list[FromChild]:
        self.outbox.flush()
        data = self.node.recv(1 << 20)
        return [part for message in FrameReader().feed(data) for part in FROM_CHILD.decode(message)]


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    scene = Scene(tmp_path)
    yield scene
    scene.node.close()
    scene.channel.close()


def test_an_element_without_files_is_told_at_once_and_its_folder_serves_again(scene: Scene) -> None:
    element = scene.element()
    scene.conclusions.conclude(element, WELL)
    (done,) = scene.sent()
    assert isinstance(done, Done)
    assert (done.busy_s, decode_command_result(done.segments[0].values()[0])) == (0.5, WELL)
    assert scene.scratch.take() == element.prepared.folder.path


def test_files_are_collected_before_word_is_sent(scene: Scene) -> None:
    element = scene.element(table="out.csv")
    (element.prepared.folder.path / "out.csv").write_text("1")
    scene.conclusions.conclude(element, WELL)
    assert scene.outbox.due is None
    scene.finisher.conclude()
    assert scene.outbox.urgent
    (done,) = scene.sent()
    assert isinstance(done, Done)
    content, size = decode_command_result(done.segments[0].values()[0]).files["table"]
    assert (scene.places.blob_path(content).read_text(), size) == ("1", 1)
    assert not element.prepared.folder.path.exists()


@pytest.mark.parametrize(("blobs_gone", "reason"), [(False, "did not leave the file"), (True, "could not be kept")])
def test_files_that_are_missing_or_cannot_be_kept_are_a_failure(scene: Scene, blobs_gone: bool, reason: str) -> None:
    element = scene.element(table="out.csv")
    if blobs_gone:
        (element.prepared.folder.path / "out.csv").write_text("1")
        scene.places.blobs.rmdir()
    scene.conclusions.conclude(element, WELL)
    scene.finisher.conclude()
    (failed,) = scene.sent()
    assert isinstance(failed, Failed)
    assert reason in failed.failure.reason


@pytest.mark.parametrize(("number", "comes_back"), [(errno.ENOSPC, True), (errno.EIO, False)])
def test_an_element_whose_files_find_no_room_comes_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, number: int, comes_back: bool
) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise OSError(number, os.strerror(number))

    element = scene.element(table="out.csv")
    (element.prepared.folder.path / "out.csv").write_text("1")
    monkeypatch.setattr(Path, "replace", refuse)
    scene.conclusions.conclude(element, WELL)
    scene.finisher.conclude()
    (word,) = scene.sent()
    if comes_back:
        assert word == Returned(1, RangeSet.span(3, 4), "its files could not be kept: No space left on device")
    else:
        assert isinstance(word, Failed)
    assert not element.prepared.folder.path.exists()


@pytest.mark.parametrize("full", [True, False])
def test_a_program_that_fails_while_the_disk_is_full_comes_back(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    monkeypatch.setattr(conclusions, "is_full", lambda _: full)
    element = scene.element()
    (element.prepared.folder.path / "half").touch()
    failure = Failure("exit code 1", exit_code=1)
    scene.conclusions.conclude(element, failure)
    scene.finisher.conclude()
    returned = Returned(1, RangeSet.span(3, 4), "it ended with exit code 1 when no room was left for its files")
    assert scene.sent() == [returned if full else Failed(1, 3, failure)]


def test_a_failure_clears_away_what_the_program_left(scene: Scene) -> None:
    element = scene.element(table="out.csv")
    (element.prepared.folder.path / "half").touch()
    scene.conclusions.conclude(element, Failure("exit code 1"))
    scene.finisher.conclude()
    assert scene.sent() == [Failed(1, 3, Failure("exit code 1"))]
    assert not element.prepared.folder.path.exists()


def test_a_stopped_element_is_returned_once_nothing_of_it_lives(scene: Scene) -> None:
    element = scene.element()
    with subprocess.Popen(["sleep", "600"], env={MARK_VARIABLE: element.prepared.mark}) as left:
        # For a moment after its start a program has no environment yet.
        while not living(element.prepared.mark):
            pass
        scene.conclusions.when_dead(element, partial(scene.conclusions.give_back, element), monotonic())
        while scene.outbox.due is None:
            scene.finisher.conclude()
        assert scene.sent() == [Returned(1, RangeSet.span(3, 4))]
        assert left.wait(30) == -9


def mapped(element: Element) -> Element:
    element.prepared = msgspec.structs.replace(element.prepared, is_mapped=True)
    return element


def test_the_lines_of_a_command_that_a_pool_maps_are_counted(scene: Scene) -> None:
    scene.conclusions.conclude(mapped(scene.element()), CommandResult(stdout=b"a\nb\n"))
    (done,) = scene.sent()
    assert isinstance(done, Done)
    assert done.lengths == ((3, 2),)


def test_output_that_was_cut_cannot_be_mapped(scene: Scene) -> None:
    scene.conclusions.conclude(mapped(scene.element()), CommandResult(stdout=b"a\n", stdout_whole=("ab", 9)))
    (failed,) = scene.sent()
    assert isinstance(failed, Failed)
    assert "is longer than" in failed.failure.reason
