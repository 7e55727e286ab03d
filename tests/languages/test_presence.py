from pathlib import Path
from typing import Any

import pytest

from roost.languages.presence import lacking


def found(*commands: dict[str, Any]) -> list[str]:
    return lacking({"tasks": [{"name": f"t{at}", "command": command} for at, command in enumerate(commands)]})


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "run-me"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_programs_are_found_on_the_path_of_the_command_in_its_folder_and_by_their_full_names(program: Path) -> None:
    folder = str(program.parent)
    assert found({"argv": ["run-me"], "env": {"PATH": folder}}) == []
    assert found({"argv": ["./run-me"], "cwd": folder}, {"argv": [str(program)]}) == []


def test_programs_that_are_not_there_are_told_once(program: Path) -> None:
    program.chmod(0o644)
    empty = {"PATH": str(program.parent / "none")}
    gone = [{"argv": [name], "env": empty} for name in ("a", "b", "a", "/no/x", "./x")]
    assert found(*gone) == [
        "this machine lacks the programs 'a', 'b', '/no/x', './x'; tasks that need what is missing fail"
    ]
    assert found({"argv": ["./run-me"], "cwd": str(program.parent)}) != []


def test_folders_that_are_not_there_are_told(program: Path) -> None:
    assert found({"argv": [str(program)], "cwd": "/no/such"}) == [
        "this machine lacks the folder '/no/such'; tasks that need what is missing fail"
    ]


def test_what_is_filled_in_later_is_not_looked_for() -> None:
    assert found({"argv": ["{item}"], "cwd": "/no/{i}"}, {"argv": ["./x"], "cwd": "/no/{i}"}) == []
    assert lacking({"tasks": [{"name": "f", "function": {"call": "a:b"}}]}) == []
    assert found({"argv": ["x"], "program": "kept"}) == []
