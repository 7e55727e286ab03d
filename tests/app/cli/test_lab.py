"""`roost lab`: experiments beside published figures."""

import json
from pathlib import Path

import pytest

from roost.lab.catalogue import ENTRIES
from roost.lab.running import asked as asked_module
from tests.app.cli.conftest import Roost
from tests.lab import small_experiment


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every experiment is a small one."""
    monkeypatch.setattr(asked_module, "load", lambda name: small_experiment.EXPERIMENT)


@pytest.fixture
def runs() -> list[int]:
    small_experiment.RUNS[0] = 0
    return small_experiment.RUNS


def test_each_experiment_is_listed_with_its_section(roost: Roost) -> None:
    lines = roost("lab", "list").out.splitlines()
    assert len(lines) == len(ENTRIES)
    assert lines[1].split("  ")[0] == "htc-3.1"
    assert "HTC 3.4.1, table 3.1" in lines[1]
    told = json.loads(roost("lab", "list", "--json").out)
    assert [one["name"] for one in told] == [entry.name for entry in ENTRIES]
    assert set(told[0]) == {"name", "document", "section", "title"}
    assert roost("lab").out.splitlines() == lines


@pytest.mark.usefixtures("small")
def test_published_figures_stand_beside_what_came_out(roost: Roost) -> None:
    ended = roost("lab", "run", "htc-3.1", "--quick", "--jobs", "1")
    assert ended.code == 0
    assert ended.out.startswith("htc-3.1: Availability when networks fail (4 figures, 2 hold, 1 differ)\n")
    lines = [line.split() for line in ended.out.splitlines()]
    assert ["1", "squared", "1", "1", "m²", "0", "holds"] in lines
    assert ["<b>differs</b>", "10", "1", "-9", "differs"] in lines
    assert ended.out.endswith("Squares grow.\n")


@pytest.mark.usefixtures("small")
def test_as_json_there_are_rows(roost: Roost) -> None:
    told = json.loads(roost("lab", "run", "htc-3.1", "--quick", "--jobs", "1", "--json").out)
    assert [row["what"] for row in told["rows"]] == ["0 squared", "1 squared", "nobody knows", "<b>differs</b>"]
    assert {"published", "reproduced", "difference", "reading"} <= set(told["rows"][0])


@pytest.mark.usefixtures("small")
def test_of_many_experiments_each_has_one_line(roost: Roost) -> None:
    ended = roost("lab", "run", "all", "--quick", "--jobs", "1")
    assert len(ended.out.splitlines()) == len(ENTRIES)


@pytest.mark.usefixtures("small")
def test_the_same_is_not_run_twice_unless_it_is_asked_for(roost: Roost, runs: list[int]) -> None:
    roost("lab", "run", "htc-3.1", "--jobs", "1")
    assert runs == [4]
    roost("lab", "run", "htc-3.2", "--jobs", "1", "--set", "up-to=5")
    assert runs == [5]
    roost("lab", "run", "htc-3.1", "--jobs", "1", "--fresh")
    assert runs == [9]
    roost("lab", "run", "htc-3.1", "--jobs", "1", "--seed", "1")
    assert runs == [13]


@pytest.mark.usefixtures("small")
def test_a_report_is_made_of_what_was_run_and_runs_nothing(roost: Roost, runs: list[int], tmp_path: Path) -> None:
    refused = roost("lab", "report", "htc-3.1", "--quick")
    assert (refused.code, refused.err) == (
        2,
        "roost: nothing of it was run to its end; 'roost lab run htc-3.1 --quick' does\n",
    )
    roost("lab", "run", "htc-3.1", "--quick", "--jobs", "1")
    before = runs[0]
    page, text, data = (tmp_path / f"lab.{ending}" for ending in ("html", "md", "json"))
    for path in (page, text, data):
        assert roost("lab", "report", "htc-3.1", "--quick", "-o", str(path)).out == f"{path}\n"
    assert page.read_text().startswith("<!doctype html>")
    assert text.read_text().startswith("# Roost's laboratory\n")
    assert len(json.loads(data.read_text())["rows"]) == 4
    assert runs == [before]


@pytest.mark.parametrize(
    ("output", "sentence"),
    [("lab.pdf", "a report is a file that ends in .html, .json, .md"), ("no/lab.html", "there is no folder no")],
)
@pytest.mark.usefixtures("small")
def test_a_report_that_cannot_be_written_is_refused_before_anything_runs(
    roost: Roost, runs: list[int], output: str, sentence: str
) -> None:
    ended = roost("lab", "run", "htc-3.1", "-o", output)
    assert ended.code == 2
    assert sentence in ended.err
    assert runs == [0]


@pytest.mark.usefixtures("small")
def test_what_is_kept_can_be_forgotten(roost: Roost) -> None:
    roost("lab", "run", "htc-3.1", "--quick", "--jobs", "1")
    assert json.loads(roost("lab", "forget", "--json").out) == {"forgotten": 2}
    assert roost("lab", "forget").err == "roost: 0 results were dropped\n"


def test_an_unknown_experiment_is_refused(roost: Roost) -> None:
    ended = roost("lab", "run", "htc-9")
    assert (ended.code, ended.err) == (2, "roost: there is no experiment 'htc-9'; 'roost lab list' names them\n")
