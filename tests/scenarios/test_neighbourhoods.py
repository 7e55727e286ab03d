"""Coordinators and unknown tasks as the documents tell of them: text scenarios, and what must come out."""

from pathlib import Path

import pytest

from tests.scenarios.neighbourhood_stage import play
from tests.scenarios.recorded import check

HERE = Path(__file__).parent
SCENARIOS = sorted([*HERE.glob("election_*.txt"), *HERE.glob("repair_*.txt")])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_a_neighbourhood_does_as_its_scenario_says(scenario: Path) -> None:
    check(scenario, play)


def test_the_figures_of_the_document_are_all_there() -> None:
    names = {path.stem for path in SCENARIOS}
    assert {"election_lan_figure_3_9", "repair_lan_figure_3_10", "election_lan_figure_3_12"} <= names


@pytest.mark.parametrize("line", ["at noon sn1 joins", "at 5 sn1 sings", "sn1 joins"])
def test_a_scenario_with_unknown_words_is_not_played(line: str) -> None:
    with pytest.raises(ValueError, match=f"cannot play '{line}'"):
        play(f"node sn1 reputation 0 tasks 0\n{line}")
