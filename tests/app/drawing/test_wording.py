"""Numbers in words."""

import pytest

from roost.app.drawing.wording import count_of, taken_over


@pytest.mark.parametrize(("number", "words"), [(0, "0 runs"), (1, "1 run"), (12_345, "12,345 runs")])
def test_a_count_has_its_plural(number: int, words: str) -> None:
    assert count_of(number, "run") == words


def test_what_was_taken_over_is_said_if_there_is_some() -> None:
    assert taken_over({"taken_over": 0}) == ""
    assert taken_over({"taken_over": 1_400}) == "1,400 taken over"
