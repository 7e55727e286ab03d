"""`roost convert`."""

import json
from pathlib import Path

import pytest

from tests.app.cli.conftest import Roost

FLOW = "tasks:\n  list: {command: ls, cwd: scratch}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flow.yaml").write_text(FLOW)
    return tmp_path


def test_a_file_is_written_in_another_language(roost: Roost, folder: Path) -> None:
    assert roost("convert", "flow.yaml", "new/flow.dax") == (0, "new/flow.dax\n", "")
    assert '<job id="list" name="ls"' in (folder / "new/flow.dax").read_text()
    assert roost("check", "new/flow.dax").code == 0


def test_commands_keep_their_bytes(roost: Roost, folder: Path) -> None:
    (folder / "jobs.txt").write_bytes(b"cat 'caf\xe9'\n")
    assert roost("convert", "jobs.txt", "copy.txt") == (0, "copy.txt\n", "")
    assert (folder / "copy.txt").read_bytes() == b"cat 'caf\xe9'\n"


def test_what_is_there_stays_unless_it_is_forced(roost: Roost, folder: Path) -> None:
    (folder / "flow.json").write_text("mine")
    ended = roost("convert", "flow.yaml", "flow.json")
    assert ended == (2, "", "roost: flow.json is there already; --force writes over it\n")
    assert (folder / "flow.json").read_text() == "mine"
    forced = roost("convert", "flow.yaml", "flow.json", "--force", "--json")
    assert json.loads(forced.out) == {"written": ["flow.json"], "warnings": []}
    assert json.loads((folder / "flow.json").read_text())["schemaVersion"] == "1.5"


def test_a_file_that_is_wrong_or_missing_writes_nothing(roost: Roost, folder: Path) -> None:
    (folder / "bad.yaml").write_text("tasks:\n  a: {needs: b, command: ls}\n")
    ended = roost("convert", "bad.yaml", "bad.dax")
    assert ended.code == 2
    assert ended.err.startswith("roost: bad.yaml:2: ")
    assert roost("convert", "none.yaml", "none.dax").code == 3
    assert sorted(path.name for path in folder.iterdir()) == ["bad.yaml", "flow.yaml"]


def test_a_published_workflow_needs_none_of_its_files(roost: Roost, folder: Path) -> None:
    (folder / "w.dax").write_text('<adag><job id="a" name="x" runtime="1"><uses file="in" link="input"/></job></adag>')
    ended = roost("convert", str(folder / "w.dax"), str(folder / "w.json"))
    assert (ended.code, ended.out) == (0, f"{folder / 'w.json'}\n")
    assert '"inputFiles": [\n' in (folder / "w.json").read_text()
