"""Programs that every node keeps in a folder of its own, and that tasks name without a path (LAN 4.2)."""

from pathlib import Path

import msgspec

from roost.executors.template import literal
from roost.model.task import Command


def located(command: Command, folder: Path | None) -> Command:
    """Return a command as this node runs it: a program that it only names is in ``folder``, and runs there."""
    if not command.program or folder is None:
        return command
    _, *arguments = command.argv
    path = literal(str(folder / command.program))
    return msgspec.structs.replace(command, argv=(path, *arguments), cwd=literal(str(folder)), program="")
