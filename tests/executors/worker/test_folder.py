"""Files of commands."""

import os
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.executors.worker.folder import Folder, Scratch, collect, earlier_files, make_room, remove_leftovers
from roost.model.errors import InvalidInput
from tests.executors.lab import make_places


def test_an_empty_folder_serves_again_and_a_used_one_does_not(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path / "s")
    first = scratch.take()
    assert scratch.give(first)
    assert scratch.take() == first
    (first / "f").touch()
    assert not scratch.give(first)
    assert scratch.take() != first
    assert not scratch.give(tmp_path / "gone")


def test_who_declares_outputs_gets_a_folder_that_no_other_program_knows(tmp_path: Path) -> None:
    scratch, places = Scratch(tmp_path / "s"), make_places(tmp_path / "home")
    first = scratch.take()
    assert scratch.give(first)
    assert Folder(scratch, places, unused=True).path != first
    assert Folder(scratch, places).path == first


def test_an_element_that_needs_no_folder_makes_none(tmp_path: Path) -> None:
    folder = Folder(Scratch(tmp_path / "s"), make_places(tmp_path / "home"))
    assert folder.give_back()
    folder.remove()
    assert not (tmp_path / "s").exists()


def test_inputs_are_staged_under_their_names(tmp_path: Path) -> None:
    places = make_places(tmp_path / "home")
    places.blob_path("abc").write_text("content")
    folder = Folder(Scratch(tmp_path / "s"), places)
    path = Path(folder.stage("abc", "left", 3, "out.csv"))
    assert path.parts[-4:] == ("inputs", "left", "3", "out.csv")
    assert path.read_text() == "content"
    assert folder.stage("abc", "left", 3, "out.csv") == str(path)
    with pytest.raises(InvalidInput, match="no longer in the blob store"):
        folder.stage("gone", "left", 4, "out.csv")
    assert not folder.give_back()
    folder.remove()
    assert not path.exists()
    assert places.blob_path("abc").read_text() == "content"


def test_outputs_are_moved_from_scratch_and_copied_from_elsewhere(tmp_path: Path) -> None:
    places = make_places(tmp_path / "home")
    content = blake2b(b"x", digest_size=16).hexdigest()
    for earlier in ({}, None):
        (tmp_path / "f").write_bytes(b"x")
        assert collect({"a": "f"}, tmp_path, places, earlier) == {"a": (content, 1)}
        assert (tmp_path / "f").exists() is (earlier is not None)
    assert [path.name for path in places.blobs.iterdir()] == [content]
    assert places.blob_path(content).stat().st_mode & 0o777 == 0o444


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    places = make_places(tmp_path / "home")
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    collect({"a": "link"}, tmp_path, places, None)
    assert (tmp_path / "real").read_bytes() == b"x"


def test_a_file_of_an_earlier_attempt_is_not_taken_for_this_one_s(tmp_path: Path) -> None:
    places = make_places(tmp_path / "home")
    (tmp_path / "f").write_bytes(b"old")
    earlier = earlier_files({"a": "f", "b": "g"}, tmp_path)
    assert list(earlier) == ["a"]
    with pytest.raises(InvalidInput, match="did not write the file f that it declares; the one that is there is older"):
        collect({"a": "f"}, tmp_path, places, earlier)
    (tmp_path / "g").write_bytes(b"new")
    (tmp_path / "g").replace(tmp_path / "f")
    assert collect({"a": "f"}, tmp_path, places, earlier)["a"][1] == 3


def test_the_folders_of_outputs_are_there_before_the_program(tmp_path: Path) -> None:
    make_room({"a": "f", "b": "out/deep/model.bin"}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "deep").is_dir()
    with pytest.raises(InvalidInput, match="inside the task's own folder"):
        make_room({"a": "../outside/f"}, tmp_path)


@pytest.mark.parametrize("path", ["../f", "/etc/passwd", "missing", "folder"])
def test_what_is_not_a_file_inside_is_refused_and_nothing_is_left(tmp_path: Path, path: str) -> None:
    places = make_places(tmp_path / "home")
    inside = tmp_path / "in"
    (inside / "folder").mkdir(parents=True)
    (tmp_path / "f").touch()
    with pytest.raises(InvalidInput):
        collect({"a": path}, inside, places, None)
    assert os.listdir(places.blobs) == []  # noqa: PTH208 -- hidden files count too


def test_leftovers_of_other_families_are_removed(tmp_path: Path) -> None:
    for name in ("commands-aa-1", "commands-bb-2", "commands-bb-3", "other"):
        (tmp_path / name).mkdir()
    remove_leftovers(tmp_path / "commands-bb-3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["commands-bb-2", "commands-bb-3", "other"]
