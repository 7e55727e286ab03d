"""From options to the API's submission."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from roost.app.cli.submission import Wishes, submission_of
from roost.app.web.requests import Submission
from roost.model.errors import InvalidInput


def wishes(*words: str, **given: Any) -> Wishes:
    plain: dict[str, Any] = {
        "array": None,
        "each_line": None,
        "each_json": None,
        "cpus": 1.0,
        "mem": None,
        "time": None,
        "retries": 0,
        "priority": "low",
        "name": None,
        "env": (),
        "cwd": None,
        "stdin": None,
        "protocol": "plain",
        "output": (),
    }
    return Wishes(words=words, **plain | given)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_plainest_command_runs_here_with_the_same_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setenv("LANG", "C.UTF-8")
    submission = submission_of(wishes("echo", "hi"), [])
    command = submission["tasks"][0]["command"]
    assert submission["name"] == "echo"
    assert command["argv"] == ["echo", "hi"]
    assert command["cwd"] == str(folder)
    assert {"PATH", "LANG"} <= set(command["env"]) <= {"PATH", "HOME", "LANG", "VIRTUAL_ENV", "ROOST_SUBMIT_DIR"}
    assert command["env"]["ROOST_SUBMIT_DIR"] == str(folder)


def test_what_is_made_is_what_the_api_takes(folder: Path) -> None:
    (folder / "lines").write_text("a\nb\n")
    given = wishes(
        "sh",
        "-c",
        "cat",
        each_line="lines",
        array="5-6",
        mem="1GiB",
        time="2min",
        retries=3,
        priority="interactive",
        name="cats",
        env=("A=1=2",),
        output=("log=out.txt",),
        stdin="{item}",
        cpus=0.5,
    )
    submission = msgspec.convert(submission_of(given, ["3-bobaba"]), Submission)
    task = submission.tasks[0]
    assert (submission.name, task.name, task.array, task.items) == ("cats", "sh", "5-6", ["a", "b"])
    assert (task.memory_bytes, task.time_limit_s, task.retries, task.cpus) == (1024**3, 120.0, 3, 0.5)
    assert task.command is not None
    assert (task.command.env["A"], task.command.outputs, task.command.stdin) == ("1=2", {"log": "out.txt"}, "{item}")
    assert [(edge.source, edge.kind) for edge in task.edges] == [("3-bobaba", "after")]


def test_values_after_the_separator_become_items(folder: Path) -> None:
    task = submission_of(wishes("echo", "{2}", ":::", "a", "b", ":::", "1"), [])["tasks"][0]
    assert task["items"] == [["a", "1"], ["b", "1"]]
    assert task["command"]["argv"] == ["echo", "{item.1}"]


def test_stdin_may_be_a_file(folder: Path) -> None:
    (folder / "data").write_text("some data")
    assert submission_of(wishes("cat", stdin="@data"), [])["tasks"][0]["command"]["stdin"] == "some data"


def test_a_program_in_the_folder_is_found_from_the_folder(folder: Path) -> None:
    (folder / "sub").mkdir()
    program = folder / "sub" / "my.prog"
    program.write_text("#!/bin/sh\n")
    with pytest.raises(InvalidInput, match=r"no program './my\.prog'"):
        submission_of(wishes("./my.prog", cwd="sub"), [])
    program.chmod(0o700)
    submission = submission_of(wishes("./my.prog", cwd="sub"), [])
    assert submission["tasks"][0]["name"] == "my.prog"
    assert submission["cwd"] == str(folder / "sub")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (wishes("no-such-program-xyz"), "no program 'no-such-program-xyz' on your PATH"),
        (wishes("./missing"), "no program './missing' in "),
        (wishes(":::", "a"), "there is no command"),
        (wishes("echo", cwd="nowhere"), "no folder"),
        (wishes("echo", env=("A",)), "--env A: write it as NAME=VALUE"),
        (wishes("echo", output=("=x",)), "--output =x: write it as NAME=VALUE"),
        (wishes("echo", mem="lots"), "'lots' is not a size"),
        (wishes("echo", time="soon"), "'soon' is not a duration"),
        (wishes("echo", array="1-"), "not a set of indices"),
        (wishes("echo", array="1-99999999999999"), "too large"),
        (wishes("echo", ":::", "a", each_line="f"), "choose one of them"),
        (wishes("echo", each_json="missing"), "there is no file missing"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(folder: Path, given: Wishes, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        submission_of(given, [])
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_without_lines_is_refused(folder: Path) -> None:
    (folder / "empty").write_text("")
    with pytest.raises(InvalidInput, match="nothing to run"):
        submission_of(wishes("echo", each_line="empty"), [])


@pytest.mark.parametrize(
    ("program", "name"), [("/bin/sh", "sh"), ("{item}", "item"), ("./{}", "task"), ("./7z{i}", "task7zi")]
)
def test_a_task_is_named_after_its_program(folder: Path, program: str, name: str) -> None:
    items = {"each_line": "lines"} if "item" in program or "{}" in program else {}
    (folder / "lines").write_text("a\n")
    assert submission_of(wishes(program, **items), [])["tasks"][0]["name"] == name


def test_elements_with_outputs_run_apart_unless_a_folder_is_named(folder: Path) -> None:
    (folder / "train").write_text("#!/bin/sh\n")
    (folder / "train").chmod(0o700)
    apart = submission_of(wishes("./train", output=("m=out/m.bin",), array="1-3"), [])
    assert apart["cwd"] is None
    assert apart["tasks"][0]["command"]["cwd"] is None
    assert apart["tasks"][0]["command"]["argv"] == [str(folder / "train")]
    here = submission_of(wishes("./train", output=("m=m.bin",), cwd="."), [])["tasks"][0]["command"]
    assert (here["cwd"], here["argv"]) == (str(folder), ["./train"])


def test_each_element_may_have_a_folder_that_a_placeholder_names(folder: Path) -> None:
    command = submission_of(wishes("echo", output=("m=m.bin",), cwd="run-{i}", array="1-3"), [])["tasks"][0]["command"]
    assert command["cwd"] == str(folder / "run-{i}")
