import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from roost.languages.braces import plain
from roost.languages.trace.graph import edge_from
from roost.languages.trace.names import output_names
from roost.languages.trace.recorded import own_words, recorded_of
from roost.languages.trace.simulation import FILES_AS_WORDS_MAX
from roost.languages.trace.staging import Staging
from roost.languages.trace.submission import trace_submission
from roost.languages.trace.trace import Arriving, Trace, TraceProblems, TraceTask
from roost.languages.trace.trace_back import trace_of
from roost.model.limits import COMMAND_WORDS_MAX
from roost.model.recorded import Staged


def staged(
    task: TraceTask, folder: Path, outside: tuple[str, ...] = (), arriving: Arriving | None = None, **found_at: str
) -> tuple[dict[str, Any], Staging, TraceProblems]:
    problems = TraceProblems()
    staging = Staging(Trace("w", [task], None, found_at), folder, problems)
    return staging.work(0, task, list(outside), arriving or {}, output_names(task.outputs)), staging, problems


def run(made: dict[str, Any], folder: Path, **paths: str) -> str:
    """Run a command in a folder of its own, with ``paths`` for what arrives."""
    own = folder / "own"
    own.mkdir()
    argv = [paths.get(word) or plain(word) for word in made["command"]["argv"]]
    stdin = made["command"].get("stdin") or ""
    return subprocess.run(argv, cwd=own, input=stdin, capture_output=True, text=True, check=True).stdout


def test_a_task_without_files_is_its_program() -> None:
    made, staging, problems = staged(TraceTask("a", argv=["echo", "{i}", "x"]), Path("/"))
    assert not problems
    assert made["command"]["argv"] == ["echo", "{{i}}", "x"]
    assert recorded_of(made["command"]) is None
    assert made["command"]["env"]["PATH"] == os.environ["PATH"]
    assert staging.warnings() == []


def test_files_lie_under_their_names_where_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "in put").write_text("from outside")
    (tmp_path / "blob").write_text("from a task")
    task = TraceTask("a", argv=["cat", "in put", "sub/made"], inputs=["in put", "sub/made"])
    made, _, problems = staged(task, tmp_path, ("in put",), {"sub/made": "{needs.p0.made}"})
    assert not problems
    argv = made["command"]["argv"]
    argv[argv.index("{needs.p0.made}")] = str(tmp_path / "blob")
    assert run(made, tmp_path) == "from outsidefrom a task"


def test_very_many_files_go_by_a_list_that_the_program_does_not_see(tmp_path: Path) -> None:
    files = [f"sub/it's {number:05}" for number in range(FILES_AS_WORDS_MAX)]
    (tmp_path / "sub").mkdir()
    for file in files:
        (tmp_path / file).write_text("x")
    (tmp_path / "changed").write_text("1")
    script = "cat; echo 2 >> changed; cat changed; find sub -name 'it*' | wc -l; cat 'sub/it'*' 00007'"
    task = TraceTask("a", argv=["sh", "-c", script], inputs=[*files, "changed"], outputs=["changed", "new/out"])
    made, _, problems = staged(task, tmp_path, tuple(task.inputs))
    assert not problems
    assert made["command"]["argv"][3:] == ["sh", "sh", "-c", script]
    assert run(made, tmp_path).split() == ["12", str(len(files)), "x"]
    assert (tmp_path / "own" / "new").is_dir()
    command = made["command"]
    assert recorded_of(command) == Staged(4, outside=task.inputs)
    assert own_words(command["argv"], recorded_of(command)) == ["sh", "-c", script]


def test_what_a_program_with_very_many_files_reads_and_writes_is_still_told(tmp_path: Path) -> None:
    files = {f"f{number}": f"{{needs.p0.f{number}}}" for number in range(FILES_AS_WORDS_MAX + 1)}
    task = TraceTask("a", argv=["sort"], inputs=list(files), outputs=["o"], stdin="f7", stdout="o")
    made, _, _ = staged(task, tmp_path, (), files)
    command = made["command"]
    assert recorded_of(command) == Staged(4, stdin="f7", stdout="o")
    assert own_words(command["argv"], recorded_of(command)) == ["sort"]
    task_read = trace_of({"tasks": [{"name": "a", **made, "edges": [edge_from("make", "p0")]}]}).tasks[0]
    assert (task_read.inputs, task_read.stdin, task_read.stdout) == (list(files), "f7", "o")


