"""What htc-2.5 tells."""

import msgspec

from roost.lab.experiments.htc_2_5 import EXPERIMENT
from roost.lab.store_queue.findings import Found
from roost.lab.store_queue.settings import Settings
from roost.lab.store_queue.words import all_findings
from tests.lab.store_queue.test_findings import Two


def test_each_finding_names_what_came_out() -> None:
    told = list(all_findings(Found(Settings(EXPERIMENT.quick, 1), Two())))
    assert "85.0 %" in told[0]
    assert "50 %" in told[3]


def test_without_80_nodes_nothing_is_said_of_them() -> None:
    few = msgspec.structs.replace(EXPERIMENT.quick, sizes=(20,))
    told = list(all_findings(Found(Settings(few, 1), Two())))
    assert any("Nothing is said here of 80 nodes" in one for one in told)
