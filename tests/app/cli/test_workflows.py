"""Workflow files as commands take them."""

import os
from pathlib import Path

import pytest

from roost.app.cli.workflows import described, is_file_name, read_and_warn, simulation_of, summary_line
from roost.languages.outline import Outline, Reading
from roost.languages.trace.simulation import Simulation
from roost.model.errors import InvalidInput


def test_words_are_files_if_they_look_like_one_or_are_one(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    words = ("a.yaml", "b/c.DAX", "x.json", str(tmp_path / "plain"), str(tmp_path / "pipe"))
    assert [is_file_name(word) for word in words] == [True] * 5
    assert [is_file_name(word) for word in ("5", "last", "5-kedova", "5/resize", str(tmp_path))] == [False] * 5


def test_scales_mean_something_only_with_a_simulation() -> None:
    assert simulation_of(False, None, None) is None
    assert simulation_of(True, 0.5, None) == Simulation(0.5, 1.0)
    assert simulation_of(True, None, 0.0) == Simulation(1.0, 0.0)
    with pytest.raises(InvalidInput, match="only mean something with --simulate"):
        simulation_of(False, 2.0, None)


@pytest.mark.parametrize("scale", [float("nan"), float("inf"), -1.0, 1e7])
def test_a_scale_that_is_no_sensible_number_is_refused(scale: float) -> None:
    with pytest.raises(InvalidInput, match=r"--time-scale is .*; use a number from 0 to 1,000,000"):
        simulation_of(True, scale, None)
    with pytest.raises(InvalidInput, match="--size-scale is "):
        simulation_of(True, None, scale)


def test_what_is_known_only_at_run_time_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "flow.yaml"
    path.write_text("tasks: {}")
    tasks = [
        {"name": "a", "array": "1-1_000"},
        {"name": "b", "items": [1, 2]},
        {"name": "c", "sized_by": "a"},
        {"name": "d", "edges": [{"source": "a", "kind": "spread", "port": "x"}]},
        {"name": "e", "array": None, "items": None},
    ]
    about = described(path, Reading({"name": "work", "tasks": tasks}, Outline("work", (), (), ()), ["untidy"]))
    assert (about["elements"], about["sized_at_run_time"], about["links"], about["warnings"]) == (
        1003,
        2,
        1,
        ["untidy"],
    )
    assert "1,003 elements and those of 2 steps whose number shows at run time" in summary_line(about)


def test_what_is_untidy_goes_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "commands.txt"
    path.write_text("echo one\necho two\n")
    reading = read_and_warn(path, {})
    assert len(reading.outline.nodes) == len(reading.submission["tasks"])
    assert capsys.readouterr() == ("", "".join(f"roost: {warning}\n" for warning in reading.warnings))