def test_a_file_that_the_program_changes_is_a_copy(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("1")
    (tmp_path / "x").chmod(0o444)
    task = TraceTask("a", argv=["sh", "-c", "echo 2 >> x; cat x"], inputs=["x"], outputs=["x"])
    made, _, _ = staged(task, tmp_path, ("x",))
    assert run(made, tmp_path) == "12\n"
    assert (tmp_path / "x").read_text() == "1"


def test_streams_are_files_and_folders_of_outputs_are_made(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("b\na\n")
    task = TraceTask("a", argv=["sort"], inputs=["words"], outputs=["out/it's"], stdin="words", stdout="out/it's")
    made, _, problems = staged(task, tmp_path, ("words",))
    assert not problems
    assert run(made, tmp_path) == ""
    assert (tmp_path / "own/out/it's").read_text() == "a\nb\n"


@pytest.mark.usefixtures("no_programs")
def test_programs_beside_the_document_are_found_and_others_missing_are_warned_of(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    made, staging, _ = staged(TraceTask("a", argv=["mine"]), tmp_path)
    assert made["command"]["argv"] == [str(tmp_path / "mine")]
    assert staging.warnings() == []
    made, staging, _ = staged(TraceTask("a", argv=["surely-not-here", "x"]), tmp_path)
    assert made["command"]["argv"] == ["surely-not-here", "x"]
    assert staging.warnings() == [
        "this machine does not have 'surely-not-here'; the tasks that run them fail where they are missing"
    ]
    made, staging, _ = staged(TraceTask("a", argv=["p"], inputs=["p"]), tmp_path, arriving={"p": "{needs.p0.p}"})
    assert made["command"]["argv"][-1] == "./p"


def test_files_may_be_where_the_document_says(tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    task = TraceTask("a", argv=["cat", "x"], inputs=["x"])
    made, _, problems = staged(task, Path("/nowhere"), ("x",), x=str(tmp_path / "there"))
    assert not problems
    assert made["command"]["argv"][4:] == [str(tmp_path / "there"), "x", "--", "cat", "x"]


def test_a_file_with_a_full_path_stays_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    task = TraceTask("a", argv=["cat", str(tmp_path / "x")], inputs=[str(tmp_path / "x")])
    made, _, problems = staged(task, Path("/nowhere"), (str(tmp_path / "x"),))
    assert not problems
    assert made["command"]["argv"] == task.argv


@pytest.mark.parametrize(
    ("task", "place", "sentence"),
    [
        (TraceTask("a"), (0, "argv", 0),
         "task 'a' has no command to run; add one, or replay the workflow with --simulate"),
        (TraceTask("a", argv=["true"], inputs=["no"]), (0, "inputs", 0),
         "'no', which task 'a' reads, is not there; put it beside this file, or replay the workflow with --simulate"),
        (TraceTask("a", argv=["true"], inputs=["no\0"]), (0, "inputs", 0),
         "'no\0', which task 'a' reads, is not there; put it beside this file, or replay the workflow with --simulate"),
        (TraceTask("a", argv=["true"], inputs=["../up"]), (0, "inputs", 0),
         "'../up' leads out of the folder of its task; name a file inside it, or replay the workflow with --simulate"),
        (TraceTask("a", argv=["true"], outputs=["/etc/x"]), (0, "outputs", 0),
         "'/etc/x' leads out of the folder of its task; name a file inside it, or replay the workflow with --simulate"),
        (TraceTask("a", argv=["x"] * (COMMAND_WORDS_MAX + 1)), (0, "argv", 0),
         ("the command of task 'a' has 10,001 words and 10,001 bytes, more than a program can be given; put its "
          "arguments into a file, or replay the workflow with --simulate")),
        (TraceTask("a", argv=["x", "y" * 2**17]), (0, "argv", 0),
         ("the command of task 'a' has 2 words and 131,073 bytes, more than a program can be given; put its "
          "arguments into a file, or replay the workflow with --simulate")),
    ],
)  # fmt: skip
def test_what_cannot_run_is_noted(tmp_path: Path, task: TraceTask, place: tuple[int, str, int], sentence: str) -> None:
    (tmp_path / "up").touch()
    (tmp_path / "sub").mkdir()
    assert staged(task, tmp_path / "sub", tuple(task.inputs))[2].found == [(place, sentence)]


def test_who_only_looks_is_warned_of_what_cannot_run(tmp_path: Path) -> None:
    tasks = [
        TraceTask("a", argv=["cat", "x"], inputs=["x"]), TraceTask("b"), TraceTask("c", argv=["true"], outputs=["/x"]),
    ]  # fmt: skip
    problems = TraceProblems(to_run=False)
    submission, _ = trace_submission(Trace("w", tasks, None), tmp_path, None, problems)
    assert not problems
    assert [place for place, _ in problems.warnings()] == [(0, "inputs", 0), (1, "argv", 0), (2, "outputs", 0)]
    assert submission["tasks"][0]["command"]["argv"][4:] == [str(tmp_path / "x"), "x", "--", "cat", "x"]
    trace_submission(Trace("w", [TraceTask("a", argv=["true"], outputs=["../x"])], None), tmp_path, None, problems)
    assert problems


def test_variables_of_a_task_are_added_to_those_of_the_person() -> None:
    made, _, _ = staged(TraceTask("a", argv=["true"], env={"LANG": "C", "MINE": "{i}"}), Path("/"))
    others, _, _ = staged(TraceTask("b", argv=["true"]), Path("/"))
    assert made["command"]["env"] == others["command"]["env"] | {"LANG": "C", "MINE": "{{i}}"}


def test_more_processors_are_asked_for() -> None:
    assert staged(TraceTask("a", argv=["true"], cpus=2.5), Path("/"))[0]["cpus"] == 2.5


@pytest.mark.parametrize(("seconds", "length"), [(12.5, 12.5), (0.0, None), (None, None), (1e20, None)])
def test_a_recorded_runtime_is_a_length(seconds: float | None, length: float | None) -> None:
    assert staged(TraceTask("a", argv=["true"], seconds=seconds), Path("/"))[0].get("length_s") == length


def test_a_staged_command_says_what_it_was(tmp_path: Path) -> None:
    (tmp_path / "in put").touch()
    task = TraceTask(
        "a", argv=["p", "--", "{i}"], inputs=["in put", "b"], outputs=["o/x"], stdout="o/x", stderr="e {i}"
    )
    made, _, _ = staged(task, tmp_path, ("in put",), {"b": "{needs.p0.b}"})
    command = made["command"]
    recorded = recorded_of(command)
    assert recorded == Staged(command["argv"].index("p"), "", "o/x", "e {i}", ["in put"])
    assert own_words(command["argv"], recorded) == ["p", "--", "{{i}}"]


def test_the_same_line_written_by_hand_is_no_recorded_task(tmp_path: Path) -> None:
    task = TraceTask("a", argv=["wc"], inputs=["f"], outputs=["o"], stdout="o")
    made, _, _ = staged(task, tmp_path, (), {"f": "{needs.p0.f}"})
    by_hand = {"argv": made["command"]["argv"], "outputs": {"o": "o"}}
    read = trace_of({"tasks": [{"name": "a", "command": by_hand, "edges": [edge_from("make", "p0")]}]}).tasks[0]
    assert read.argv == ["f" if word == "{needs.p0.f}" else word for word in by_hand["argv"]]
    assert (read.argv[:2], read.stdout) == (["/bin/sh", "-ec"], "")
