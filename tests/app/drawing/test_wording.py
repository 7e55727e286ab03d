"""Numbers in words."""

import pytest

from roost.app.drawing.wording import count_of, evenly, taken_over


@pytest.mark.parametrize(("number", "words"), [(0, "0 runs"), (1, "1 run"), (12_345, "12,345 runs")])
def test_a_count_has_its_plural(number: int, words: str) -> None:
    assert count_of(number, "run") == words


def test_what_was_taken_over_is_said_if_there_is_some() -> None:
    assert taken_over({"taken_over": 0}) == ""
    assert taken_over({"taken_over": 1_400}) == "1,400 taken over"


@pytest.mark.parametrize(
    ("index", "variance", "words"),
    [
        (0.5, 12_500.0, "Jain's index 0.5 and variance 1.25e+04 of elements"),
        (1.0, None, "Jain's index 1 of elements"),
        (None, 0.0, "variance 0 of elements"),
        (None, None, "nothing to measure of elements"),
    ],
)
def test_how_evenly_something_is_shared_out_is_said_as_far_as_it_is_known(
    index: float | None, variance: float | None, words: str
) -> None:
    assert evenly({"jains_index": index, "variance": variance}, "elements") == words
