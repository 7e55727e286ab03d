"""Naming a manual step, and answers as words."""

import pytest

from roost.app.cli.places import TypedPlace, pairs_of, place_of
from roost.model.errors import InvalidInput


@pytest.mark.parametrize(
    ("words", "place", "rest"),
    [
        (("5",), TypedPlace("5"), []),
        (("last", "verdict=ok"), TypedPlace("last"), ["verdict=ok"]),
        (("5", "check", "verdict=a/b"), TypedPlace("5", "check"), ["verdict=a/b"]),
        (("5", "check/3"), TypedPlace("5", "check", 3), []),
        (("5-kedova/check/3", "x=1", "y=2"), TypedPlace("5-kedova", "check", 3), ["x=1", "y=2"]),
        (("5/check", "x="), TypedPlace("5", "check"), ["x="]),
    ],
)
def test_a_place_is_a_run_a_task_and_an_element(words: tuple[str, ...], place: TypedPlace, rest: list[str]) -> None:
    assert place_of(words) == (place, rest)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("5/check", "check"), "'5/check' names the task, and so does 'check'; name it once"),
        (("5", "check/three"), "'three' is no element; write for example 5, or 2.5"),
        (("5", "check/-1"), "'-1' is no element"),
        (("5", "a/1/2"), "'5 a/1/2' names no step; write RUN TASK or RUN TASK/ELEMENT, as in 5 check/3"),
        (("5/",), "'5/' names no step"),
        (("/check",), "'/check' names no step"),
    ],
)
def test_what_names_no_step_is_refused(words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        place_of(words)
    assert str(refused.value).startswith(sentence)


def test_answers_are_pairs_and_may_hold_signs_of_equality() -> None:
    assert pairs_of(["a=b=c", "d="]) == {"a": "b=c", "d": ""}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["verdict"], "'verdict' is no answer; write NAME=VALUE, as in verdict=ok"),
        (["=ok"], "'=ok' is no answer; write NAME=VALUE, as in verdict=ok"),
        (["a=1", "a=2"], "'a' is given twice, as '1' and as '2'; give it once"),
    ],
)
def test_what_is_no_pair_is_refused(words: list[str], sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        pairs_of(words)
    assert str(refused.value) == sentence
