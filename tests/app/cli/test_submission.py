"""From options to the API's submission."""

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roost.api.requests import Submission
from roost.app.cli.expanding import expanded_commands
from roost.app.cli.submission import Wishes, submission_of
from roost.executors.template import Expanded
from roost.languages.environment import INHERITED
from roost.model.errors import InvalidInput
from roost.model.stray import native_bytes
from roost.model.task import Command


def wishes(*words: str, **given: Any) -> Wishes:
    plain: dict[str, Any] = {
        "array": None,
        "each_line": None,
        "each_json": None,
        "cpus": 1.0,
        "mem": None,
        "time": None,
        "length": None,
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


def expanded(given: Wishes) -> list[Expanded]:
    """Return what the elements would run."""
    task = submission_of(given, [])["tasks"][0]
    return list(expanded_commands(msgspec.convert(task["command"], Command), task["items"], task["array"]))


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
    assert {"PATH", "LANG"} <= set(command["env"]) <= {*INHERITED, "ROOST_SUBMIT_DIR"}
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
        length="90s",
        require="cores >= 4",
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
    assert (task.length_s, task.require) == (90.0, "cores >= 4")
    assert task.command is not None
    assert (task.command.env["A"], task.command.outputs, task.command.stdin) == ("1=2", {"log": "out.txt"}, "{item}")
    assert [(edge.source, edge.kind) for edge in task.edges] == [("3-bobaba", "after")]


@pytest.mark.usefixtures("folder")
def test_a_requirement_that_cannot_be_read_is_refused_with_its_column() -> None:
    with pytest.raises(InvalidInput, match=r"^--require: column 17: no node says 'progams' of itself; did you mean"):
        submission_of(wishes("echo", require='"ffmpeg" not in progams'), [])


def test_values_after_the_separator_become_items(folder: Path) -> None:
    task = submission_of(wishes("echo", "{2}", ":::", "a", "b", ":::", "1"), [])["tasks"][0]
    assert task["items"] == [["a", "1"], ["b", "1"]]
    assert task["command"]["argv"] == ["echo", "{item.1}"]


def test_stdin_may_be_a_file(folder: Path) -> None:
    (folder / "data").write_text("some data")
    assert submission_of(wishes("cat", stdin="@data"), [])["tasks"][0]["command"]["stdin"] == "some data"


def test_what_is_in_a_file_is_passed_on_as_it_is(folder: Path) -> None:
    data = b'{"a": {}, "i": "{i}{{x}}"} \xff\0'
    (folder / "data").write_bytes(data)
    (command,) = expanded(wishes("cat", "{}", ":::", "x", stdin="@data"))
    assert command.stdin is not None
    assert native_bytes(command.stdin) == data


@pytest.mark.parametrize(
    ("cwd", "values", "folders"),
    [
        ("{}", ["a", "b"], ["/a", "/b"]),
        ("sub/{}/x", ["a"], ["/sub/a/x"]),
        ("{//}", ["d/e/f.txt"], ["/d/e"]),
        ("{{}}", ["a"], ["/{}"]),
    ],
)
def test_a_folder_with_placeholders_lies_here(folder: Path, cwd: str, values: list[str], folders: list[str]) -> None:
    (folder / "{}").mkdir()
    found = [command.cwd for command in expanded(wishes("true", ":::", *values, cwd=cwd))]
    assert found == [f"{folder}{name}" for name in folders]


def test_a_folder_with_placeholders_may_be_given_from_the_root(folder: Path) -> None:
    given = wishes("true", ":::", "/x/a", "/y/b", cwd="{//}")
    assert [command.cwd for command in expanded(given)] == ["/x", "/y"]
    given = wishes("./prog", ":::", "1", cwd="/data/{}")
    assert [command.cwd for command in expanded(given)] == ["/data/1"]
    with pytest.raises(InvalidInput, match="for some elements"):
        submission_of(wishes("true", ":::", "/x/a", "y/b", cwd="{//}"), [])


def test_braces_of_the_folder_where_one_is_are_no_placeholder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "{i}").mkdir()
    monkeypatch.chdir(folder / "{i}")
    (command,) = expanded(wishes("true", array="3"))
    assert command.cwd == f"{folder}/{{i}}"


def test_words_folders_and_variables_may_hold_any_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strange = folder / "caf\udce9"
    strange.mkdir()
    monkeypatch.chdir(strange)
    given = wishes("echo", "x\udcff", ":::", "\udc80", env=("A\udc90=b\udc91",), output=("f=o\udc92",), cwd=".")
    submission = submission_of(given, [])
    msgspec.json.encode(submission)
    msgspec.json.encode(submission_of(given._replace(cwd=None), []))
    (command,) = expanded(given)
    assert [native_bytes(word) for word in command.argv] == [b"echo", b"x\xff", b"\x80"]
    assert command.cwd is not None
    assert native_bytes(command.cwd) == os.fsencode(strange)
    assert {native_bytes(name): native_bytes(path) for name, path in command.outputs.items()} == {b"f": b"o\x92"}
    assert native_bytes(submission["tasks"][0]["command"]["env"]["A\U0010fe90"]) == b"b\x91"


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
        (wishes("./missing"), "no program './missing' in "),
        (wishes(":::", "a"), "there is no command"),
        (wishes("echo", cwd="nowhere"), "no folder"),
        (wishes("echo", cwd="a{b}"), "no folder"),
        (wishes("echo", cwd="{item}"), "the task has no items"),
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


@pytest.mark.usefixtures("no_programs")
def test_a_program_that_is_not_on_the_path_is_refused(folder: Path) -> None:
    with pytest.raises(InvalidInput, match="no program 'echo' on your PATH"):
        submission_of(wishes("echo"), [])


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
