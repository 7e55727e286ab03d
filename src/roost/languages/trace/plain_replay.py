"""A quick way from the tasks of a recorded workflow to their placeholders, for documents as programs write them.

Every task stands after those that it waits for, ids of tasks and files can be names as they are, each file has one
writer and a size, and each task a runtime. Tasks are taken while the document is read, and let go: coming back to a
hundred thousand of them, which no cache of a processor holds, takes as long as making placeholders of them. The first
thing that is otherwise ends the attempt, and the careful way reads the whole document: nobody else tells of mistakes.
Both give the same submission.
"""

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import Any, Final, TypeAlias

from roost.languages.trace.graph import PORTS, edge_from
from roost.languages.trace.ids import are_numbers, telling_id
from roost.languages.trace.names import are_output_names, are_task_names
from roost.languages.trace.replaying import about_bytes
from roost.languages.trace.simulation import ARGUMENT_LENGTH_MAX, FILES_AS_WORDS_MAX, JOIN, LOOK, Simulation, wait_step
from roost.model.limits import DURATION_S_MAX, EDGES_MAX, SIZE_BYTES_MAX, TASKS_MAX

#: The id, the kind, the parents, the inputs, the outputs, and the seconds of a task.
PlainTask: TypeAlias = tuple[str, str, list[str], list[str], list[str], float | None]
#: Tasks whose names and numbers are looked at together: so few that they are still at hand when their turn comes, and
#: more than it takes to see whether ids only count.
_TOGETHER: Final = 500


class NotPlainError(Exception):
    """There is something that the careful way has to look at."""


class PlainReplay:
    """Makes placeholders of tasks that come in the order of their document."""

    def __init__(self, simulation: Simulation, sizes: Mapping[str, int]) -> None:
        """``sizes`` are those that files are to have; they must be known when the task comes that writes the file."""
        self._simulation = simulation
        self._sizes = sizes
        self._made: list[dict[str, Any]] = []
        self._names: list[str] = []
        self._is_telling = False
        self._positions: dict[str, int] = {}
        #: The task that writes each file, and how many files tasks write.
        self._writers: dict[str, int] = {}
        self._files = 0
        #: Files that were read and not written before.
        self.outside: set[str] = set()
        #: The last edge from each task: most of those that follow it are its like, and equal ones are kept once.
        self._edges: list[dict[str, str] | None] = []

    def tasks(self, plain: Iterator[PlainTask]) -> list[dict[str, Any]]:
        """Return the tasks as the HTTP API takes them. Raise NotPlainError if one of them is not plain."""
        try:
            while together := list(islice(plain, _TOGETHER)):
                self._look_at(together)
                self._add(together)
        except KeyError:
            # The id of a parent that does not stand above, or a file of no known size.
            raise NotPlainError from None
        if not self._made or not len(self._positions) == len(self._names) == len(set(self._names)):
            raise NotPlainError
        if len(self._writers) < self._files or not self.outside.isdisjoint(self._writers):
            raise NotPlainError
        if "" in self.outside or max(self._sizes.values(), default=0) > SIZE_BYTES_MAX:
            raise NotPlainError
        return self._made

    def warnings(self) -> list[str]:
        return about_bytes(sum(map(self._sizes.__getitem__, self._writers)))

    def _look_at(self, tasks: list[PlainTask]) -> None:
        """Look at what can be seen of all of them together, and name them."""
        ids, kinds, _, inputs, outputs, _ = zip(*tasks, strict=True)
        if not self._names:
            self._is_telling = are_numbers(ids)
        names = list(map(telling_id, ids, kinds)) if self._is_telling else ids
        files = list(chain.from_iterable(outputs))
        if not are_task_names(names) or not are_output_names(files) or len(self._names) > TASKS_MAX - len(names):
            raise NotPlainError
        if sum(map(len, map(set, inputs))) < sum(map(len, inputs)):
            raise NotPlainError
        self._names += names
        self._files += len(files)
        self._edges += [None] * len(names)

    def _waits(self, tasks: list[PlainTask]) -> dict[float | None, tuple[str, str]]:
        """Return how placeholders begin, by recorded seconds: without inputs, and with some."""
        waits: dict[float | None, tuple[str, str]] = {}
        for recorded in {task[-1] for task in tasks}:
            seconds = -1 if recorded is None else self._simulation.seconds(recorded)
            if not 0 <= seconds <= DURATION_S_MAX:
                raise NotPlainError
            wait = wait_step(seconds)
            wait = wait and JOIN + wait
            waits[recorded] = wait, f"{JOIN}{LOOK}{wait}"
        return waits

    def _add(self, tasks: list[PlainTask]) -> None:
        made, names, positions, writers = self._made, self._names, self._positions, self._writers
        edges, sizes, waits, position = self._edges, self._sizes, self._waits(tasks), self._positions.__getitem__
        for at, (own, _, parents, inputs, files, seconds) in enumerate(tasks, len(made)):
            # The edge from each source; None if it has handed over nothing yet.
            sources: dict[int, dict[str, str] | None] = dict.fromkeys(map(position, parents))
            argv = ["/bin/sh", "-ec", "", "placeholder"]
            if len(sources) < len(parents):
                raise NotPlainError
            in_use = 0
            for file in inputs:
                writer = writers.get(file)
                if writer is None:
                    self.outside.add(file)
                    continue
                edge = sources.get(writer)
                if edge is None:
                    port = PORTS[in_use] if in_use < len(PORTS) else f"p{in_use}"
                    in_use += 1
                    edge = edges[writer]
                    if edge is None or edge.get("port") != port:
                        edge = edges[writer] = edge_from(names[writer], port)
                    sources[writer] = edge
                else:
                    port = edge["port"]
                argv.append(f"{{needs.{port}.{file}}}")
            line = waits[seconds][in_use > 0]
            outputs: dict[str, str] = {}
            for file in files:
                size = sizes[file]
                line += f"{JOIN}yes {{task}}.{len(outputs)}|head -c {size} >{file}" if size else f"{JOIN}:>{file}"
                outputs[file] = file
                writers[file] = at
            argv[2] = line[1:] or ":"
            positions[own] = at
            command = {"argv": argv, "outputs": outputs} if outputs else {"argv": argv}
            if in_use < len(sources):
                self._add_silent(sources)
            if sources:
                made.append({"command": command, "name": names[at], "edges": list(sources.values())})
            else:
                made.append({"command": command, "name": names[at]})
            if len(line) > ARGUMENT_LENGTH_MAX or len(sources) > EDGES_MAX or len(argv) > FILES_AS_WORDS_MAX:
                raise NotPlainError

    def _add_silent(self, sources: dict[int, dict[str, str] | None]) -> None:
        """Add the edges from those that hand over nothing."""
        for source, edge in sources.items():
            if edge is None:
                last = self._edges[source]
                if last is None or "port" in last:
                    last = self._edges[source] = edge_from(self._names[source], None)
                sources[source] = last
