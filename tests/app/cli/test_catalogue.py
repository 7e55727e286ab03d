"""The list of commands and the files of commands must be the same thing."""

import importlib

import click
import pytest

from roost.app.cli.catalogue import GROUPS, NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_its_file_with_json_and_an_example(name: str) -> None:
    command = importlib.import_module(f"roost.app.cli.{name}").command
    assert isinstance(command, click.Command)
    assert command.name == name
    assert any("--json" in parameter.opts for parameter in command.params)
    assert command.help is not None
    assert "Example:" in command.help
    assert f"roost {name}" in command.help


def test_a_command_is_listed_once_and_its_summary_is_short() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(len(entry.summary) < 70 for entries in GROUPS.values() for entry in entries)
