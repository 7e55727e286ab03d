"""How many copies have to answer."""

from decimal import Decimal

import pytest

from roost.lab.availability.consistency import Consistency, asked, level_of
from roost.model.errors import InvalidInput


@pytest.mark.parametrize(
    ("level", "of_three", "of_four", "of_one"), [("ONE", 1, 1, 1), ("QUORUM", 2, 3, 1), ("ALL", 3, 4, 1)]
)
def test_levels_ask_one_most_or_all(level: str, of_three: int, of_four: int, of_one: int) -> None:
    assert (asked(level, 3), asked(level, 4), asked(level, 1)) == (of_three, of_four, of_one)


def test_a_number_asks_so_many_and_never_more_than_there_are() -> None:
    assert asked("2", 3) == 2
    with pytest.raises(InvalidInput, match="4 of 3 copies can never answer"):
        asked("4", 3)


@pytest.mark.parametrize("text", ["", "some", "0", "65", "-1", "1.5"])
def test_what_is_no_level_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="is no consistency"):
        level_of(text)


def test_levels_are_written_as_one_likes() -> None:
    assert level_of(" quorum ") == "QUORUM"


@pytest.mark.parametrize(
    ("read", "write", "is_fresh"), [("ONE", "ONE", False), ("ONE", "ALL", True), ("QUORUM", "QUORUM", True)]
)
def test_reads_see_the_last_write_if_both_have_a_copy_in_common(read: str, write: str, is_fresh: bool) -> None:
    assert Consistency(read, write).sees_last_write(5) is is_fresh


def test_a_mix_is_weighted_by_the_share_of_reads() -> None:
    mix = Consistency("ONE", "ALL", Decimal("0.75"))
    assert mix.nodes_asked(5) == Decimal("2.00")
    assert mix.mixed(Decimal("0.1"), Decimal("0.5")) == Decimal("0.200")
