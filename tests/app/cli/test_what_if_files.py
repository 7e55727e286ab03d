"""Workflow files as the work of a what-if."""

from pathlib import Path

import pytest

from roost.app.cli.what_if_files import Guesses, work_of_file
from roost.lab.what_if.work import Link, Measured, Task, Uniform
from roost.model.errors import InvalidInput, NotFound
from roost.model.task import EdgeKind, Needs

EXAMPLES = Path(__file__).parents[3] / "examples"
FLOW = """
tasks:
  resize:
    shell: echo {i}
    array: 0-3
    length: 20m
    cpus: 2
    require: os == "linux"
  check:
    all: resize
    shell: echo done
"""


NOTHING = Guesses()


def tasks_of(path: Path, guesses: Guesses = NOTHING) -> dict[str, Task]:
    work, _ = work_of_file(path, {}, guesses)
    return {task.name: task for task in work.tasks}


def written(folder: Path, text: str, name: str = "flow.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_flow_tells_elements_lengths_needs_and_what_waits_for_what(tmp_path: Path) -> None:
    tasks = tasks_of(written(tmp_path, FLOW), Guesses(length_s=60.0))
    resize, check = tasks["resize"], tasks["check"]
    assert (resize.bounds, resize.lengths, resize.stated_s) == ((0, 4), Uniform(1200.0, 1200.0), 1200.0)
    assert resize.needs == Needs.of(2.0, condition='os == "linux"')
    assert (check.lengths, check.stated_s) == (Uniform(60.0, 60.0), None)
    assert check.links == (Link(0, EdgeKind.ALL),)


def test_of_what_nobody_has_said_how_long_it_takes_the_name_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"flow\.yaml: nobody says how long task 'check' takes"):
        tasks_of(written(tmp_path, FLOW))


def test_a_recorded_workflow_takes_as_long_as_it_took() -> None:
    tasks = tasks_of(EXAMPLES / "traces" / "diamond.json")
    assert len(tasks) > 3
    assert all(isinstance(task.lengths, Measured) and task.stated_s is None for task in tasks.values())
    assert sum(len(task.links) for task in tasks.values()) >= 4


def test_a_dax_is_a_recorded_workflow_as_well() -> None:
    tasks = tasks_of(EXAMPLES / "traces" / "mosaic.dax")
    assert any(isinstance(task.lengths, Measured) and task.lengths.seconds[0] > 0 for task in tasks.values())


def test_a_pool_has_as_many_elements_as_a_person_reckons_with() -> None:
    path = EXAMPLES / "pool" / "flow.yaml"
    with pytest.raises(InvalidInput, match="--items"):
        tasks_of(path, Guesses(length_s=1.0))
    tasks = tasks_of(path, Guesses(length_s=1.0, items=3))
    pools = [task for task in tasks.values() if any(link.kind is EdgeKind.SPREAD for link in task.links)]
    assert pools
    assert len(pools[0].elements) == 3
    assert pools[0].links[0].pools == 1


def test_what_may_be_repeated_is_as_the_file_says(tmp_path: Path) -> None:
    flow = "tasks:\n  a: {shell: echo a, length: 1s, reuse: true}\n  b: {shell: echo b, length: 1s, reuse: false}\n"
    tasks = tasks_of(written(tmp_path, flow))
    assert (tasks["a"].is_pure, tasks["a"].may_repeat) == (True, True)
    assert (tasks["b"].is_pure, tasks["b"].may_repeat) == (False, False)
    assert tasks_of(written(tmp_path, flow), Guesses(is_pure=True))["b"].may_repeat is False


def test_mistakes_of_a_file_are_told_as_when_it_is_checked(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        tasks_of(tmp_path / "none.yaml")
    with pytest.raises(InvalidInput, match=r"flow\.yaml"):
        tasks_of(written(tmp_path, "tasks:\n  a: {shell: echo a, length: soon}\n"))
