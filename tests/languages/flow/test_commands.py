from pathlib import Path
from typing import Any

import pytest

from roost.languages.environment import INHERITED
from tests.languages.flow.flow_texts import refused_tasks, tasks_of


def command(task: str, folder: Path | None = None) -> dict[str, Any]:
    found: dict[str, Any] = tasks_of(f"t: {task}", folder)["t"]["command"]
    return found


@pytest.mark.parametrize(
    ("written", "argv"),
    [
        ("python make.py 3", ["python", "make.py", "3"]),
        ("grep 'two words' \"a file\"", ["grep", "two words", "a file"]),
        ("echo $HOME *", ["echo", "$HOME", "*"]),
    ],
)
def test_text_is_split_like_a_shell_does_but_no_shell_runs(written: str, argv: list[str]) -> None:
    assert tasks_of(f"t:\n  command: {written}\n")["t"]["command"]["argv"] == argv


def test_a_long_command_may_go_on_with_a_backslash_or_be_folded() -> None:
    assert tasks_of("t:\n  command: |\n    a b \\\n      c\n")["t"]["command"]["argv"] == ["a", "b", "c"]
    assert tasks_of("t:\n  command: >\n    a b\n    c\n")["t"]["command"]["argv"] == ["a", "b", "c"]


def test_a_list_is_taken_word_by_word() -> None:
    assert command("{command: [sort, -k, 2, 'a b', '|', true]}")["argv"] == ["sort", "-k", "2", "a b", "|", "true"]


def test_shell_text_runs_in_a_shell_that_stops_at_the_first_failure() -> None:
    found = command("{shell: 'a | b > {item}', items: [x]}")
    assert found["argv"] == ["/bin/sh", "-ec", "a | b > ${roost_item}", "sh"]
    assert found["env"]["roost_item"] == "{item}"


def test_a_command_runs_beside_the_flow_unless_it_has_outputs(tmp_path: Path) -> None:
    assert command("{command: a}", tmp_path)["cwd"] == str(tmp_path)
    assert command("{command: a, outputs: {x: y}}", tmp_path)["cwd"] is None
    assert command("{command: a, cwd: scratch}", tmp_path)["cwd"] is None
    assert command("{command: a, cwd: ./scratch}", tmp_path)["cwd"] == str(tmp_path / "scratch")
    assert command("{command: a, cwd: /srv, outputs: {x: y}}", tmp_path)["cwd"] == "/srv"


def test_a_program_beside_the_flow_is_found_from_a_fresh_folder_too(tmp_path: Path) -> None:
    assert command("{command: ./a x, outputs: {x: y}}", tmp_path)["argv"] == [str(tmp_path / "a"), "x"]
    assert command("{command: bin/a, cwd: scratch}", tmp_path)["argv"] == [str(tmp_path / "bin/a")]
    assert command("{command: ./a, cwd: ., outputs: {x: y}}", tmp_path)["argv"] == ["./a"]


def test_elements_that_would_write_one_file_are_refused_with_the_line() -> None:
    problems = refused_tasks("t:\n  array: 1-3\n  command: a\n  cwd: /srv\n  outputs: {x: y}\n")
    assert problems == (
        "flow.yaml:6: 'outputs' of task 't': its elements share the folder '/srv', and several would write the output "
        "'x' to one file there, 'y'; leave out the folder (cwd), so that each runs in one of its own, or put {i} into "
        "the path"
    )
    assert command("{command: a, array: 1-3, cwd: /srv, outputs: {x: 'y-{i}'}}")["outputs"] == {"x": "y-{i}"}


def test_what_a_command_was_goes_along_as_it_is() -> None:
    found = command("{command: [sh, -c, 'wc {i}'], recorded: {type: staged, program_at: 2, stdout: '{i}'}}")
    assert found["recorded"] == {"type": "staged", "program_at": 2, "stdout": "{i}"}
    found = command("{command: x, recorded: {type: replayed, seconds: 2, sizes: {a b: 3}}}")
    assert found["recorded"] == {"type": "replayed", "seconds": 2.0, "sizes": {"a b": 3}}


def test_variables_input_and_protocol_go_along(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in INHERITED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/opt/bin")
    found = command("{command: a, env: {LEVEL: 3, HOME: /h}, stdin: text, protocol: lan}")
    assert found["env"] == {"PATH": "/opt/bin", "LEVEL": "3", "HOME": "/h"}
    assert (found["stdin"], found["protocol"]) == ("text", "lan")


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("{command: a | b}", "'|' in 'command' of task 't' needs a shell; write 'shell' instead of 'command'"),
        ("{command: a > b}", "'>' in 'command' of task 't' needs a shell"),
        ("{command: a 'b}", "cannot be split into words (no closing quotation); close the quotes, or put all of it in"),
        ('{command: "a\\nb"}', "has several lines; a script of several commands is a 'shell'"),
        ("{command: ''}", "'command' of task 't' is empty; name a program to run"),
        ("{command: []}", "is empty"),
        ("{command: ['']}", "is empty"),
        ("{command: }", "'command' of task 't' is nothing; give text or a list of words"),
        ("{command: {a: b}}", "'command' of task 't' is a map"),
        ("{command: [a, [b]]}", "'command' of task 't' is a list; give a word"),
        ("{command: [a, {item}]}", 'holds {item} without quotes; write "{item}"'),
        ("{shell: ''}", "'shell' of task 't' is empty"),
        ("{shell: [a]}", "'shell' of task 't' is a list; give a script"),
        ("{shell: \"echo '{item}'\", items: [a]}", "stands in single quotes, where a shell replaces nothing"),
        ("{command: a, env: [A]}", "'env' of task 't' is a list; give a map, for example {LANG: C}"),
        ("{command: a, env: {A=: 1}}", "'A=' cannot be a variable's name"),
        ("{command: a, env: {A: }}", "'A' of 'env' of task 't' is nothing; give text"),
        (
            "{command: a, recorded: {type: staged, program_at: 1}}",
            "its program cannot be word 1: the command has 1, from 0); remove it",
        ),
        (
            "{command: a, recorded: {type: replayed, seconds: -1}}",
            "'recorded' of task 't' is not what 'roost convert' writes there (",
        ),
        ("{command: a, protocol: xml}", "'protocol' of task 't' cannot be 'xml'"),
        ("{command: a, cwd: [b]}", "'cwd' of task 't' is a list; give a folder's name"),
    ],
)
def test_commands_that_cannot_be_are_refused(task: str, message: str) -> None:
    told = refused_tasks(f"t: {task}")
    assert told.startswith("flow.yaml:2: ")
    assert message in told


def test_a_command_that_is_too_long_is_refused() -> None:
    assert "is too long; put its arguments into a file" in refused_tasks(f"t: {{command: [a, {'x' * 2_000_000}]}}")


def test_a_word_that_is_longer_than_a_program_can_be_given_is_refused() -> None:
    told = refused_tasks(f"t: {{command: [a, {'ä' * 2**16}]}}")
    assert "has a word of more than 131,071 bytes, which no program can be given; put it into a file" in told
    assert tasks_of(f"t: {{command: [a, {'x' * (2**17 - 1)}]}}")["t"]
