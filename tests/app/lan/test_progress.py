"""States and percentages as LAN writes them."""

import pytest

from roost.app.lan.progress import has_ended, progress_of
from roost.app.lan.protocol import LanState, Progress
from roost.core.telling.views import STATES, RunningElement, TaskView
from roost.model.clock import zero
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Command, TaskSpec

TASK = TaskId("1-kedova/import")


def view(states: dict[str, str], *fractions: float | None) -> TaskView:
    ranges = {state: RangeSet.parse(text) for state, text in states.items()}
    elements = RangeSet.of(index for part in ranges.values() for index in part)
    spec = TaskSpec(TASK, RunId("1-kedova"), Command(("true",)), elements, zero(NodeId("ash")))
    running = tuple(RunningElement(TASK, index, 1.0, fraction) for index, fraction in enumerate(fractions))
    return TaskView(spec, ranges, running)


@pytest.mark.parametrize(
    ("state", "lan", "percent", "ended"),
    [
        ("waiting", LanState.SUBMITTED, 0, False),
        ("ready", LanState.READY, 0, False),
        ("running", LanState.RUNNING, 0, False),
        ("suspended", LanState.SUSPENDED, 0, False),
        ("done", LanState.TERMINATED, 100, True),
        ("failed", LanState.ABORTED, 0, True),
        ("cancelled", LanState.CANCELLED, 0, True),
        ("aborted", LanState.ABORTED, 0, True),
    ],
)
def test_every_state_has_a_name_of_lan_s(state: str, lan: LanState, percent: int, ended: bool) -> None:
    """LAN 3.3, property 5, and table 2.1."""
    progress = progress_of(view({state: "0"}), "u")
    assert progress == Progress("u", lan, percent)
    assert has_ended(progress) == ended


def test_no_state_was_forgotten() -> None:
    for state in STATES:
        assert (progress_of(view({state: "0"}), "u").state is LanState.TERMINATED) == (state == "done")


def test_the_percentage_of_a_task_is_what_its_program_says() -> None:
    assert progress_of(view({"running": "0"}, 0.4), "u").percent == 40
    assert progress_of(view({"running": "0"}, None), "u").percent == 0
    assert progress_of(view({"running": "0"}, 0.999), "u").percent == 99
    assert progress_of(view({"running": "0"}, 0.29), "u").percent == 29


def test_an_array_is_as_far_as_its_elements_together() -> None:
    assert progress_of(view({"done": "2-3", "running": "0-1", "ready": "4"}, 0.5, 0.25), "u") == Progress(
        "u", LanState.RUNNING, 55
    )
    assert progress_of(view({"done": "0-8", "failed": "9"}), "u") == Progress("u", LanState.ABORTED, 90)
    assert progress_of(view({"done": "0", "cancelled": "1"}), "u") == Progress("u", LanState.CANCELLED, 50)


def test_what_was_done_is_not_forgotten_when_it_stops_but_when_it_begins_anew() -> None:
    last = Progress("u", LanState.RUNNING, 40)
    for state in ("suspended", "cancelled", "failed"):
        assert progress_of(view({state: "0"}), "u", last).percent == 40
    for state in ("ready", "running"):
        assert progress_of(view({state: "0"}), "u", last).percent == 0
