"""DICE's second experiment."""

from roost.lab.experiments.dice_2 import EXPERIMENT, SETUP


def test_the_experiment_is_that_of_the_slides() -> None:
    assert (SETUP.devices, SETUP.shares, SETUP.tasks) == (8, (32, 32, 32, 32), 128)
    assert len(EXPERIMENT.cells(EXPERIMENT.quick, 1)) == 2 * 5
    assert len(EXPERIMENT.cells(EXPERIMENT.full, 1)) == 10 * (2 * 10 + 5)
