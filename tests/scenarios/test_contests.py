"""Contests as the documents tell them: text scenarios of who wants work when, and what must come out."""

from pathlib import Path

import pytest

from tests.scenarios.contest_stage import play

SCENARIOS = sorted(Path(__file__).parent.glob("contest_*.txt"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_a_contest_goes_as_its_scenario_says(scenario: Path) -> None:
    situation, expected = scenario.read_text(encoding="utf-8").split("----\n")
    assert play(situation).splitlines() == expected.strip().splitlines()


def test_the_situations_of_the_documents_are_all_there() -> None:
    names = {path.stem.removeprefix("contest_") for path in SCENARIOS}
    dice = {"1", "2", "3_branch_1", "3_branch_2_1", "3_branch_2_2", "3_branch_2_2_1"}
    assert {f"dice_situation_{situation}" for situation in dice} <= names
    assert {"lan_figure_3_11", "lan_algorithm_3_2"} <= names


def test_a_scenario_with_an_unknown_word_is_not_played() -> None:
    with pytest.raises(ValueError, match="cannot say 'at noon device1 sleeps'"):
        play("at noon device1 sleeps")
