"""Which simulated elements kill their nodes."""

from roost.model.ids import TaskId
from roost.sim.poison import is_poison

A = TaskId("1-bababa/a")


def test_about_the_wanted_share_kills_and_it_is_always_the_same() -> None:
    killers = [index for index in range(2000) if is_poison(A, index, 0.1)]
    assert 150 < len(killers) < 250
    assert killers == [index for index in range(2000) if is_poison(A, index, 0.1)]
    assert set(killers) < {index for index in range(2000) if is_poison(A, index, 0.2)}


def test_none_or_all() -> None:
    assert not any(is_poison(A, index, 0.0) for index in range(100))
    assert all(is_poison(A, index, 1.0) for index in range(100))
