"""Commands that run in a fresh folder of their own, and not in the one in which they were submitted.

The program may be given from the submitter's folder; all other words mean what they say. One that names a file of the
submitter's folder would not find it, and is refused with the ways out before anything runs.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final

from roost.executors.reuse.files import candidates
from roost.executors.template import OwnInputs, Template, literal
from roost.languages.environment import SUBMIT_DIR
from roost.model.errors import InvalidInput
from roost.model.ranges import RangeSet
from roost.model.stray import carried
from roost.model.task import Command

#: As ``cwd`` of a flow file: a fresh folder for every element. ``./scratch`` is a folder of that name.
SCRATCH: Final = "scratch"


def runs_apart(cwd: str | None, outputs: Mapping[str, str]) -> bool:
    """Whether every element gets a folder of its own: a person asked for it, or outputs could get mixed up."""
    return cwd == SCRATCH or (cwd is None and bool(outputs))


def from_here(argv: Sequence[str], folder: Path) -> list[str]:
    """Return the words with the full path of a program that is given from this folder."""
    program = argv[0]
    if "/" in program and not program.startswith(("/", "{")):
        program = str(PurePath(literal(carried(bytes(folder))), program))
    return [program, *argv[1:]]


def check_words(task: Mapping[str, Any], folder: Path) -> None:
    """Raise InvalidInput if a word of the task's first element names a file that only this folder has."""
    outputs = [PurePath(path) for path in task["command"]["outputs"].values()]
    # Whoever uses the variable knows where the command runs.
    words = [word for word in _first_words(task)[1:] if SUBMIT_DIR not in word]
    for word in candidates(words):
        if not word.startswith("/") and PurePath(word) not in outputs and _is_file(folder / word):
            raise InvalidInput(
                f"'{word}' is a file in this folder, but with --output every element runs in a folder of its own, "
                f'where it is not; write "$PWD/" before it ("${SUBMIT_DIR}/" inside the text of a shell), or choose '
                "the folder: --cwd . to run here, --cwd scratch if no file is meant"
            )


def _first_words(task: Mapping[str, Any]) -> list[str]:
    items, array = task["items"], task["array"]
    first = RangeSet.parse(array).first if array else 0
    try:
        template = Template(Command(tuple(task["command"]["argv"])), items is not None, {})
        return template.expand(OwnInputs(first, items[0] if items else None)).argv
    except InvalidInput:
        # The node says better what is wrong with a placeholder.
        return []


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
