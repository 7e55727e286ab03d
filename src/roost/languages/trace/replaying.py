"""Tasks of a trace as placeholders."""

from collections.abc import Mapping
from typing import Any

from roost.languages.braces import literal
from roost.languages.problems import shown
from roost.languages.trace.names import inside_paths
from roost.languages.trace.simulation import Simulation, placeholder_command
from roost.languages.trace.trace import Arriving, Trace, TraceProblems, TraceTask
from roost.model.limits import DURATION_S_MAX, SIZE_BYTES_MAX
from roost.model.resources import format_size

#: From here on a person should know before the disk is full.
_MUCH_BYTES = 10 * 1024**3


class Replay:
    """Makes placeholders and adds up what they will write."""

    def __init__(self, trace: Trace, simulation: Simulation, problems: TraceProblems) -> None:
        self._sizes = trace.sizes
        self._simulation = simulation
        self._problems = problems
        self._written = 0
        self._files = 0

    def work(
        self, at: int, task: TraceTask, outside: list[str], arriving: Arriving, names: Mapping[str, str]
    ) -> dict[str, Any]:
        if outside and self._sizes is not None:
            self._check_outside(at, task, outside)
        sizes, paths = self._sizes_of(at, task.outputs), inside_paths(task.outputs)
        by_path = {paths[file]: size for file, size in sizes.items()}
        command = placeholder_command(self._seconds(at, task), by_path, arriving.values())
        outputs = {names[file]: literal(path) for file, path in paths.items()}
        if outputs:
            command["outputs"] = outputs
        return {"command": command}

    def warnings(self) -> list[str]:
        warnings = []
        if self._sizes is None and self._files:
            warnings.append("the document says of no file how large it is; the files will be empty")
        if self._written >= _MUCH_BYTES:
            much = f"the placeholders will write {format_size(self._written)} in all"
            warnings.append(f"{much}; scale the sizes if that is too much")
        return warnings

    def _seconds(self, at: int, task: TraceTask) -> float:
        if task.seconds is None:
            self._problems.warn(
                "seconds", (at, "seconds", 0), f"no runtime of task {shown(task.id)} was recorded; it will take no time"
            )
            return 0
        seconds = self._simulation.seconds(task.seconds)
        if not 0 <= seconds <= DURATION_S_MAX:
            self._problems.add(
                (at, "seconds", 0), f"task {shown(task.id)} would take {seconds:g} seconds; mend its runtime"
            )
        return seconds

    def _sizes_of(self, at: int, files: list[str]) -> dict[str, int]:
        if self._sizes is None:
            self._files += len(files)
            return dict.fromkeys(files, 0)
        sizes = {}
        for number, file in enumerate(files):
            recorded = self._sizes.get(file)
            if recorded is None:
                unknown = f"the size of {shown(file)} was not recorded; the file will be empty"
                self._problems.warn("sizes", (at, "outputs", number), unknown)
                recorded = 0
            size = self._simulation.size(recorded)
            if size > SIZE_BYTES_MAX:
                self._problems.add((at, "outputs", number), f"{shown(file)} would have {size:,} bytes; mend its size")
            self._written += size
            sizes[file] = size
        return sizes

    def _check_outside(self, at: int, task: TraceTask, outside: list[str]) -> None:
        assert self._sizes is not None
        for file in outside:
            if file not in self._sizes:
                unknown = f"task {shown(task.id)} reads {shown(file)}, which no task writes and whose size was not"
                place = (at, "inputs", task.inputs.index(file))
                self._problems.warn("outside", place, f"{unknown} recorded; it is taken to be there")
