"""Running experiments: what is kept where, and what an interrupted person is told."""

from pathlib import Path
from typing import Any

import pytest

from roost.app.cli import exits, lab_experiments
from roost.app.cli.lab_experiments import Experimenting, kept_at
from roost.lab.running.asked import Asked
from tests.lab.small_experiment import ENTRY, EXPERIMENT

ASKED = Asked(ENTRY, EXPERIMENT, EXPERIMENT.full, 0, False)


def test_results_are_kept_in_the_home_that_is_named(tmp_path: Path) -> None:
    with kept_at({"ROOST_HOME": str(tmp_path)}):
        assert (tmp_path / "laboratory" / "results.sqlite").exists()


def test_without_a_home_they_are_kept_where_caches_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with kept_at({}):
        assert list(tmp_path.rglob("results.sqlite")) == [tmp_path / "roost" / "laboratory" / "results.sqlite"]


def test_who_interrupts_hears_what_is_kept_and_the_same_command_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(missing: Any, jobs: int, kept: Any, done: Any, told: Any) -> None:
        for cell in missing[:2]:
            result = cell.call(cell.argument)
            kept.put(cell, result)
            done.add(cell, result)
            told(cell)
        raise KeyboardInterrupt

    with kept_at({"ROOST_HOME": str(tmp_path)}) as kept:
        with monkeypatch.context() as patched:
            patched.setattr(lab_experiments, "run", interrupted)
            experimenting = Experimenting([ASKED], kept, fresh=False)
            assert experimenting.run(1) == exits.INTERRUPTED
            assert experimenting.outcomes == []
        assert "2 of 4 parts are done and kept, and the same command goes on" in capsys.readouterr().err
        again = Experimenting([ASKED], kept, fresh=False)
        assert again.run(1) == exits.WELL
        assert [outcome.name for outcome in again.outcomes] == ["small"]


def test_two_experiments_that_ask_the_same_run_it_once(tmp_path: Path) -> None:
    with kept_at({"ROOST_HOME": str(tmp_path)}) as kept:
        for fresh in (True, False):
            experimenting = Experimenting([ASKED, ASKED], kept, fresh=fresh)
            assert experimenting.run(1) == exits.WELL
            assert len(experimenting.outcomes) == 2
