"""The field ``recorded`` of a submission's commands, in JSON and typed."""

from collections.abc import Mapping
from typing import Any

import msgspec

from roost.model.recorded import Recorded, Replayed, Staged


class _Command(msgspec.Struct, frozen=True, gc=False):
    """What is read of a command; the rest of it is passed over."""

    recorded: Recorded | None = None


def recorded_json(recorded: Recorded) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(recorded)
    return told


def recorded_of(command: Mapping[str, Any]) -> Recorded | None:
    """Return what a command was, if it says so. Raise msgspec.ValidationError for what none can have been."""
    return msgspec.convert(command, _Command).recorded


def own_words(argv: list[str], recorded: Recorded | None) -> list[str]:
    """Return the words of a command that are the program's own; a placeholder has none."""
    match recorded:
        case Replayed():
            return []
        case Staged(program_at=at):
            return argv[at:]
        case None:
            return argv
