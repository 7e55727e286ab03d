"""What is installed."""

import os
import sys
from pathlib import Path

from roost.model.limits import ATTRIBUTE_TEXTS_MAX
from roost.runtime.machine.software import libraries_on, programs_on


def program(folder: Path, name: str, mode: int = 0o755) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("")
    (folder / name).chmod(mode)


def test_programs_are_what_can_be_run_in_the_folders_of_the_path(tmp_path: Path) -> None:
    program(tmp_path / "a", "ffmpeg")
    program(tmp_path / "b", "cc")
    program(tmp_path / "b", "ffmpeg")
    program(tmp_path / "b", "notes", 0o644)
    program(tmp_path / "b", "bell\a")
    (tmp_path / "b/folder").mkdir()
    (tmp_path / "b/broken").symlink_to("nowhere")
    path = os.pathsep.join([str(tmp_path / "a"), str(tmp_path / "b"), "", str(tmp_path / "gone")])
    assert programs_on(path) == ("cc", "ffmpeg")


def test_folders_that_depend_on_where_the_node_was_started_do_not_count(tmp_path: Path) -> None:
    program(tmp_path / "a", "cc")
    assert programs_on(os.path.relpath(tmp_path / "a")) == ()


def test_of_too_many_programs_those_of_the_first_folders_count(tmp_path: Path) -> None:
    program(tmp_path / "first", "zz")
    (tmp_path / "second").mkdir()
    for number in range(ATTRIBUTE_TEXTS_MAX):
        (tmp_path / "second" / f"a{number}").symlink_to(sys.executable)
    found = programs_on(f"{tmp_path / 'first'}{os.pathsep}{tmp_path / 'second'}")
    assert (len(found), found[-1]) == (ATTRIBUTE_TEXTS_MAX, "zz")


def test_libraries_are_called_as_package_indexes_call_them(tmp_path: Path) -> None:
    for name in ("NumPy-2.1.0.dist-info", "ruamel.yaml-0.18.dist-info", "old_one-1.0-py3.11.egg-info", "numpy", "x.py"):
        (tmp_path / name).mkdir()
    assert libraries_on([str(tmp_path), "", str(tmp_path / "gone")]) == ("numpy", "old-one", "ruamel-yaml")


def test_the_libraries_of_this_python_are_found() -> None:
    assert {"msgspec", "pytest", "pytest-xdist"} <= set(libraries_on(sys.path))
