"""A submission back to the trace that it was made from, as far as it still knows it.

A replay does not name files of the outside, and programs that are run as they are have no recorded runtimes. What other
submissions hold besides commands (functions, arrays) is told as tasks without a command.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from roost.app.environment import inherited_env
from roost.app.languages.braces import literal, plain
from roost.app.languages.simulation import placeholder_of
from roost.app.languages.staging import Unstaged, unstaged
from roost.app.languages.trace import Trace, TraceTask

_ARRIVING: Final = re.compile(r"\{needs\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_.-]+)\}")


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
    placeholder = placeholder_of(command)
    run = Unstaged([], {}, []) if placeholder is not None else unstaged(command.get("argv") or [], command.get("stdin"))
    arriving = {
        word: files.of(ports[found[1]], found[2])
        for word in (*(command.get("argv") or ()), *(command.get("stdin") or "").split("\n"))
        if (found := _ARRIVING.search(word)) and found[1] in ports
    }
    if placeholder is not None:
        for output, path in outputs.items():
            sizes[files.of(name, output)] = placeholder.sizes.get(plain(path), 0)
    inputs = [*arriving.values(), *run.outside]
    return TraceTask(
        id=name,
        kind=name,
        argv=[plain(_with_file(word, arriving)) for word in run.argv] or None,
        inputs=list(dict.fromkeys(inputs)),
        outputs=[files.of(name, output) for output in outputs],
        parents=list(dict.fromkeys(edge["source"] for edge in task.get("edges") or ())),
        seconds=None if placeholder is None else placeholder.seconds,
        cpus=task.get("cpus") or 1.0,
        stdin=run.streams.get("stdin", ""),
        stdout=run.streams.get("stdout", ""),
        stderr=run.streams.get("stderr", ""),
        env=_variables(command) or None,
    )


def _with_file(word: str, arriving: Mapping[str, str]) -> str:
    """Return a word that names a file of another task with the name under which the file lies beside the program."""
    return _ARRIVING.sub(lambda _: literal(arriving[word]), word) if word in arriving else word


def _variables(command: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables that are the task's own."""
    inherited = inherited_env()
    return {name: plain(text) for name, text in (command.get("env") or {}).items() if inherited.get(name) != text}
