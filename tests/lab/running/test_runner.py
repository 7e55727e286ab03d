"""Cells run once each, side by side or alone, and what is done stays."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roost.lab.experiment import Cell
from roost.lab.running.kept import Kept
from roost.lab.running.runner import Done, kept_results, run
from roost.model.errors import InvalidInput
from tests.lab.small_experiment import Number, Square, refuse, square

CELLS = [Cell(f"square of {value}", square, Number(value, 0)) for value in range(5)]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    kept = Kept(tmp_path / "results.sqlite", 0.0)
    yield kept
    kept.close()


def ran(cells: list[Cell[Square]], kept: Kept, jobs: int = 1) -> tuple[Done, list[str]]:
    done, told = Done(), []
    missing = kept_results(cells, kept, done)
    run(missing, jobs, kept, done, lambda cell: told.append(cell.label))
    return done, told


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_are_found_by_their_cells(kept: Kept, jobs: int) -> None:
    done, told = ran(CELLS, kept, jobs)
    assert [done.of(cell).value for cell in CELLS] == [0, 1, 4, 9, 16]
    assert sorted(told) == sorted(cell.label for cell in CELLS)


def test_the_same_question_is_run_once(kept: Kept) -> None:
    _, told = ran([CELLS[2], Cell("the same", square, Number(2, 0)), CELLS[3]], kept)
    assert told == ["square of 2", "square of 3"]


def test_what_is_kept_is_not_run_again(kept: Kept) -> None:
    first, _ = ran(CELLS, kept)
    second, told = ran(CELLS, kept)
    assert told == []
    assert [second.of(cell) for cell in CELLS] == [first.of(cell) for cell in CELLS]


def test_measurements_come_last_and_are_run_each_time(kept: Kept) -> None:
    cells = [CELLS[0]._replace(is_measured=True), *CELLS[1:3]]
    assert ran(cells, kept)[1] == ["square of 1", "square of 2", "square of 0"]
    assert ran(cells, kept)[1] == ["square of 0"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_cell_refuses_is_told_with_its_label(kept: Kept, jobs: int) -> None:
    cells = [Cell("the seventh", refuse, Number(7, 0)), CELLS[1]]
    with pytest.raises(InvalidInput, match="the seventh: 7 cannot be squared"):
        ran(cells, kept, jobs)


def test_what_is_done_before_somebody_has_enough_stays(kept: Kept) -> None:
    done = Done()

    def enough(cell: Cell[Any]) -> None:
        if cell is CELLS[2]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(CELLS, 1, kept, done, enough)
    assert done.has_all(CELLS[:3])
    assert not done.has_all(CELLS[:4])
    assert [kept.get(cell) is not None for cell in CELLS] == [True, True, True, False, False]
