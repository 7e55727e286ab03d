"""Descriptions of work, and works put together."""

import pytest

from roost.lab.what_if.work import Link, Measured, Task, Uniform, Work, described_work, draw_lengths, joined
from roost.model.errors import InvalidInput
from roost.model.limits import WHAT_IF_ELEMENTS_MAX
from roost.model.task import EdgeKind
from tests.lab.what_if.asking import array, work


def test_a_description_says_how_many_and_how_long() -> None:
    (task,) = described_work("1,000 x 20m").tasks
    assert (len(task.elements), task.lengths, task.stated_s, task.owner) == (1000, Uniform(1200.0, 1200.0), 1200.0, "")
    (task,) = described_work("anna: 500 x 5m-25m", 3).tasks
    assert (task.name, task.lengths, task.stated_s, task.owner) == ("work4", Uniform(300.0, 1500.0), 900.0, "anna")


@pytest.mark.parametrize(
    "text", ["", "20m", "x 20m", "0 x 20m", "10 x soon", "10 x 20m-5m", "10 x 5m-", f"{WHAT_IF_ELEMENTS_MAX + 1} x 1s"]
)
def test_what_is_no_description_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="--work"):
        described_work(text)


def test_several_works_stand_one_behind_the_other() -> None:
    first = work(array("a", 1.0), array("b", 1.0, after=[(0, EdgeKind.ALL)]))
    both = joined([first, first])
    assert [task.links for task in both.tasks] == [
        (),
        (Link(0, EdgeKind.ALL),),
        (),
        (Link(2, EdgeKind.ALL),),
    ]
    assert both.elements == 4
    assert joined([described_work("anna: 1 x 1s"), described_work("1 x 1s")]).owners == ["anna", ""]


def test_work_without_anything_to_run_or_with_too_much_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing to run"):
        joined([Work((Task("value", (0, 1), Uniform(0.0, 0.0), is_run=False),))])
    with pytest.raises(InvalidInput, match="at most"):
        joined([described_work(f"{WHAT_IF_ELEMENTS_MAX} x 1s"), described_work("1 x 1s")])


def test_lengths_are_those_that_were_measured_or_drawn_anew_for_each_world() -> None:
    task = Task("a", (5, 8), Measured((1.0, 2.0, 3.0)))
    assert draw_lengths(Work((task,)), "1") == [{5: 1.0, 6: 2.0, 7: 3.0}]
    drawn = described_work("100 x 5s-25s")
    (one,), (same,), (other,) = (draw_lengths(drawn, seed) for seed in "112")
    assert one == same != other
    assert all(5.0 <= seconds <= 25.0 for seconds in one.values())
    assert sum(one.values()) / 100 == pytest.approx(15.0, abs=2.0)
