"""What a command left, as Python sees it."""

import pytest

from roost.client.command_output import CommandOutput, read_command_output
from roost.model.errors import InvalidInput
from roost.wire.values import CommandResult, encode_command_result


def test_a_short_output_is_there_as_it_was() -> None:
    found = read_command_output(encode_command_result(CommandResult(b"a\xff", b"b", datasets=("d",), duration_s=2)))
    assert (found.stdout, found.stderr, found.datasets, found.duration_s) == (b"a\xff", b"b", ("d",), 2)
    assert repr(found) == "CommandOutput(stdout=b'a\\xff', duration_s=2)"
    assert found == CommandOutput(CommandResult(b"a\xff", b"b", datasets=("d",), duration_s=2)) != found.stdout
    assert len({found, found}) == 1


def test_the_beginning_of_a_long_output_is_not_taken_for_the_whole() -> None:
    found = CommandOutput(CommandResult(b"begin", stdout_whole=("ab", 70_000)))
    with pytest.raises(
        InvalidInput, match="wrote 70,000 bytes to its standard output, and the first 64 KiB came along"
    ):
        found.stdout  # noqa: B018 -- a property that raises
    assert (found.stdout_begin, found.stderr, found.stderr_begin) == (b"begin", b"", b"")
    assert repr(found).startswith("CommandOutput(stdout=b'begin'...")
