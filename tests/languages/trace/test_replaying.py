from typing import Any

import pytest

from roost.languages.trace.names import output_names
from roost.languages.trace.recorded import recorded_of
from roost.languages.trace.replaying import Replay
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Trace, TraceProblems, TraceTask
from roost.model.recorded import Replayed


def replayed(
    task: TraceTask, sizes: dict[str, int] | None, scale: Simulation | None = None
) -> tuple[dict[str, Any], Replay, TraceProblems]:
    problems = TraceProblems()
    replay = Replay(Trace("w", [task], sizes), scale or Simulation(), problems)
    made = replay.work(0, task, task.inputs, {}, output_names(task.outputs))
    return made["command"], replay, problems


def test_a_task_becomes_a_placeholder_of_its_runtime_and_sizes() -> None:
    task = TraceTask("a", outputs=["x", "sub/y {i}"], seconds=4)
    command, replay, problems = replayed(task, {"x": 10, "sub/y {i}": 3000}, Simulation(0.5, 0.1))
    assert not problems
    assert recorded_of(command) == Replayed(2.0, {"x": 1, "sub/y {i}": 300})
    assert command["outputs"] == {"x": "x", "y__i_": "sub/y {{i}}"}
    assert replay.warnings() == []


def test_files_that_would_lead_out_stay_inside() -> None:
    command, _, _ = replayed(TraceTask("a", outputs=["/etc/passwd", "../x"], seconds=0), {"/etc/passwd": 1, "../x": 1})
    assert command["outputs"] == {"passwd": "etc/passwd", "x": "x"}


@pytest.mark.parametrize(
    ("task", "place", "sentence"),
    [
        (TraceTask("a", seconds=-1.5), (0, "seconds", 0), "task 'a' would take -1.5 seconds; mend its runtime"),
        (TraceTask("a", outputs=["big"], seconds=1), (0, "outputs", 0),
         "'big' would have 1,180,591,620,717,411,303,424 bytes; mend its size"),
    ],
)  # fmt: skip
def test_what_cannot_be_simulated_is_noted(task: TraceTask, place: tuple[int, str, int], sentence: str) -> None:
    assert replayed(task, {"x": 1, "big": 2**70})[2].found == [(place, sentence)]


@pytest.mark.parametrize(
    ("task", "place", "sentence"),
    [
        (TraceTask("a"), (0, "seconds", 0), "no runtime of task 'a' was recorded; it will take no time"),
        (TraceTask("a", outputs=["x", "y"], seconds=1), (0, "outputs", 1),
         "the size of 'y' was not recorded; the file will be empty"),
        (TraceTask("a", inputs=["x", "in"], seconds=1), (0, "inputs", 1),
         "task 'a' reads 'in', which no task writes and whose size was not recorded; it is taken to be there"),
    ],
)  # fmt: skip
def test_what_was_not_recorded_is_done_without(task: TraceTask, place: tuple[int, str, int], sentence: str) -> None:
    command, _, problems = replayed(task, {"x": 1})
    assert not problems
    assert problems.warnings() == [(place, sentence)]
    assert recorded_of(command) == Replayed(
        task.seconds or 0.0, dict.fromkeys(task.outputs, 0) | {"x": 1} if task.outputs else {}
    )


def test_much_data_is_warned_of() -> None:
    _, replay, _ = replayed(TraceTask("a", outputs=["x"], seconds=1), {"x": 20 * 2**30})
    assert replay.warnings() == ["the placeholders will write 20.0 GiB in all; scale the sizes if that is too much"]


def test_a_document_without_any_sizes_gives_empty_files_and_says_so() -> None:
    command, replay, problems = replayed(TraceTask("a", outputs=["x"], inputs=["in"], seconds=1), None)
    assert not problems
    assert recorded_of(command) == Replayed(1.0, {"x": 0})
    assert replay.warnings() == ["the document says of no file how large it is; the files will be empty"]
