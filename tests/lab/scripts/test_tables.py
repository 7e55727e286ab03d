"""The table that has all engines beside each other."""

import pytest

from roost.lab.scripts.tables import tables
from tests.lab.scripts.invented import outcome


def test_each_engine_has_a_column_and_each_size_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    (table,) = tables(outcome(monkeypatch))
    assert len(table.columns) == 6
    assert len(table.rows) == 9
    assert table.rows[2] == ("1,000,000", 19.24, 10.14, 10.0, 20.0, pytest.approx(4 / 0.31, abs=0.01))
    assert table.rows[-1] == ("1,000,000,000", 46.49, 211.36, "-", "-", "-")
