"""How the tasks of a trace hang together: who waits for whom, and which file comes from which of them."""

from collections.abc import Container, Sequence

import msgspec

from roost.languages.circles import circle_in
from roost.languages.problems import PROBLEMS_SHOWN, did_you_mean, shown
from roost.languages.trace.names import TraceNames
from roost.languages.trace.trace import Arriving, Trace, TraceProblems, TraceTask
from roost.model.limits import EDGES_MAX

#: Names in a circle that are told.
_CIRCLE_SHOWN = 8


class TaskLinks(msgspec.Struct, frozen=True, gc=False):
    """What one task waits for."""

    #: The tasks that it waits for, by their positions, and the edges from them as the API takes them, in this order.
    sources: list[int]
    edges: list[dict[str, str]]
    arriving: Arriving
    #: Files that no other task writes.
    outside: list[str]


def link_tasks(trace: Trace, names: TraceNames, problems: TraceProblems) -> list[TaskLinks]:
    """Return the links of each task, in order; note unknown parents, doubled ids and circles."""
    positions = _positions(trace.tasks, problems)
    writers = _writers(trace.tasks)
    links = []
    for at, task in enumerate(trace.tasks):
        # The port at which files of a source arrive; None if it has handed over nothing yet.
        ports: dict[int, str | None] = {}
        arriving: Arriving = {}
        outside: list[str] = []
        for parent in task.parents:
            source = positions.get(parent, at)
            if source == at:
                _note_parent(at, task, parent, positions, problems)
            else:
                ports[source] = None
        in_use = 0
        for file in task.inputs:
            writer = _nearest(writers.get(file, [at]), at, ports)
            if writer == at:
                outside.append(file)
                continue
            port = ports.get(writer)
            if port is None:
                port = ports[writer] = f"p{in_use}"
                in_use += 1
            arriving[file] = f"{{needs.{port}.{names.files[writer][file]}}}"
        edges = [edge_from(names.tasks[source], port) for source, port in ports.items()]
        links.append(TaskLinks(list(ports), edges, arriving, outside))
        if len(ports) > EDGES_MAX:
            _note_edges(at, task, len(ports), problems)
    if not problems:
        _check_circles(trace.tasks, links, problems)
    return links


def edge_from(source: str, port: str | None) -> dict[str, str]:
    """Return the edge from a task as the API takes it; without a port, nothing is handed over."""
    if port is None:
        return {"source": source, "kind": "after"}
    return {"source": source, "kind": "broadcast", "port": port}


def _note_edges(at: int, task: TraceTask, count: int, problems: TraceProblems) -> None:
    wrong = f"task {shown(task.id)} waits for {count:,} others; at most {EDGES_MAX:,} are allowed"
    problems.add((at, "parents", 0), f"{wrong}; gather them in several steps")


def _positions(tasks: Sequence[TraceTask], problems: TraceProblems) -> dict[str, int]:
    positions: dict[str, int] = {}
    for at, task in enumerate(tasks):
        if task.id in positions:
            problems.add((at, "id", 0), f"the id {shown(task.id)} is another task's already; give each task its own")
        positions[task.id] = at
    return positions


def _writers(tasks: Sequence[TraceTask]) -> dict[str, list[int]]:
    """Return who writes each file."""
    writers: dict[str, list[int]] = {}
    for at, task in enumerate(tasks):
        for file in task.outputs:
            writers.setdefault(file, []).append(at)
    return writers


def _note_parent(at: int, task: TraceTask, parent: str, positions: dict[str, int], problems: TraceProblems) -> None:
    place = (at, "parents", task.parents.index(parent))
    if parent in positions:
        problems.add(place, f"task {shown(task.id)} is its own parent; remove it there")
        return
    # Comparing with every name takes long, and what many tasks lack is seldom a slip of the pen.
    near = did_you_mean(parent, positions) if len(problems.found) < PROBLEMS_SHOWN else ""
    hint = near or "; add it, or remove it from the parents"
    problems.add(place, f"task {shown(task.id)} has the parent {shown(parent)}, which is not in this file{hint}")


def _nearest(writers: list[int], at: int, sources: Container[int]) -> int:
    """Choose among those that write a file: a parent, else the first; a task that changes it had it from outside."""
    return next((writer for writer in writers if writer in sources), at if at in writers else writers[0])


def _check_circles(tasks: Sequence[TraceTask], links: Sequence[TaskLinks], problems: TraceProblems) -> None:
    found = circle_in({at: link.sources for at, link in enumerate(links)})
    if not found:
        return
    # People say who needs whom, and begin with the first of them.
    circle = [found[0], *found[:0:-1]]
    named = [tasks[at].id for at in circle]
    words = named if len(named) <= _CIRCLE_SHOWN else [*named[: _CIRCLE_SHOWN - 2], "...", named[-1]]
    problems.add(
        (circle[0], "parents", 0),
        f"these tasks wait for each other in a circle: {' needs '.join([*words, named[0]])}; "
        "remove one of these parents or files",
    )
