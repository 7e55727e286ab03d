"""The default beside the best published policy."""

import pytest

from roost.lab.experiments.roost_nine import Nine, cells
from roost.model.errors import InvalidInput
from tests.lab.compiled.kept_results import report_of


def test_all_eighteen_scenarios_say_whether_the_default_wins() -> None:
    report = report_of("roost-nine", Nine(8, 1e4, 2, published=("fcfs", "bfgc")))
    assert len(report.rows) == 18
    assert {row[-1] for row in report.tables[0].rows} <= {"wins", "ties", "loses"}


def test_a_policy_that_there_is_not_is_refused_before_anything_runs() -> None:
    with pytest.raises(InvalidInput, match="there is no policy 'nobody'"):
        cells(Nine(published=("nobody",)), 0)
