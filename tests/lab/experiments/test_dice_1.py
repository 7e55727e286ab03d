"""DICE's first experiment."""

from roost.lab.experiments.dice_1 import EXPERIMENT, Parameters, Setup, report_of
from tests.lab.at_once import AtOnce

SMALL = Parameters(seeds=1, has_long=False, has_arrays=True)


def test_the_experiment_is_that_of_the_slides() -> None:
    from_slides = EXPERIMENT.cells(EXPERIMENT.quick, 1)[1].argument
    assert (from_slides.devices, from_slides.shares) == (4, (128,))  # type: ignore[attr-defined]


def test_both_protocols_stand_side_by_side_at_every_loss() -> None:
    report = report_of(Setup(4, (12,)), SMALL, 1, AtOnce())
    by_what = {row.what: row.reproduced for row in report.rows}
    assert by_what["tasks of 1 s, loss 0%: executions of a task, Roost"] == 1.0
    roost = by_what["tasks of 1 s, loss 20%: executions of a task, Roost"]
    dice = by_what["tasks of 1 s, loss 20%: executions of a task, DICE's protocol"]
    assert isinstance(roost, float)
    assert isinstance(dice, float)
    assert roost < dice
    assert len(report.tables[0].rows) == 10
    assert all(row.published is None for row in report.rows)
