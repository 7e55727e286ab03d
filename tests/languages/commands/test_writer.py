import pytest

from roost.languages.commands.reader import read_commands
from roost.languages.commands.writer import write_commands
from roost.model.errors import InvalidInput


def test_every_command_stands_on_its_line() -> None:
    assert write_commands(read_commands("# x\na\n\nb c").submission) == "\na\n\nb c\n"


def test_items_without_numbers_begin_on_the_first_line() -> None:
    task = {"name": "x", "command": {"argv": ["/bin/sh", "-c", "{item}"]}, "items": ["a", "b"]}
    assert write_commands({"tasks": [task]}) == "a\nb\n"


@pytest.mark.parametrize(
    "tasks",
    [[], [{"name": "f", "function": {"call": "x:y"}}], [{"name": "c", "command": {"argv": ["true"]}, "items": ["x"]}]],
)
def test_other_runs_are_refused(tasks: list[object]) -> None:
    with pytest.raises(InvalidInput, match="this run was not made of a file of commands; write it as a flow instead"):
        write_commands({"tasks": tasks})
