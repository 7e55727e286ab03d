"""Files by content, large ones and programs by size and time, folders by what lies in them."""

import os
from pathlib import Path

import pytest

from roost.executors.reuse import files as module
from roost.executors.reuse.files import Files, TooManyFiles, candidates, program_digest


def test_content_counts_and_nothing_else(tmp_path: Path) -> None:
    files, path = Files(), tmp_path / "a.py"
    path.write_text("one")
    first = files.digest(str(path))
    os.utime(path, ns=(1, 1))
    assert files.digest(str(path)) == first
    path.write_text("two")
    assert files.digest(str(path)) != first
    assert not files.is_still(str(path), first)
    path.write_text("one")
    assert files.is_still(str(path), first)


def test_what_is_not_there_has_no_digest(tmp_path: Path) -> None:
    files, path = Files(), str(tmp_path / "none")
    assert files.digest(path) is files.file_digest(path) is None
    assert files.is_still(path, None)
    assert files.digest("bad\0name") is None
    assert files.file_digest(str(tmp_path)) is None


def test_the_content_of_large_files_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REUSE_CONTENT_BYTES_MAX", 2)
    files, path = Files(), tmp_path / "large"
    path.write_bytes(b"one")
    os.utime(path, ns=(1, 1))
    first = files.digest(str(path))
    path.write_bytes(b"two")
    os.utime(path, ns=(1, 1))
    assert files.digest(str(path)) == first
    os.utime(path, ns=(2, 2))
    assert files.digest(str(path)) != first


def test_a_folder_counts_with_all_that_lies_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a").write_text("x")
    first = files.digest(str(tmp_path))
    assert files.digest(str(tmp_path)) == first
    (tmp_path / "b").write_text("y")
    assert files.digest(str(tmp_path)) != first
    monkeypatch.setattr(module, "REUSE_FOLDER_FILES_MAX", 1)
    with pytest.raises(TooManyFiles):
        files.digest(str(tmp_path))
    assert not files.is_still(str(tmp_path), first)


def test_a_file_that_asks_for_the_index_is_known(tmp_path: Path) -> None:
    files, path = Files(), tmp_path / "a.sh"
    path.write_text("echo $ROOST_INDEX")
    assert not files.asks_index(str(path))
    files.digest(str(path))
    assert files.asks_index(str(path))


def test_words_of_shells_and_options_may_name_files() -> None:
    found = list(candidates(["python3", "-c", "cat a.txt|sort>b.txt", "--config=c.toml", "", "d e.txt"]))
    assert {"python3", "a.txt", "b.txt", "c.toml", "d e.txt", "e.txt"} <= set(found)
    assert not {"-c", ""} & set(found)


def test_a_program_counts_with_its_place_size_and_time(tmp_path: Path) -> None:
    program = tmp_path / "tool"
    absent = program_digest("tool", str(tmp_path))
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    first = program_digest("tool", str(tmp_path))
    assert first != absent
    os.utime(program, ns=(1, 1))
    assert program_digest("tool", str(tmp_path)) != first
