"""A submission back to the trace that it was made from, as far as it still knows it.

A replay does not name files of the outside; programs that are run as they are took as long as their tasks state. What
other submissions hold besides commands (functions, arrays) is told as tasks without a command.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from roost.languages.braces import literal, plain
from roost.languages.environment import inherited_env
from roost.languages.placeholders import Placeholder as Named
from roost.languages.placeholders import placeholders_in, replace_placeholders
from roost.languages.trace.recorded import own_words, recorded_of
from roost.languages.trace.trace import Trace, TraceTask
from roost.model.recorded import Replayed, Staged


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

    recorded, argv = recorded_of(command), command.get("argv") or []
    texts = [*argv, command.get("stdin") or ""]
    inputs = [file for text in texts for found in placeholders_in(text) if (file := arriving(found)) is not None]
    made = TraceTask(
        id=name,
        kind=name,
        # A file of another task lies beside the program, under its own name.
        argv=[
            plain(replace_placeholders(word, lambda found: literal(arriving(found) or str(found))))
            for word in own_words(argv, recorded)
        ]
        or None,
        inputs=list(dict.fromkeys(inputs)),
        outputs=[files.of(name, output) for output in outputs],
        parents=list(dict.fromkeys(edge["source"] for edge in task.get("edges") or ())),
        seconds=task.get("length_s"),
        cpus=task.get("cpus") or 1.0,
        env=_variables(command) or None,
    )
    match recorded:
        case Replayed():
            made.seconds = recorded.seconds
            left = {files.of(name, output): recorded.sizes.get(plain(path)) for output, path in outputs.items()}
            sizes.update((file, size) for file, size in left.items() if size is not None)
        case Staged():
            made.inputs = list(dict.fromkeys([*inputs, *recorded.outside]))
            made.stdin, made.stdout, made.stderr = recorded.stdin, recorded.stdout, recorded.stderr
    return made


def _variables(command: Mapping[str, Any]) -> dict[str, str]:
    """Return the variables that are the task's own."""
    inherited = inherited_env()
    return {name: plain(text) for name, text in (command.get("env") or {}).items() if inherited.get(name) != text}
