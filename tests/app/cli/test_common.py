"""What the commands share."""

import pytest

from roost.app.cli.common import count_of, emit_json, hint, loaded, say


def test_data_goes_to_stdout_and_everything_else_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    say("data")
    hint("a hint")
    emit_json({"a": [1, "ö"]})
    assert capsys.readouterr() == ('data\n{"a":[1,"ö"]}\n', "a hint\n")


def test_numbers_and_nouns_agree() -> None:
    assert [count_of(number, "run") for number in (0, 1, 1000)] == ["0 runs", "1 run", "1,000 runs"]


def test_a_module_is_loaded_by_name() -> None:
    assert loaded("roost.app.cli.exits").WELL == 0
