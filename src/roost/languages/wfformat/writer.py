"""A trace as a WfFormat 1.5 document: the way back."""

import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from roost.languages.problems import shown
from roost.languages.trace.trace import Trace, TraceTask
from roost.model.errors import InvalidInput

SCHEMA_VERSION = "1.5"


def trace_document(trace: Trace) -> dict[str, Any]:
    """Return the document. Raise InvalidInput for what WfFormat has no words for.

    Nobody has executed the workflow, but the format wants a time for that: it is the beginning of 1970.
    """
    for task in trace.tasks:
        wrong = without_words(task, trace.found_at)
        if wrong:
            raise InvalidInput(f"{wrong}; write a flow (.yaml) or a DAX")
    workflow: dict[str, Any] = {"specification": specification(trace)}
    if any(task.seconds is not None or task.argv for task in trace.tasks):
        workflow["execution"] = {
            "makespanInSeconds": sum(task.seconds or 0.0 for task in trace.tasks),
            "executedAt": timestamp(0.0),
            "tasks": [_executed(task, trace.found_at) for task in trace.tasks],
        }
    return {"name": trace.name, "schemaVersion": SCHEMA_VERSION, "workflow": workflow}


def without_words(task: TraceTask, found_at: Mapping[str, str] = MappingProxyType({})) -> str:
    """Say what of a task WfFormat has no words for; nothing if it has words for all of it."""
    told = {
        "a standard input": task.stdin, "a standard output": task.stdout, "a standard error": task.stderr,
        "variables of its own": ", ".join(task.env or ()),
        "an input whose place is told": next((name for name in task.inputs if name in found_at), ""),
    }  # fmt: skip
    for what, named in told.items():
        if named:
            return f"task {shown(task.id)} has {what} ({shown(named)}), for which WfFormat has no words"
    return ""


def timestamp(at: float) -> str:
    """Write seconds since 1970 as ISO 8601."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def command_json(argv: list[str]) -> dict[str, Any]:
    """Return a command as WfCommons writes it: arguments that a shell would split stand in quotes."""
    return {"program": shlex.quote(argv[0]), "arguments": [shlex.quote(word) for word in argv[1:]]}


def specification(trace: Trace) -> dict[str, Any]:
    """Return what is to be done."""
    children: dict[str, list[str]] = {task.id: [] for task in trace.tasks}
    for task in trace.tasks:
        for parent in task.parents:
            children.setdefault(parent, []).append(task.id)
    told: dict[str, Any] = {"tasks": [_specified(task, children[task.id]) for task in trace.tasks]}
    if trace.sizes is not None:
        told["files"] = [{"id": file, "sizeInBytes": size} for file, size in trace.sizes.items()]
    return told


def _specified(task: TraceTask, children: list[str]) -> dict[str, Any]:
    return {
        "name": task.kind or task.id,
        "id": task.id,
        "parents": task.parents,
        "children": children,
        "inputFiles": task.inputs,
        "outputFiles": task.outputs,
    }


def _executed(task: TraceTask, found_at: Mapping[str, str]) -> dict[str, Any]:
    executed: dict[str, Any] = {"id": task.id, "runtimeInSeconds": task.seconds or 0.0}
    if task.argv:
        executed["command"] = command_json([found_at.get(task.argv[0], task.argv[0]), *task.argv[1:]])
    if task.cpus > 1:
        executed["coreCount"] = task.cpus
    return executed
