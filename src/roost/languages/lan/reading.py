"""A task description, with all that it needs, to a submission of LAN programs.

The description says which outputs of which types of tasks a task takes. The descriptions of those types lie beside it,
so that one file leads to the whole workflow, of which it is the final task.
"""

import os
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Final

from roost.executors.template import literal
from roost.languages.checking import check_outline
from roost.languages.environment import inherited_env
from roost.languages.lan.description import TaskDescription, read_description
from roost.languages.lan.descriptions import Descriptions
from roost.languages.lan.words import PortOutput, command_words
from roost.languages.naming import task_names
from roost.languages.outline import Outline, OutlineLink, OutlineNode, OutlinePort, Reading
from roost.languages.problems import Problems, SourceFile, did_you_mean, shown
from roost.model.errors import InvalidInput
from roost.model.task import Protocol

#: The file of parameters that lies beside the descriptions, and the folder of raw data.
PARAMETERS: Final = "parameters.xml"
RAW: Final = "raw"
_OVERRIDES: Final = ("raw", "parameters")


def read_lan(data: bytes, path: Path, overrides: Mapping[str, str]) -> Reading:
    """Read the description that lies at ``path``. Raise InvalidInput with file and line of its first mistake.

    ``overrides`` are ``raw``, where the raw data is, and ``parameters``, the file of parameters; both are passed on.
    """
    for name in overrides:
        if name not in _OVERRIDES:
            hint = did_you_mean(name, _OVERRIDES) or f"; there are {' and '.join(_OVERRIDES)}"
            raise InvalidInput(f"--set {shown(name)} is not known to task descriptions{hint}")
    return _Workflow(read_description(data, path), overrides).reading()


@dataclass(frozen=True, slots=True)
class _Task:
    described: TaskDescription
    program: Path
    #: For each input the task it comes from.
    sources: tuple[TaskDescription, ...]


class _Workflow:
    def __init__(self, final: TaskDescription, overrides: Mapping[str, str]) -> None:
        self._final = final
        self._folder = final.file.absolute().parent
        has_raw, has_parameters = (self._folder / RAW).is_dir(), (self._folder / PARAMETERS).is_file()
        self._raw = overrides.get("raw", RAW if has_raw else None)
        self._parameters = overrides.get("parameters", PARAMETERS if has_parameters else None)
        self._env = inherited_env()
        #: By type.
        self._tasks = self._needed()
        self._names = self._named()

    def reading(self) -> Reading:
        self._check()
        graph = {type_: [source.type for source in task.sources] for type_, task in self._tasks.items()}
        order = [self._tasks[type_] for type_ in TopologicalSorter(graph).static_order()]
        final = self._names[self._final.type]
        submission = {
            "name": self._final.name,
            "kind": "flow",
            "cwd": None,
            "final": [final],
            "tasks": [self._task(task) for task in order],
        }
        links = tuple(link for task in order for link in self._links(task))
        outline = Outline(self._final.name, tuple(map(self._outlined, order)), links, (final,))
        return Reading(submission, outline, [])

    def _needed(self) -> dict[str, _Task]:
        """Return the final task and all that it needs, directly or not."""
        descriptions = Descriptions(self._final)
        tasks: dict[str, _Task] = {}
        waiting = [self._final]
        while waiting:
            described = waiting.pop()
            if described.type in tasks:
                continue
            sources = tuple(descriptions.of_type(one.task_type, described, one.line) for one in described.inputs)
            tasks[described.type] = _Task(described, self._program(described), sources)
            waiting += sources
        return tasks

    def _named(self) -> dict[str, str]:
        """Return the name of each task: its program's, or its type if several are run by one program."""
        programs = Counter(task.described.name for task in self._tasks.values())
        ids = {
            type_: type_ if programs[task.described.name] > 1 else task.described.name
            for type_, task in self._tasks.items()
        }
        names = task_names(ids.values(), [])
        return {type_: names[id_] for type_, id_ in ids.items()}

    def _program(self, described: TaskDescription) -> Path:
        """Return the program that a description names: a file beside it, or one that is installed."""
        name = described.name
        for file in dict.fromkeys((name, name.replace(" ", "_"))):
            path = self._folder / file
            if "/" in file:
                raise described.wrong(described.line, f"{shown(name)} names a path; give a program's name alone")
            if path.is_file() and os.access(path, os.X_OK):
                return path
            if path.is_file():
                raise described.wrong(
                    described.line,
                    f"the program {shown(file)} is not executable; change that with 'chmod +x {file}'",
                )
            installed = shutil.which(file)
            if installed is not None:
                return Path(installed)
        raise described.wrong(
            described.line,
            f"there is no program {shown(name)} in this folder, nor on the PATH; put it beside this file",
        )

    def _check(self) -> None:
        """Refuse circles, and a type that is called like another's program."""
        problems = Problems(str(self._final.file))
        nodes, links = list[OutlineNode](), list[OutlineLink]()
        for task in self._tasks.values():
            file = task.described.file
            is_other = task.described is not self._final
            before = problems.begin_file(SourceFile(str(file), file.parent)) if is_other else 0
            node = self._outlined(task)
            nodes.append(replace(node, line=before + node.line))
            links += [replace(link, line=before + link.line) for link in self._links(task)]
        check_outline(Outline("", tuple(nodes), tuple(links), (self._names[self._final.type],)), problems)
        problems.stop_if_any()

    def _ports(self, task: _Task) -> dict[str, str]:
        """Return a port for each type that the task takes something of, however much that is."""
        types = dict.fromkeys(source.type for source in task.sources)
        return {type_: f"input{number}" for number, type_ in enumerate(types, start=1)}

    def _task(self, task: _Task) -> dict[str, Any]:
        ports = self._ports(task)
        inputs = [PortOutput(one.nth, ports[one.task_type]) for one in task.described.inputs]
        # LAN table 4.1: the import gets the raw files, all others the parameters.
        raw = self._raw if not inputs else None
        words = command_words(str(task.program), raw, inputs, self._parameters if raw is None else None)
        return {
            "name": self._names[task.described.type],
            "command": {
                "argv": words,
                "cwd": literal(str(self._folder)),
                "env": self._env,
                "stdin": None,
                "protocol": Protocol.LAN.value,
                "outputs": {},
            },
            "edges": [
                {"source": self._names[type_], "kind": "broadcast", "port": port} for type_, port in ports.items()
            ],
        }

    def _outlined(self, task: _Task) -> OutlineNode:
        ports = tuple(OutlinePort(port) for port in self._ports(task).values())
        name = self._names[task.described.type]
        return OutlineNode(name, "command", task.described.line, task.described.name, ports)

    def _links(self, task: _Task) -> list[OutlineLink]:
        target = self._names[task.described.type]
        lines = {one.task_type: one.line for one in reversed(task.described.inputs)}
        return [
            OutlineLink(self._names[type_], target, port, "broadcast", lines[type_])
            for type_, port in self._ports(task).items()
        ]
