"""Views count what they show."""

from roost.core.telling.views import ENDED, STATES, RunView, TaskView
from roost.model.record import RunRecord
from tests.core.harness import ranges, run_spec, task


def test_a_task_counts_its_elements_in_the_order_of_an_elements_life() -> None:
    view = TaskView(task("a", 5), {"done": ranges("0-2"), "waiting": ranges("3-4"), "failed": ranges("")})
    assert list(view.counts().items()) == [("waiting", 2), ("done", 3)]


def test_a_run_knows_how_much_of_it_has_ended() -> None:
    counts = dict.fromkeys(STATES, 1)
    view = RunView(RunRecord(run_spec()), "running", counts, 1)
    assert (view.total, view.ended) == (8, 4)
    assert set(ENDED) < set(STATES)
