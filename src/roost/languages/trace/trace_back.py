"""A submission back to the trace that it was made from, as far as it still knows it.

A replay does not name files of the outside, and programs that are run as they are have no recorded runtimes. What other
submissions hold besides commands (functions, arrays) is told as tasks without a command.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from roost.languages.braces import literal, plain
from roost.languages.environment import inherited_env
from roost.languages.placeholders import Placeholder as Named
from roost.languages.placeholders import placeholders_in, replace_placeholders
from roost.languages.trace.simulation import placeholder_of
from roost.languages.trace.staging import Unstaged, unstaged
from roost.languages.trace.trace import Trace, TraceTask


def trace_of(submission: Mapping[str, Any]) -> Trace:
    tasks = submission["tasks"]
    files = _FileIds(tasks)
    sizes: dict[str, int] = {}
    made = [_task(task, files, sizes) for task in tasks]
    return Trace(submission.get("name") or "workflow", made, sizes or None)


class _FileIds:
    """Which id each output has: its path, or task and path where several tasks leave files of one path."""

    def __init__(self, tasks: list[Mapping[str, Any]]) -> None:
        self._paths = {
            (task["name"], name): plain(path)
            for task in tasks
            for name, path in ((task.get("command") or {}).get("outputs") or {}).items()
        }
        self._count = Counter(self._paths.values())

    def of(self, task: str, name: str) -> str:
        path = self._paths.get((task, name), name)
        return path if self._count[path] <= 1 else f"{task}/{path}"


def _task(task: Mapping[str, Any], files: _FileIds, sizes: dict[str, int]) -> TraceTask:
    command = task.get("command") or {}
    name, outputs = task["name"], command.get("outputs") or {}
    ports = {edge["port"]: edge["source"] for edge in task.get("edges") or () if edge.get("port")}

    def arriving(found: Named) -> str | None:
        """Return the file of another task that a placeholder stands for, None if it stands for something else."""
        port, *rest = found.path or ("",)
        return files.of(ports[port], ".".join(rest)) if found.root == "needs" and rest and port in ports else None

    placeholder = placeholder_of(command)
    run = Unstaged([], {}, []) if placeholder is not None else unstaged(command.get("argv") or [], command.get("stdin"))
    texts = [*(command.get("argv") or ()), command.get("stdin") or ""]
    inputs = [file for text in texts for found in placeholders_in(text) if (file := arriving(found)) is not None]
    if placeholder is not None:
        for output, path in outputs.items():
            sizes[files.of(name, output)] = placeholder.sizes.get(plain(path), 0)
    return TraceTask(
        id=name,
        kind=name,
        # A file of another task lies beside the program, under its own name.
        argv=[
            plain(replace_placeholders(word, lambda found: literal(arriving(found) or str(found)))) for word in run.argv
        ]
        or None,
        inputs=list(dict.fromkeys([*inputs, *run.outside])),
        outputs=[files.of(name, output) for output in outputs],
        parents=list(dict.fromkeys(edge["source"] for edge in task.get("edges") or ())),
        seconds=None if placeholder is None else placeholder.seconds,
        cpus=task.get("cpus") or 1.0,
        stdin=run.streams.get("stdin", ""),
        stdout=run.streams.get("stdout", ""),
        stderr=run.streams.get("stderr", ""),
        env=_variables(command) or None,
    )


def _variables(command: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables that are the task's own."""
    inherited = inherited_env()
    return {name: plain(text) for name, text in (command.get("env") or {}).items() if inherited.get(name) != text}
