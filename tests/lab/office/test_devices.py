"""DICE's protocol does what its slides say."""

import pytest

from roost.lab.office.devices import Devices, Shared, Timing

ONE = (0,) * 16


def shared(owners: tuple[int, ...], devices: int, loss: float = 0.0, seed: int = 1, length_s: float = 1.0) -> Shared:
    return Devices(owners, devices, length_s, loss, seed, Timing()).run()


def test_a_device_alone_runs_one_task_after_the_other() -> None:
    """Time window, situation 1: nobody else tries."""
    outcome = shared(ONE, 1)
    assert outcome.make_span_s == pytest.approx(16 * (1.0 + Timing().window_s))
    assert (outcome.begun, outcome.copies) == (16, 0)


def test_without_loss_every_task_ends_once() -> None:
    for seed in range(5):
        outcome = shared(ONE, 4, seed=seed)
        assert (outcome.ended, outcome.repeated) == (16, 0)
        assert outcome.make_span_s < 4 * 1.0 + 1.0


def test_several_devices_share_what_several_hand_in() -> None:
    outcome = shared((0, 1, 2, 3) * 8, 8)
    assert outcome.ended == 32
    assert 4.0 < outcome.make_span_s < 6.0


def test_every_task_ends_though_messages_are_lost_and_some_end_twice() -> None:
    outcomes = [shared(ONE * 4, 4, loss=0.2, seed=seed) for seed in range(5)]
    assert all(outcome.ended >= 64 for outcome in outcomes)
    assert sum(outcome.repeated for outcome in outcomes) > 10


def test_more_loss_means_more_executions() -> None:
    begun = [sum(shared(ONE * 4, 4, loss=loss, seed=seed).begun for seed in range(5)) for loss in (0.0, 0.05, 0.2)]
    assert begun == sorted(begun)


def test_a_long_task_is_told_of_every_second() -> None:
    """Task's execution process: RUNNING comes periodically until DONE."""
    short, long = (shared((0,), 2, length_s=length_s).messages for length_s in (1.0, 11.0))
    assert long == short + 10


def test_the_same_seed_gives_the_same() -> None:
    assert shared(ONE, 4, loss=0.1, seed=3) == shared(ONE, 4, loss=0.1, seed=3)
