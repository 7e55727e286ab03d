"""Results that are kept on disk by what was asked."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.lab.experiment import Cell
from roost.lab.running import kept as kept_module
from roost.lab.running.kept import KEPT_S, Kept, key_of
from roost.model.errors import Unavailable
from tests.lab.small_experiment import Number, Square, refuse, square

NOW = 1_000_000.0
CELL = Cell("four", square, Number(4, 0))
SIXTEEN = Square(16, 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "results.sqlite"


@pytest.fixture
def kept(path: Path) -> Iterator[Kept]:
    kept = Kept(path, NOW)
    yield kept
    kept.close()


def reopened(path: Path, now: float = NOW) -> Square | None:
    kept = Kept(path, now)
    try:
        return kept.get(CELL)
    finally:
        kept.close()


def test_what_was_kept_is_there_in_the_next_process(kept: Kept, path: Path) -> None:
    assert kept.get(CELL) is None
    kept.put(CELL, SIXTEEN)
    assert kept.get(CELL) == SIXTEEN == reopened(path)


@pytest.mark.parametrize("other", [Cell("four", square, Number(4, 1)), Cell("four", refuse, Number(4, 0))])
def test_another_seed_or_function_is_another_question(kept: Kept, other: Cell[Square]) -> None:
    kept.put(CELL, SIXTEEN)
    assert kept.get(other) is None


def test_the_label_and_the_cost_are_no_part_of_the_question() -> None:
    assert key_of(Cell("else", square, Number(4, 0), cost=9.0)) == key_of(CELL)


def test_results_of_other_code_are_not_taken(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.put(CELL, SIXTEEN)
    monkeypatch.setattr(kept_module, "fingerprint_of", lambda module: b"other")
    assert kept.get(CELL) is None


def test_measurements_are_never_kept(kept: Kept) -> None:
    measured = CELL._replace(is_measured=True)
    kept.put(measured, SIXTEEN)
    assert kept.get(measured) is kept.get(CELL) is None


def test_what_nobody_asks_for_is_dropped_in_time_and_what_is_asked_for_stays(kept: Kept, path: Path) -> None:
    kept.put(CELL, SIXTEEN)
    assert reopened(path, NOW + KEPT_S) == SIXTEEN
    assert reopened(path, NOW + 2 * KEPT_S) == SIXTEEN
    assert reopened(path, NOW + 3 * KEPT_S + 1) is None


def test_a_damaged_file_is_made_anew(kept: Kept, path: Path) -> None:
    kept.put(CELL, SIXTEEN)
    kept.close()
    path.write_bytes(b"no database at all, and long enough to be taken for one")
    assert reopened(path) is None


def test_a_damaged_result_is_run_again(kept: Kept, path: Path) -> None:
    kept.put(CELL, SIXTEEN)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE results SET result = x'00'")
    connection.close()
    assert kept.get(CELL) is None


def test_everything_can_be_forgotten(kept: Kept) -> None:
    kept.put(CELL, SIXTEEN)
    assert kept.forget() == 1
    assert kept.get(CELL) is None


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "deep").write_text("a file")
    with pytest.raises(Unavailable, match=r"results\.sqlite cannot be used: .*; check its folder, or set ROOST_HOME"):
        Kept(tmp_path / "deep" / "results.sqlite", NOW)
