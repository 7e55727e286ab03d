"""What a command was in the recorded workflow that it comes from. Traces, outlines and reports tell that.

Rules:
- It changes nothing: neither what runs, nor whether a result is taken over.
- What the command itself says is not said again. The words of a program are always words that run.
"""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from roost.model.errors import InvalidInput
from roost.model.limits import (
    COMMAND_WORDS_MAX,
    DURATION_S_MAX,
    RECORDED_FILES_MAX,
    RECORDED_NAME_LENGTH_MAX,
    SIZE_BYTES_MAX,
)

_FileName: TypeAlias = Annotated[str, Meta(max_length=RECORDED_NAME_LENGTH_MAX)]
_Size: TypeAlias = Annotated[int, Meta(ge=0, le=SIZE_BYTES_MAX)]


class Replayed(msgspec.Struct, frozen=True, gc=False, tag="replayed", omit_defaults=True, forbid_unknown_fields=True):
    """A placeholder: it waits as long as the task once took, and leaves files as large as the task once left."""

    seconds: Annotated[float, Meta(ge=0, le=DURATION_S_MAX)]
    #: Bytes of the files that it leaves, by their paths in its folder.
    sizes: Annotated[dict[_FileName, _Size], Meta(max_length=RECORDED_FILES_MAX)] = {}


class Staged(msgspec.Struct, frozen=True, gc=False, tag="staged", omit_defaults=True, forbid_unknown_fields=True):
    """The task's own program, before which its files are put into its folder under their own names."""

    #: Which word of the command, counted from 0, is the program; the words before it put the files in place.
    program_at: Annotated[int, Meta(ge=1, le=COMMAND_WORDS_MAX)]
    #: Files that are its standard streams.
    stdin: _FileName = ""
    stdout: _FileName = ""
    stderr: _FileName = ""
    #: Files among those put in place that no task leaves.
    outside: Annotated[list[_FileName], Meta(max_length=RECORDED_FILES_MAX)] = []


Recorded: TypeAlias = Replayed | Staged


def check_recorded(recorded: Recorded, words: int) -> None:
    """Raise InvalidInput if a command of so many words cannot have been this."""
    if isinstance(recorded, Staged) and recorded.program_at >= words:
        raise InvalidInput(f"its program cannot be word {recorded.program_at:,}: the command has {words:,}, from 0")
