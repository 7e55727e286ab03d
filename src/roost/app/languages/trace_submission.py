"""A trace to the HTTP API's submission, as it is or as placeholders."""

from pathlib import Path
from typing import Any

from roost.app.languages.replaying import Replay
from roost.app.languages.simulation import Simulation
from roost.app.languages.staging import Staging
from roost.app.languages.trace import Arriving, Trace, TraceProblems
from roost.app.languages.trace_graph import link_tasks
from roost.app.languages.trace_ids import telling_ids
from roost.app.languages.trace_names import output_names, task_names
from roost.model.limits import NAME_LENGTH_MAX, TASKS_MAX

#: The names of the first ports, made once.
_PORTS = [f"p{number}" for number in range(100)]


def trace_submission(
    trace: Trace, folder: Path, simulation: Simulation | None, problems: TraceProblems
) -> tuple[dict[str, Any], list[str]]:
    """Return the submission and warnings; they count only if no problems were noted.

    ``folder`` is where files are that no task writes.
    """
    if not 0 < len(trace.tasks) <= TASKS_MAX:
        problems.add((0, "tasks", 0), f"the workflow has {len(trace.tasks):,} tasks; use 1 to {TASKS_MAX:,}")
        return {}, []
    links = link_tasks(trace, problems)
    making: Replay | Staging = Staging(trace, folder, problems)
    if simulation is not None:
        making = Replay(trace, simulation, problems)
    names = task_names(telling_ids(trace.tasks))
    outputs = [output_names(task.outputs) for task in trace.tasks]
    tasks = []
    for at, (task, link) in enumerate(zip(trace.tasks, links, strict=True)):
        edges, arriving = _edges(trace, link.sources, names, outputs) if link.sources else ([], [])
        made = making.work(at, task, link.outside, arriving, outputs[at])
        made["name"] = names[at]
        if edges:
            made["edges"] = edges
        tasks.append(made)
    return {"name": _title(trace.name), "kind": "flow", "cwd": None, "final": [], "tasks": tasks}, making.warnings()


def _edges(
    trace: Trace, sources: dict[int, list[str]], names: list[str], outputs: list[list[str]]
) -> tuple[list[dict[str, str]], list[Arriving]]:
    """Return the edges of a task, and the files that arrive over them with the words that stand for them."""
    edges: list[dict[str, str]] = []
    arriving: list[Arriving] = []
    for source, files in sources.items():
        if not files:
            edges.append({"source": names[source], "kind": "after"})
            continue
        number = len(edges)
        port = _PORTS[number] if number < len(_PORTS) else f"p{number}"
        edges.append({"source": names[source], "kind": "broadcast", "port": port})
        written, names_of = trace.tasks[source].outputs, outputs[source]
        for file in files:
            name = file if names_of is written else names_of[written.index(file)]
            arriving.append((file, f"{{needs.{port}.{name}}}"))
    return edges, arriving


def _title(name: str) -> str:
    title = " ".join(name.split())[:NAME_LENGTH_MAX]
    return title if title.isprintable() and title else "workflow"
