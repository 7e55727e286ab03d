"""People name runs in short ways; each means what it seems to mean, or is refused with a way out."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.app.intake.selectors import select_one, select_runs
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import RunId

RUNS = [RunId(text) for text in ("1-kedova", "2-bariso", "5-kedova", "5-kedupa", "12-melito")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all", ["1-kedova", "2-bariso", "5-kedova", "5-kedupa", "12-melito"]),
        ("last", ["12-melito"]),
        ("2", ["2-bariso"]),
        ("1_2", ["12-melito"]),
        ("1-10", ["1-kedova", "2-bariso", "5-kedova", "5-kedupa"]),
        ("2-12:10", ["2-bariso", "12-melito"]),
        ("12,1", ["1-kedova", "12-melito"]),
        ("last, 2, 2", ["2-bariso", "12-melito"]),
        ("5-kedo", ["5-kedova"]),
        ("12-melito", ["12-melito"]),
        ("1-k,5-kedu", ["1-kedova", "5-kedupa"]),
    ],
)
def test_a_selector_chooses_runs_in_their_own_order(text: str, expected: list[str]) -> None:
    assert select_runs(text, RUNS) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("7", "there is no run '7'"),
        ("20-30", "there is no run '20-30'"),
        ("5-x", "there is no run '5-x'"),
        ("1,7", "there is no run '7'"),
    ],
)
def test_what_chooses_nothing_is_not_found(text: str, sentence: str) -> None:
    with pytest.raises(NotFound) as caught:
        select_runs(text, RUNS)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("5", "'5' could be 5-kedova, 5-kedupa; write the letters too"),
        ("5-ked", "'5-ked' could be 5-kedova, 5-kedupa; write more letters"),
        ("latest", "'latest' does not name a run; write for example last, all, 5, 1-10 or 5-kedova"),
        ("", "'' does not name a run; write for example last, all, 5, 1-10 or 5-kedova"),
        ("9-1", "'9-1' does not name a run; write for example last, all, 5, 1-10 or 5-kedova"),
    ],
)
def test_what_is_ambiguous_or_unreadable_is_refused_with_a_way_out(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        select_runs(text, RUNS)
    assert not isinstance(caught.value, NotFound)
    assert str(caught.value) == sentence


def test_where_one_run_is_needed_several_are_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="'1-2' means 1-kedova, 2-bariso; name one run"):
        select_one("1-2", RUNS)
    with pytest.raises(InvalidInput, match=r"'all' means 1-kedova, .* and 5 more; name one run"):
        select_one("all", [RunId(f"{number}-kedova") for number in range(1, 11)])


def test_without_runs_there_is_no_last_one_and_all_is_none() -> None:
    assert select_runs("all", []) == []
    with pytest.raises(NotFound, match="there are no runs yet"):
        select_one("last", [])
    with pytest.raises(InvalidInput, match="'all' means no run"):
        select_one("all", [])


@given(st.text(max_size=30))
def test_any_text_chooses_some_runs_or_is_refused(text: str) -> None:
    chosen: list[RunId] = []
    with contextlib.suppress(InvalidInput):
        chosen = select_runs(text, RUNS)
        assert chosen
    assert set(chosen) <= set(RUNS)


@pytest.mark.parametrize("text", ["5", "5-ked", "4-5"])
def test_a_run_that_was_forgotten_is_said_to_be(text: str) -> None:
    with pytest.raises(NotFound, match="5-kedova was forgotten; nothing of it is kept"):
        select_runs(text, [RunId("1-bababa")], lambda: [RunId("5-kedova")])
    with pytest.raises(NotFound, match="there is no run '7'"):
        select_runs("7", [RunId("1-bababa")], lambda: [RunId("5-kedova")])
