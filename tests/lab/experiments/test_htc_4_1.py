"""HTC table 4.1."""

import pytest

from roost.lab.compiled.nine_scenarios import Size
from tests.lab.compiled.kept_results import report_of


def test_executions_per_task_are_those_that_are_published() -> None:
    """A tenth of the nodes and of the work: executions per task depend on neither."""
    rows = {row.what: row for row in report_of("htc-4.1", Size(100, 1e8, 2)).rows}
    for workload, published in (("small", 1.413), ("medium", 1.641), ("large", 3.633)):
        row = rows[f"{workload} tasks: executions per task"]
        assert row.published == published
        assert row.reproduced == pytest.approx(published, rel=0.03)
