"""What the commands share."""

import os
import subprocess
import sys

import pytest

from roost.app.cli.common import emit_json, hint, loaded, pairs_of, say
from roost.app.drawing.wording import count_of
from roost.model.errors import InvalidInput


def test_data_goes_to_stdout_and_everything_else_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    say("data")
    hint("a hint")
    emit_json({"a": [1, "ö"]})
    assert capsys.readouterr() == ('data\n{"a":[1,"ö"]}\n', "a hint\n")


def test_what_is_said_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1b[2J\tb")
    hint("c\x9b\nd\udcff")
    emit_json({"e": "\x9b\udcff"})
    assert capsys.readouterr() == ('a\\x1b[2J\tb\n{"e":"\\u009b\U0010feff"}\n', "c\\x9b\nd\\xff\n")


def test_json_is_in_the_pipe_at_once_though_the_command_goes_on() -> None:
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    # An end without any tidying up stands for a command that is not over yet.
    script = "import os; from roost.app.cli.common import emit_json; emit_json({'code': 1}); os._exit(0)"
    ended = subprocess.run([sys.executable, "-c", script], env=buffered, capture_output=True, text=True, check=True)
    assert ended.stdout == '{"code":1}\n'


def test_numbers_and_nouns_agree() -> None:
    assert [count_of(number, "run") for number in (0, 1, 1000)] == ["0 runs", "1 run", "1,000 runs"]


def test_a_module_is_loaded_by_name() -> None:
    assert loaded("roost.app.cli.exits").WELL == 0


def test_values_are_pairs() -> None:
    assert pairs_of(("a=1", "b=x=y", "c=")) == {"a": "1", "b": "x=y", "c": ""}
    with pytest.raises(InvalidInput, match="write it as NAME=VALUE"):
        pairs_of(("=1",))
