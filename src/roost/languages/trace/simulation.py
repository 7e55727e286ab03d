"""Recorded tasks as timed placeholders, so that other people's published workflows can be replayed.

A placeholder looks whether its inputs have come, waits as long as the task once took, and leaves files as large as the
task once left. It is a line for /bin/sh: every machine has that, it starts in a millisecond, and its files are outputs
like any other and travel as such. What a file holds is unlike in every run and task, because equal files are kept
once and would not travel.
"""

import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from roost.languages.braces import literal
from roost.languages.trace.recorded import recorded_json
from roost.model.recorded import Replayed

#: What takes less takes no time at all.
_SHORTEST_S: Final = 0.0005
#: What begins every placeholder: its arguments are its inputs.
LOOK: Final = 'for f;do [ -f "$f" ]||{ echo "$f has not come">&2;exit 1;};done'
#: The same for very many inputs, which stand in the lines below, up to a dot: programs can be given only so many words.
LOOK_BELOW: Final = 'while IFS= read -r f;do [ -f "$f" ]||{ echo "$f has not come">&2;exit 1;};done <<"."'
_END_OF_INPUTS: Final = "."
#: Files that a command names as words; where there are more, it gets a list.
FILES_AS_WORDS_MAX: Final = 1_000
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


def placeholder_command(seconds: float, sizes: Mapping[str, int], inputs: Collection[str]) -> dict[str, Any]:
    """Return argv, perhaps stdin, and what the command was; ``sizes`` are by path, ``inputs`` words for paths."""
    is_listed = len(inputs) > FILES_AS_WORDS_MAX
    steps = [LOOK_BELOW, *inputs, _END_OF_INPUTS] if is_listed else [LOOK] if inputs else []
    if seconds >= _SHORTEST_S:
        steps.append(f"sleep {seconds:.3f}")
    for number, (path, size) in enumerate(sizes.items()):
        step = f"yes {{task}}.{number}|head -c {size} >" if size else ":>"
        steps.append(_with_folder(step, path))
    line, recorded = JOIN.join(steps) or ":", recorded_json(Replayed(seconds, dict(sizes)))
    if is_listed:
        return {"argv": ["/bin/sh", "-es"], "stdin": line + JOIN, "recorded": recorded}
    if len(line) <= ARGUMENT_LENGTH_MAX:
        return {"argv": ["/bin/sh", "-ec", line, "placeholder", *inputs], "recorded": recorded}
    return {"argv": ["/bin/sh", "-es", *inputs], "stdin": line, "recorded": recorded}


def _with_folder(step: str, path: str) -> str:
    folder = f"mkdir -p {_quoted(path.rpartition('/')[0])};" if "/" in path else ""
    return f"{folder}{step}{_quoted(path)}"


def _quoted(path: str) -> str:
    return literal(shlex.quote(path))
