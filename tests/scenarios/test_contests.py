"""Contests as the documents tell them, played by the product's nodes: who wants work when, and who runs what."""

from pathlib import Path

import pytest

from tests.scenarios.contest_stage import play
from tests.scenarios.recorded import check

SCENARIOS = sorted(Path(__file__).parent.glob("contest_*.txt"))


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_a_contest_goes_as_its_scenario_says(scenario: Path) -> None:
    check(scenario, play)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_in_the_end_every_task_has_one_node_as_all_know(scenario: Path) -> None:
    _, _, recorded = scenario.read_text(encoding="utf-8").partition("----\n")
    ends = [line for line in recorded.splitlines() if line.startswith("in the end ")]
    assert ends
    for line in ends:
        assert line.count(" runs on ") + line.count(" is done by ") == 1, line


def test_the_situations_of_the_documents_are_all_there() -> None:
    names = {path.stem.removeprefix("contest_") for path in SCENARIOS}
    dice = {"1", "2", "3_branch_1", "3_branch_2_1", "3_branch_2_2", "3_branch_2_2_1"}
    assert {f"dice_situation_{situation}" for situation in dice} <= names
    assert {"lan_figure_3_11", "lan_algorithm_3_2", "lan_partition_heals"} <= names


@pytest.mark.parametrize("line", ["at noon sn1 sleeps", "at 5 sn1 sleeps", "gifts of sn1 come at 5", "until noon"])
def test_a_scenario_with_unknown_words_is_not_played(line: str) -> None:
    with pytest.raises(ValueError, match=f"a scenario cannot say '{line}'"):
        play(f"nodes sn1\n{line}")


def test_a_scenario_with_an_unknown_node_is_not_played() -> None:
    with pytest.raises(ValueError, match="a scenario has no node 'sn2'"):
        play("nodes sn1\nsn1 hands in T1\nat 5 sn2 is idle")
