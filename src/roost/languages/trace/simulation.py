"""Recorded tasks as timed placeholders, so that other people's published workflows can be replayed.

A placeholder looks whether its inputs have come, waits as long as the task once took, and leaves files as large as the
task once left. It is a line for /bin/sh: every machine has that, it starts in a millisecond, and its files are outputs
like any other and travel as such. What a file holds is unlike in every run and task, because equal files are kept
once and would not travel.
"""

import re
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from roost.languages.braces import literal, plain

#: What begins every placeholder: its arguments are its inputs.
LOOK: Final = 'for f;do [ -f "$f" ]||{ echo "$f has not come">&2;exit 1;};done'
#: The same for very many inputs, which stand in the lines below, up to a dot: programs can be given only so many words.
LOOK_BELOW: Final = 'while IFS= read -r f;do [ -f "$f" ]||{ echo "$f has not come">&2;exit 1;};done <<"."'
_END_OF_INPUTS: Final = "."
#: Files that a command names as words; where there are more, it gets a list.
FILES_AS_WORDS_MAX: Final = 1_000
_WAIT: Final = re.compile(r"sleep ([0-9.]+)")
_WRITE: Final = re.compile(r"(?:mkdir -p [^\n]*;)?(?:yes \{task\}\.\d+\|head -c (\d+) |:)>([^\n]*)")
#: A longer line does not fit into one argument of a program, and is handed over as its input instead.
ARGUMENT_LENGTH_MAX: Final = 100_000
#: What joins the steps of the line; no step holds a line end, because no name of a file does.
JOIN: Final = "\n"


@dataclass(frozen=True, slots=True)
class Simulation:
    """How a recorded workflow is replayed: recorded seconds times ``time_scale``, bytes times ``size_scale``."""

    time_scale: float = 1.0
    size_scale: float = 1.0

    def seconds(self, recorded: float) -> float:
        return recorded * self.time_scale

    def size(self, recorded: int) -> int:
        return recorded if self.size_scale == 1 else round(recorded * self.size_scale)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """What a placeholder does; ``sizes`` is by path."""

    seconds: float
    sizes: Mapping[str, int]


def placeholder_command(
    seconds: float, sizes: Mapping[str, int], inputs: Collection[str], *, plain: bool = False
) -> dict[str, Any]:
    """Return the argv (and perhaps the stdin) of a command; ``sizes`` are by path, ``inputs`` are words for paths.

    ``plain``: no path of ``sizes`` needs quotes.
    """
    is_listed = len(inputs) > FILES_AS_WORDS_MAX
    steps = [LOOK_BELOW, *inputs, _END_OF_INPUTS] if is_listed else [LOOK] if inputs else []
    if wait := wait_step(seconds):
        steps.append(wait)
    for number, (path, size) in enumerate(sizes.items()):
        step = f"yes {{task}}.{number}|head -c {size} >" if size else ":>"
        steps.append(step + path if plain else _with_folder(step, path))
    line = JOIN.join(steps) or ":"
    if is_listed:
        return {"argv": ["/bin/sh", "-es"], "stdin": line + JOIN}
    if len(line) <= ARGUMENT_LENGTH_MAX:
        return {"argv": ["/bin/sh", "-ec", line, "placeholder", *inputs]}
    return {"argv": ["/bin/sh", "-es", *inputs], "stdin": line}


def wait_step(seconds: float) -> str:
    """Return the step that waits so long; nothing if that is no time at all."""
    return f"sleep {seconds:.3f}" if seconds >= 0.0005 else ""


def placeholder_of(command: Mapping[str, Any]) -> Placeholder | None:
    """Return what a command does if it is a placeholder: the way back."""
    argv = command.get("argv", [])
    if argv[:2] == ["/bin/sh", "-ec"] and argv[3:4] == ["placeholder"]:
        line = argv[2]
    elif argv[:2] == ["/bin/sh", "-es"] and command.get("stdin"):
        line = command["stdin"]
    else:
        return None
    seconds, sizes = 0.0, {}
    steps = iter(line.split(JOIN))
    for step in steps:
        if step == LOOK_BELOW:
            while next(steps, _END_OF_INPUTS) != _END_OF_INPUTS:
                pass
        elif wait := _WAIT.fullmatch(step):
            seconds = float(wait[1])
        elif write := _WRITE.fullmatch(step):
            (name,) = shlex.split(plain(write[2]))
            sizes[name] = int(write[1] or 0)
        elif step not in (LOOK, ":", ""):
            return None
    return Placeholder(seconds, sizes)


def _with_folder(step: str, path: str) -> str:
    folder = f"mkdir -p {_quoted(path.rpartition('/')[0])};" if "/" in path else ""
    return f"{folder}{step}{_quoted(path)}"


def _quoted(path: str) -> str:
    return literal(shlex.quote(path))
