"""The folder of programs that LAN's clients may schedule, each with its description if the owner put one beside it.

A client names a program and nothing more (LAN 4.2): what does not lie in this folder cannot be run through the port.
``import.xml`` beside ``import`` is its task description (LAN 4.3); then what is scheduled is checked against it.
"""

import os
import stat
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import TASK_NAME
from roost.model.limits import LAN_DESCRIPTION_BYTES_MAX, PROGRAMS_MAX
from roost.model.visible import quoted

if TYPE_CHECKING:
    from roost.languages.lan.description import DescribedInput, TaskDescription

_NAMES_SHOWN: Final = 10
_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}


class GivenInput(NamedTuple):
    """What ``-a`` leads to: the program behind the task, and which of its outputs."""

    program: str
    nth: int


class Programs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self) -> None:
        """Make the folder if it is missing. Raise InvalidInput if it is none, or anybody may put programs there."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            mode = self.folder.stat().st_mode
        except OSError as error:
            raise InvalidInput(f"the programs' folder {self.folder} cannot be used: {error.strerror}") from error
        if mode & stat.S_IWOTH:
            raise InvalidInput(f"everybody may write to the programs' folder {self.folder}; forbid it with 'chmod o-w'")

    def names(self) -> tuple[str, ...]:
        """Return which programs this node can run, sorted; none if there is no such folder, or anybody may write to it.

        Of more than PROGRAMS_MAX the first few count.
        """
        try:
            if self.folder.stat().st_mode & stat.S_IWOTH:
                return ()
            with os.scandir(self.folder) as entries:
                found = sorted(entry.name for entry in entries if TASK_NAME.fullmatch(entry.name) and entry.is_file())
        except OSError:
            return ()
        programs = (name for name in found if os.access(self.folder / name, os.X_OK))
        return tuple(islice(programs, PROGRAMS_MAX))

    def find(self, name: str) -> Path:
        """Return where the program is. Raise NotFound, with those that there are, if it is not."""
        if not TASK_NAME.fullmatch(name):
            raise InvalidInput(
                f"{quoted(name)} cannot be a program; give the name of a file in the programs' folder, without a path: "
                "letters, digits, '_', '-' and '.', at most 64, a letter first"
            )
        path = self.folder / name
        if not path.is_file():
            raise NotFound(f"there is no program {quoted(name)} in {self.folder}; {self._offer()}")
        if not os.access(path, os.X_OK):
            raise InvalidInput(f"{path} is not executable; the owner of the node can change that with 'chmod +x'")
        return path

    def check_inputs(self, program: str, given: Sequence[GivenInput]) -> None:
        """Raise InvalidInput if the program is described, and needs other inputs than it is given."""
        description = self.description(program)
        if description is None:
            return
        if len(given) != len(description.inputs):
            raise InvalidInput(f"{program} takes {_inputs(description.inputs)}, but -a was given {_times(len(given))}")
        for position, (wanted, got) in enumerate(zip(description.inputs, given, strict=True), start=1):
            got_type = self._type_of(got.program)
            if (got_type, got.nth) != (wanted.task_type, wanted.nth):
                raise InvalidInput(
                    f"the {_ordinal(position)} input of {program} is {_output(wanted.task_type, wanted.nth)}, "
                    f"but -a leads to {_output(got_type, got.nth)}"
                )

    def description(self, program: str) -> "TaskDescription | None":
        """Read what is said of the program, if anything is. Raise InvalidInput with file and line if it is wrong."""
        # Only here: every node has such a folder, and few have anything in it.
        from roost.languages.lan.description import read_description  # noqa: PLC0415 - see above

        path = self.folder / f"{program}.xml"
        try:
            with path.open("rb") as file:
                return read_description(file.read(LAN_DESCRIPTION_BYTES_MAX + 1), path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error

    def _type_of(self, program: str) -> str:
        description = self.description(program)
        return program if description is None else description.type

    def _offer(self) -> str:
        names = sorted(path.name for path in self.folder.iterdir() if path.is_file() and os.access(path, os.X_OK))
        if not names:
            return "it has none so far"
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        return f"it has {', '.join(names[:_NAMES_SHOWN])}{more}"


def _inputs(wanted: Sequence["DescribedInput"]) -> str:
    if not wanted:
        return "no inputs"
    listed = ", ".join(_output(one.task_type, one.nth) for one in wanted)
    return f"{len(wanted)} input{'s' if len(wanted) > 1 else ''} ({listed})"


def _output(task_type: str, nth: int) -> str:
    return f"the {_ordinal(nth)} output of {task_type}"


def _times(count: int) -> str:
    return {0: "not at all", 1: "once"}.get(count, f"{count} times")


def _ordinal(number: int) -> str:
    return f"{number}{'th' if 10 < number % 100 < 14 else _ENDINGS.get(number % 10, 'th')}"
