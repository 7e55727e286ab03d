"""A bounded table keeps what is used."""

from roost.wire.bounded import Bounded


def test_the_entry_that_was_not_looked_up_for_longest_goes_first() -> None:
    table: Bounded[str, int] = Bounded(2)
    assert not table.put("a", 1)
    assert not table.put("b", 2)
    assert table.get("a") == 1
    assert table.put("c", 3)
    assert [key in table for key in "abc"] == [True, False, True]
    assert len(table) == 2


def test_replacing_an_entry_pushes_no_other_out() -> None:
    table: Bounded[str, int] = Bounded(2)
    table.put("a", 1)
    table.put("b", 2)
    assert not table.put("a", 3)
    assert (table.get("a"), table.get("b")) == (3, 2)


def test_what_is_discarded_is_gone_and_makes_room() -> None:
    table: Bounded[str, int] = Bounded(1)
    table.put("a", 1)
    table.discard("a")
    table.discard("never there")
    assert table.get("a") is None
    assert not table.put("b", 2)


def test_asking_whether_an_entry_is_there_is_no_use_of_it() -> None:
    table: Bounded[str, int] = Bounded(2)
    table.put("a", 1)
    table.put("b", 2)
    assert "a" in table
    table.put("c", 3)
    assert "a" not in table
