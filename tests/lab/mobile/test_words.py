"""Words that people write as parameters, and paragraphs that they read."""

import pytest

from roost.lab.mobile.words import checked_word, paragraphs
from roost.model.errors import InvalidInput


def test_a_known_word_is_returned() -> None:
    assert checked_word("movement", "still", ("still", "waypoint")) == "still"


def test_of_an_unknown_word_it_is_said_which_there_are() -> None:
    with pytest.raises(InvalidInput, match=r"there is no movement .*hop.*; there are still, waypoint"):
        checked_word("movement", "hop", ("still", "waypoint"))


def test_paragraphs_stand_between_empty_lines_and_have_one_line_each() -> None:
    assert paragraphs("\nOne\nand a half.\n\nTwo.\n\n") == ("One and a half.", "Two.")
