"""Progress of a function."""

import pytest

from roost.executors.worker import progress


@pytest.fixture
def heard() -> list[tuple[float, str]]:
    return []


def test_outside_of_a_worker_nothing_happens() -> None:
    progress.report(0.5, "nobody listens")


def test_fractions_stay_between_nothing_and_all(heard: list[tuple[float, str]]) -> None:
    progress.listen(lambda fraction, note: heard.append((fraction, note)))
    try:
        progress.report(0.4, "fold 2")
        progress.report(7)
        progress.report(-1)
    finally:
        progress.listen(None)
    progress.report(0.9)
    assert heard == [(0.4, "fold 2"), (1.0, ""), (0.0, "")]
