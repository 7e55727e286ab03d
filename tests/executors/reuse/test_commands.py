"""The program, and the files that the words of a command name."""

from pathlib import Path

import pytest

from roost.executors.reuse import files as module
from roost.executors.reuse.basis import Basis, NotReusable
from roost.executors.reuse.commands import command_basis
from roost.executors.reuse.files import Files
from roost.model.task import Command, Protocol
from roost.wire.values import encode_item
from tests.executors.lab import Orders


def basis(command: Command, *items: str) -> Basis:
    packed = [encode_item(item) for item in items] or None
    return command_basis(Orders().make(command, len(items) or 1, items=packed), command, Files())


def test_words_that_are_files_in_the_folder_count(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text("x")
    (tmp_path / "data.csv").write_text("y")
    found = basis(Command(("python3", "tool.py", "--in=data.csv", "other"), str(tmp_path)))
    assert {"file tool.py", "file data.csv", "program python3"} <= set(found.common.told)
    assert found.common.files[f"{tmp_path}/other"] is None
    assert not found.own


def test_an_element_counts_the_file_that_its_item_names(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x")
    found = basis(Command(("cat", "{item}"), str(tmp_path)), "a.csv", "b.csv")
    assert [set(own.told) for own in found.own] == [{"file a.csv"}, set()]


def test_variables_name_files_but_no_folders(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("x")
    environment = {"CONFIG": "c.toml", "HOME": str(tmp_path), "ITEM": "{item}"}
    found = basis(Command(("true",), str(tmp_path), environment), "c.toml")
    assert set(found.common.told) == {"file c.toml", "program true"}
    assert set(found.own[0].told) == {"file c.toml"}


def test_variables_that_stand_for_placeholders_of_a_shell_name_folders_too(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    command = Command(
        ("sh", "-c", 'ls "${roost_inputs_raw}"'), str(tmp_path), {"roost_inputs_raw": str(tmp_path / "raw")}
    )
    assert "file raw" in basis(command).common.told


def test_what_it_declares_to_leave_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("x")
    command = Command(("cp", "in.txt", "out.txt"), str(tmp_path), outputs={"o": "out.txt"})
    assert set(basis(command).common.told) == {"program cp"}


def test_in_a_fresh_folder_only_files_from_the_root_count(tmp_path: Path) -> None:
    (tmp_path / "tool.py").write_text("x")
    found = basis(Command(("python3", str(tmp_path / "tool.py"), "tool.py")))
    assert set(found.common.told) == {f"file {tmp_path}/tool.py", "program python3"}


def test_a_folder_that_an_item_names_is_filled_in_first(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "tool.sh").write_text("x")
    found = basis(Command(("sh", "tool.sh"), f"{tmp_path}/{{item}}"), "one", "two")
    assert [set(own.told) for own in found.own] == [{"file tool.sh", "program sh"}, {"program sh"}]


@pytest.mark.parametrize(
    "command",
    [
        Command(("true", "{run}")),
        Command(("true",), env={"X": "{task}"}),
        Command(("true",), protocol=Protocol.LAN),
    ],
)
def test_what_no_other_run_has_and_what_is_left_elsewhere_is_not_reused(command: Command) -> None:
    with pytest.raises(NotReusable):
        basis(command)


def test_a_folder_with_many_files_keeps_a_step_from_being_reused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REUSE_FOLDER_FILES_MAX", 0)
    (tmp_path / "a").write_text("x")
    with pytest.raises(NotReusable, match="names the folder"):
        basis(Command(("ls", str(tmp_path))))


def test_work_that_asks_for_the_index_is_known(tmp_path: Path) -> None:
    (tmp_path / "tool.sh").write_text("echo $ROOST_INDEX")
    assert not basis(Command(("echo",))).asks_index
    assert basis(Command(("echo", "{i}"))).asks_index
    assert basis(Command(("sh", "-c", "echo $ROOST_INDEX"))).asks_index
    assert basis(Command(("sh", "tool.sh"), str(tmp_path))).common.asks_index
