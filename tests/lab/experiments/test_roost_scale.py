"""How Roost grows."""

from roost.lab.experiments.roost_scale import EXPERIMENT, Parameters
from tests.lab.at_once import reported

SMALL = Parameters(working_nodes=10, standing_nodes=10, plain_nodes=100, per_node=2, length_s=1.0)


def test_every_size_has_its_rows_and_measurements_are_marked() -> None:
    report = reported(EXPERIMENT, SMALL)
    whats = [row.what for row in report.rows]
    assert "10 nodes at work: make-span" in whats
    assert "10 idle nodes: bytes of a node in a second" in whats
    assert "100 nodes in a plain world: make-span" in whats
    measured = [cell for cell in EXPERIMENT.cells(SMALL, 1) if cell.is_measured]
    assert [cell.label for cell in measured] == ["what 10 nodes at work cost", "what 10 idle nodes cost"]
