"""What the elements of a command would run."""

import pytest

from roost.app.cli.expanding import expanded_commands, indices_of
from roost.model.errors import InvalidInput
from roost.model.task import Command


def test_each_element_has_its_own_command() -> None:
    command = Command(("echo", "{i}", "{item.x}"), cwd="/{i}", env={"RUN": "{run}/{task}"}, stdin="{item.x}")
    found = list(expanded_commands(command, [{"x": 1}, {"x": "b"}], "5,7"))
    assert [one.argv for one in found] == [["echo", "5", "1"], ["echo", "7", "b"]]
    assert [(one.cwd, one.stdin) for one in found] == [("/5", "1"), ("/7", "b")]
    assert found[0].env == {b"RUN": b"{run}/{task}"}


def test_what_is_no_array_runs_once() -> None:
    assert [one.argv for one in expanded_commands(Command(("true", "{}")), None, None)] == [["true", "{}"]]
    assert str(indices_of(None, None)) == "0"
    assert str(indices_of(["a", "b"], None)) == "0-1"


def test_an_item_that_lacks_a_field_is_told() -> None:
    with pytest.raises(InvalidInput, match="lacks"):
        list(expanded_commands(Command(("echo", "{item.y}")), [{"x": 1}], None))
