"""The door: overview, one sentence for every error, exit codes; also as the real program in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import STATUS, FakeNode, error, result, run

PROGRAM = [sys.executable, "-c", "import sys; from roost.app.cli.main import main; sys.exit(main())"]


def program(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a process, as the installed script does."""
    return subprocess.run(
        [*PROGRAM, *words], capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **more}
    )


def test_roost_alone_prints_an_overview_by_purpose(roost: Roost) -> None:
    ended = roost()
    assert ended.code == 0
    assert ended.out.index("This machine:") < ended.out.index("Hand in work:") < ended.out.index("Results:")
    assert "Exit codes" not in ended.out


def test_help_documents_the_exit_codes_and_the_selectors(roost: Roost) -> None:
    ended = roost("--help")
    assert ended.code == 0
    assert "130  interrupted" in ended.out
    assert "1-10" in ended.out


def test_a_misspelt_command_is_guessed(roost: Roost) -> None:
    ended = roost("sumbit")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "roost: there is no command 'sumbit'; did you mean 'submit'?\n"


def test_a_wrong_option_is_one_sentence_with_the_way_to_help(roost: Roost) -> None:
    ended = roost("ps", "--colour")
    assert ended.code == 2
    assert ended.err.startswith("roost: no such option")
    assert ended.err.endswith("see 'roost ps --help'\n")
    assert ended.err.count("\n") == 1


def test_without_a_node_the_code_is_4(roost: Roost) -> None:
    ended = roost("ps")
    assert ended == (4, "", "roost: no node runs here; start one with 'roost up'\n")


def test_the_nodes_own_sentence_is_shown(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/status"] = (503, error("unavailable", "the disk is full"))
    assert roost("status") == (4, "", "roost: the disk is full\n")


def test_a_wrong_token_is_refused_in_words(roost: Roost, node: FakeNode) -> None:
    node.token = "other"
    assert roost("status") == (4, "", "roost: the token is wrong\n")


def test_an_error_of_ours_is_a_sentence_too(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/status"] = {"node": "attic"}
    ended = roost("status")
    assert ended.code == 4
    assert ended.err.startswith("roost: this is a bug of Roost (KeyError")


def test_debug_shows_the_traceback(home: Path) -> None:
    ended = program("--debug", "ps")
    assert "Traceback" in ended.stderr
    assert "Traceback" not in program("ps").stderr


def test_the_program_returns_the_code_and_keeps_stdout_clean(node: FakeNode) -> None:
    node.answers["GET /v1/status"] = STATUS
    ended = program("status", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith('{"version":')
    assert program("show", "99").returncode == 3


def test_a_reader_that_has_had_enough_ends_the_program_silently(node: FakeNode) -> None:
    node.serve_runs(run(done=1))
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, "line\n" * 200_000)], "next": None}
    writer = subprocess.Popen([*PROGRAM, "get"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stderr is not None
    with writer:
        assert writer.stdout.readline() == b"line\n"
        writer.stdout.close()
        assert writer.stderr.read() == b""
        assert writer.wait(timeout=30) == 0


def test_a_reader_of_a_drawing_that_has_had_enough_is_no_error(node: FakeNode) -> None:
    node.serve_runs(*[run(number, done=1) for number in range(1, 2_000)])
    writer = subprocess.Popen([*PROGRAM, "ps", "--all"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stderr is not None
    with writer:
        assert writer.stdout.readline().startswith(b"RUN")
        writer.stdout.close()
        assert (writer.stderr.read(), writer.wait(timeout=30)) == (b"", 0)


#: Clears the screen, sets the title, turns the direction of text round, and is no UTF-8.
EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\r"
DOCUMENTS = {
    "flow.yaml": f'tasks:\n  "{EVIL}": {{command: x}}\n  t: {{"{EVIL}": 1, after: "{EVIL}"}}\n',
    "flow.json": f'{{"tasks": {{"{EVIL}": 1}}}}',
    "trace.json": f'{{"name": "{EVIL}", "schemaVersion": "1.5", "workflow": {{"{EVIL}": []}}}}',
    "dag.dax": f'<adag name="{EVIL}"><job id="{EVIL}"/></adag>',
    "weevil.xml": f'<workflow name="{EVIL}"><node name="{EVIL}" type="{EVIL}"/></workflow>',
    "lan.xml": f"<task><{EVIL}/></task>",
    "list.txt": f"echo '{EVIL}\n",
}


def steers_a_terminal(text: str) -> bool:
    return any(letter not in "\t\n" and not letter.isprintable() for letter in text)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("words", [("check",), ("run", "--dry-run"), ("show", "--graph"), ("convert", "out.yaml")])
def test_no_document_steers_the_terminal(
    roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for escaped in (False, True):
        # JSON and XML may also spell such characters out.
        text = DOCUMENTS[name].replace("\x1b", "\\u001b" if "json" in name else "&#27;") if escaped else DOCUMENTS[name]
        (tmp_path / name).write_text(text)
        ended = roost(words[0], name, *words[1:])
        assert not steers_a_terminal(ended.out + ended.err), ended
        assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "words", [(EVIL,), ("get", EVIL), ("submit", "--", f"/{EVIL}"), ("check", EVIL), ("submit", f"--{EVIL}")]
)
def test_nothing_that_was_typed_steers_the_terminal(roost: Roost, node: FakeNode, words: tuple[str, ...]) -> None:
    ended = roost(*words)
    assert ended.code != 0
    assert ended.err
    assert not steers_a_terminal(ended.out + ended.err), ended


def test_no_name_note_or_failure_of_a_node_steers_the_terminal(roost: Roost, node: FakeNode) -> None:
    node.answers["GET /v1/status"] = (503, error("unavailable", f"said {EVIL}"))
    ended = roost("status")
    assert ended.err == "roost: said \\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\u202e\\r\n"
