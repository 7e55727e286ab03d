"""Checksums of rows: whatever is changed is seen."""

import sqlite3
from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from roost.runtime.journal.checksums import COVERED, is_sound, selecting, sum_of
from roost.runtime.journal.schema import open_file

VALUES = st.one_of(st.integers(-(2**63), 2**63 - 1), st.binary(), st.text(alphabet="abc/-"), st.floats(allow_nan=False))


@given(st.binary(min_size=1, max_size=200), st.data())
def test_a_flipped_bit_is_always_found(content: bytes, data: st.DataObject) -> None:
    at, bit = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 7))
    flipped = bytearray(content)
    flipped[at] ^= 1 << bit
    row = ("5-kedova/resize", 3, content)
    assert is_sound((*row, sum_of(row)))
    assert not is_sound(("5-kedova/resize", 3, bytes(flipped), sum_of(row)))


@given(st.lists(VALUES, min_size=1))
def test_a_row_that_comes_back_from_the_database_has_its_sum(values: list[object]) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'c{at}' for at in range(len(values)))}, crc)")
        marks = ", ".join("?" for _ in range(len(values) + 1))
        connection.execute(" ".join(("INSERT INTO t VALUES", f"({marks})")), (*values, sum_of(values)))
        assert is_sound(connection.execute("SELECT * FROM t").fetchone())


def test_every_table_has_a_checksum_over_all_columns_but_those_that_say_nothing_new(tmp_path: Path) -> None:
    writer, reader = open_file(tmp_path / "journal.db")
    with closing(writer), closing(reader):
        tables = {row[0] for row in reader.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        # A file that is wrongly called an orphan is looked for among the needed ones before it is removed.
        assert tables - COVERED.keys() == {"damage", "orphans"}
        for table in COVERED:
            columns = {row[1] for row in reader.execute(f"PRAGMA table_info({table})")}
            assert columns - {*COVERED[table]} <= {"crc", "seq", "ended", "key"}
            reader.execute(selecting(table))
