"""Starting programs."""

import os
from pathlib import Path

import pytest

from roost.executors.worker.spawn import Programs, enter, spawn
from roost.model.errors import InvalidInput


@pytest.fixture
def null() -> int:
    return os.open(os.devnull, os.O_RDWR)


def test_a_program_leads_a_group_of_its_own(null: int) -> None:
    pid = spawn("/bin/sh", ["sh", "-c", "sleep 600"], {}, null, null, null)
    assert os.getpgid(pid) == pid
    assert os.getsid(pid) == os.getsid(0)
    os.killpg(pid, 9)
    assert os.waitstatus_to_exitcode(os.wait4(pid, 0)[1]) == -9
    os.close(null)


def test_programs_are_found_along_the_path_and_remembered(tmp_path: Path) -> None:
    program = tmp_path / "tool"
    program.write_text("#!/bin/sh\n")
    path = f"/nowhere:{tmp_path}".encode()
    programs = Programs()
    with pytest.raises(InvalidInput, match="the program 'tool' was not found"):
        programs.find("tool", path)
    program.chmod(0o755)
    assert programs.find("tool", path) == str(program)
    program.unlink()
    assert programs.find("tool", path) == str(program)
    programs.forget()
    with pytest.raises(InvalidInput):
        programs.find("tool", path)
    assert programs.find("./tool", path) == "./tool"


def test_a_folder_is_entered_or_refused_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    enter(str(tmp_path))
    assert Path.cwd() == tmp_path
    for folder, reason in (
        (f"{tmp_path}/no", "is not there"),
        ("relative", "from the root"),
        ("/etc/passwd", "not a folder"),
    ):
        with pytest.raises(InvalidInput, match=reason):
            enter(folder)


def test_words_that_no_program_can_get_are_refused(null: int) -> None:
    with pytest.raises(InvalidInput, match="zero byte"):
        spawn("/bin/true", ["true", "a\0b"], {}, null, null, null)
    with pytest.raises(InvalidInput, match="empty"):
        spawn("/bin/true", [], {}, null, null, null)
    os.close(null)
