"""From SCHEDULE to a run: the command line of LAN 5.2.2, the edges, and everything that can be refused before."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from roost.api.requests import CommandAsked, Submission, TaskAsked
from roost.app.intake.submission import to_event
from roost.app.lan.ids import uuid_of
from roost.app.lan.programs import Programs
from roost.app.lan.protocol import NthOutput, Schedule
from roost.app.lan.scheduling import schedule
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import TaskId
from roost.model.task import Command, Edge, EdgeKind, Failure, Priority, Protocol, RunKind, TaskSpec
from roost.wire.values import CommandResult, encode_command_result
from tests.app.lan.running_lan import add_program
from tests.app.web.plain_service import PlainService


class Lab:
    """A plain node and a folder with two programs."""

    def __init__(self, folder: Path) -> None:
        self.service = PlainService(folder)
        self.programs = Programs(folder / "programs")
        for name in ("import", "georeferencing"):
            add_program(self.programs.folder, name)

    def schedule(
        self, program: str, inputs: Sequence[tuple[TaskId, int]] = (), priority: Priority = Priority.LOW, **paths: str
    ) -> TaskId:
        given = tuple(NthOutput(uuid_of(task), nth) for task, nth in inputs)
        return asyncio.run(schedule(Schedule(program, priority, inputs=given, **paths), self.programs, self.service))

    def spec(self, task: TaskId) -> TaskSpec:
        return self.service.task(task).spec

    def argv(self, task: TaskId) -> tuple[str, ...]:
        work = self.spec(task).work
        assert isinstance(work, Command)
        return work.argv

    def submit(self, task: TaskAsked) -> TaskId:
        event = to_event(Submission([task]), self.service)
        self.service.do(event)
        return event.tasks[0].id


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_a_program_is_named_without_a_path_and_speaks_lan_s_lines(lab: Lab) -> None:
    """LAN 4.2 and 3.5."""
    task = lab.schedule("import", priority=Priority.INTERACTIVE)
    spec = lab.spec(task)
    assert spec.work == Command(("import",), protocol=Protocol.LAN, program="import")
    assert (spec.priority, len(spec.elements), spec.edges) == (Priority.INTERACTIVE, 1, ())
    run = lab.service.run(spec.run).record.spec
    assert (task.rpartition("/")[2], run.name, run.kind) == ("import", "import", RunKind.COMMAND)


def test_raw_files_and_parameters_are_passed_on_as_they_are(lab: Lab) -> None:
    task = lab.schedule("import", raw_files=r"\\server\raw {i}", parameters="{item}.xml")
    assert lab.argv(task)[1:] == ("-p", r"\\server\raw {{i}}", "-x", "{{item}}.xml")


def test_inputs_are_edges_to_the_tasks_that_make_them(lab: Lab) -> None:
    """LAN 4.4: the n-th output of a task is the input of another, and a task may be named several times."""
    first, second = lab.schedule("import"), lab.schedule("import")
    task = lab.schedule("georeferencing", [(first, 1), (second, 2), (first, 3)], raw_files="/raw", parameters="p.xml")
    assert lab.spec(task).edges == (
        Edge(first, EdgeKind.BROADCAST, "input1"),
        Edge(second, EdgeKind.BROADCAST, "input2"),
    )
    inputs = ("-i", "{needs.input1/1}", "-i", "{needs.input2/2}", "-i", "{needs.input1/3}")
    assert lab.argv(task) == ("georeferencing", "-p", "/raw", *inputs, "-x", "p.xml")


def test_an_output_that_exists_may_be_taken_and_one_that_never_will_may_not(lab: Lab) -> None:
    task = lab.schedule("import")
    lab.service.finish(task, 0, encode_command_result(CommandResult(datasets=("11", "12"))))
    lab.schedule("georeferencing", [(task, 2)])
    with pytest.raises(InvalidInput, match=f"task {uuid_of(task)} has named 2 outputs; there is no output 3"):
        lab.schedule("georeferencing", [(task, 3)])


def test_what_failed_or_was_cancelled_has_no_outputs(lab: Lab) -> None:
    failed, cancelled = lab.schedule("import"), lab.schedule("import")
    lab.service.fail(failed, 0, Failure("exit code 3"))
    lab.service._move(cancelled, "cancelled", lab.spec(cancelled).elements)
    with pytest.raises(InvalidInput, match="has failed; it has no outputs"):
        lab.schedule("georeferencing", [(failed, 1)])
    with pytest.raises(InvalidInput, match="has been cancelled; it has no outputs"):
        lab.schedule("georeferencing", [(cancelled, 1)])


def test_only_lan_programs_have_numbered_outputs(lab: Lab) -> None:
    plain = lab.submit(TaskAsked("plain", CommandAsked(["true"])))
    with pytest.raises(InvalidInput, match="not a LAN program"):
        lab.schedule("georeferencing", [(plain, 1)])


def test_an_array_cannot_be_one_input(lab: Lab) -> None:
    array = lab.submit(TaskAsked("many", CommandAsked(["true"], protocol=Protocol.LAN), array="1-3"))
    with pytest.raises(InvalidInput, match="has 3 elements; -a takes a task that has one"):
        lab.schedule("georeferencing", [(array, 1)])


@pytest.mark.parametrize("inputs", [[], [("1-kedova/import", 1)]])
def test_what_is_refused_changes_nothing(lab: Lab, inputs: list[tuple[TaskId, int]]) -> None:
    before = lab.service.snapshot()
    with pytest.raises(NotFound, match="there is no"):
        lab.schedule("georeferencing" if inputs else "unknown", inputs)
    assert lab.service.snapshot() == before


def test_a_description_is_heeded(lab: Lab) -> None:
    (lab.programs.folder / "import.xml").write_text("<task><name>i</name><type>I</type></task>")
    first = lab.schedule("import")
    with pytest.raises(InvalidInput, match="import takes no inputs, but -a was given once"):
        lab.schedule("import", [(first, 1)])
