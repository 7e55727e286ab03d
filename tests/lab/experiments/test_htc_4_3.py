"""HTC table 4.3."""

from roost.lab.compiled.wrong_lengths import WrongLengths
from tests.lab.compiled.kept_results import report_of


def test_each_policy_and_scenario_has_its_inaccuracy_and_its_dropped_tasks() -> None:
    rows = report_of("htc-4.3", WrongLengths(20, 1e7, 1, (1.0, 3.0))).rows
    assert len(rows) == 36
    assert rows[-1].published == "none up to 3"
