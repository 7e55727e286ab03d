"""``commands.txt``: one command a line, each run by /bin/sh as if it had been typed."""

from roost.languages.commands.reader import read_commands
from roost.languages.commands.writer import write_commands

__all__ = ["read_commands", "write_commands"]
