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


@pytest.mark.parametrize("words", [("--help",), ("version",)])
def test_help_and_version_load_neither_the_drawing_nor_the_http_client(words: tuple[str, ...]) -> None:
    code = (
        "import sys; from roost.app.cli.main import main; main(sys.argv[1:]); "
        "sys.stderr.write(','.join(sorted(m for m in ('rich', 'http.client', 'asyncio', 'yaml') if m in sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stderr == ""
