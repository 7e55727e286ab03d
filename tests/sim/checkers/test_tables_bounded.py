"""The checker of tables notices one that is larger than its limit."""

from typing import Any

import pytest

from roost.core.events import Started
from roost.sim.checkers.observer import Broken
from roost.sim.checkers.tables_bounded import LOOK_EVERY, TablesBounded


class Hoarder:
    name = "n1"

    def __init__(self, size: int) -> None:
        self.size = size

    def sizes(self) -> dict[str, tuple[int, int]]:
        return {"members": (3, 10), "bids": (self.size, 100)}


def look(size: int) -> None:
    checker: Any = TablesBounded()
    node = Hoarder(size)
    for _ in range(LOOK_EVERY):
        checker.on_event(Started(), node)


def test_a_full_table_is_no_fault() -> None:
    look(100)


def test_it_notices_a_table_beyond_its_limit() -> None:
    with pytest.raises(Broken, match="the table 'bids' of n1 holds 101, and its limit is 100"):
        look(101)
