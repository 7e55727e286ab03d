"""Where engines are."""

from pathlib import Path

import pytest

from roost.lab.scripts.engine import NotMeasured
from roost.lab.scripts.finding import PROGRAMS, program


def executable(path: Path) -> Path:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _nothing_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "path").mkdir()
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr("sys.executable", str(tmp_path / "bin" / "python"))
    for variable, _ in PROGRAMS.values():
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("engine", PROGRAMS)
def test_an_engine_that_is_not_there_is_named_with_the_way_out(engine: str) -> None:
    with pytest.raises(NotMeasured, match=f"install it, or name it in {PROGRAMS[engine][0]}"):
        program(engine)


def test_an_engine_is_found_on_the_path_by_any_of_its_names(tmp_path: Path) -> None:
    chrome = executable(tmp_path / "path" / "google-chrome")
    assert program("chromium") == chrome


def test_an_engine_is_found_beside_python(tmp_path: Path) -> None:
    deno = executable(tmp_path / "bin" / "deno")
    assert program("deno") == deno


def test_the_environment_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(tmp_path / "path" / "node")
    other = executable(tmp_path / "other")
    monkeypatch.setenv("ROOST_LAB_NODE", str(other))
    assert program("node") == other


def test_a_name_in_the_environment_that_is_no_program_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_LAB_NODE", "/nowhere/node")
    with pytest.raises(NotMeasured, match="ROOST_LAB_NODE names '/nowhere/node', which is no program"):
        program("node")
