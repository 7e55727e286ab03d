"""What roost-desktops tells."""

import msgspec

from roost.lab.worlds.desktop_trials import Found
from roost.lab.worlds.desktop_words import all_findings
from tests.lab.worlds.test_desktop_trials import FOUND, TRIALS, Made


def test_findings_count_in_how_many_bags_the_default_is_sooner() -> None:
    told = list(all_findings(FOUND))
    assert "sooner in 2 of 2 bags" in told[0]
    assert "mixed, small (bfgc, " in told[0]
    assert "sooner in 2 of 2 bags and later in 0" in told[1]
    assert "roost 2" in told[2]


def test_without_the_default_it_is_only_told_who_is_soonest() -> None:
    few = msgspec.structs.replace(TRIALS, policies=("fcfs", "bfgc"))
    told = list(all_findings(Found(few, Made())))
    assert len(told) == 2
    assert "bfgc 2" in told[0]
