"""A trace to the HTTP API's submission, as it is or as placeholders."""

from pathlib import Path
from typing import Any

from roost.languages.trace.graph import link_tasks
from roost.languages.trace.names import TraceNames
from roost.languages.trace.replaying import Replay
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.staging import Staging
from roost.languages.trace.trace import Trace, TraceProblems
from roost.model.limits import NAME_LENGTH_MAX, TASKS_MAX


def trace_submission(
    trace: Trace, folder: Path, simulation: Simulation | None, problems: TraceProblems
) -> tuple[dict[str, Any], list[str]]:
    """Return the submission and warnings; they count only if no problems were noted.

    ``folder`` is where files are that no task writes.
    """
    if not 0 < len(trace.tasks) <= TASKS_MAX:
        problems.add((0, "tasks", 0), f"the workflow has {len(trace.tasks):,} tasks; use 1 to {TASKS_MAX:,}")
        return {}, []
    names = TraceNames(trace)
    links = link_tasks(trace, names, problems)
    making: Replay | Staging = Staging(trace, folder, problems)
    if simulation is not None:
        making = Replay(trace, simulation, problems)
    tasks = []
    for at, (task, link) in enumerate(zip(trace.tasks, links, strict=True)):
        made = making.work(at, task, link.outside, link.arriving, names.files[at])
        made["name"] = names.tasks[at]
        if link.edges:
            made["edges"] = link.edges
        tasks.append(made)
    submission = {"name": _title(trace.name), "kind": "flow", "cwd": None, "final": [], "tasks": tasks}
    return submission, making.warnings()


def _title(name: str) -> str:
    """Return a name for the run; what the document calls the workflow may be none."""
    title = " ".join(name.split())[:NAME_LENGTH_MAX]
    return title if title.isprintable() and title else "workflow"
