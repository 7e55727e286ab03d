"""A run of Roost as a WfFormat 1.5 trace, from what the HTTP API says of it: WfCommons' tools then work on our runs.

Every element becomes a task of its own. What has not ended is in the specification and not in the execution; nor is
what took a time that nobody knows any more, because the format has no word for that. Commands are told as they ran,
with the trace's names of files that arrived; of functions and scripts only the names are.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from roost.languages.trace.trace import Trace, TraceTask
from roost.languages.wfformat.arrived import Arrived, Known
from roost.languages.wfformat.feeding import Feeding
from roost.languages.wfformat.ran import RanCommand, UnknownInputError
from roost.languages.wfformat.runtimes import Runtimes
from roost.languages.wfformat.writer import SCHEMA_VERSION, command_json, specification, timestamp
from roost.model.errors import InvalidInput
from roost.model.limits import TRACE_LINKS_MAX, TRACE_TASKS_MAX
from roost.model.paths import shown_index
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import EdgeKind
from roost.version import VERSION

#: What an id may be made of.
_NOT_IN_IDS: Final = re.compile(r"[^0-9A-Za-z_.-]")
_ALONE: Final = RangeSet.span(0, 1)


def export_run(
    detail: Mapping[str, Any],
    results: Iterable[Mapping[str, Any]],
    failures: Iterable[Mapping[str, Any]] = (),
    nodes: Iterable[Mapping[str, Any]] = (),
    spans: Iterable[Mapping[str, Any]] = (),
    now: float = 0.0,
    *,
    commands: Iterable[Mapping[str, Any]] = (),
    inputs: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the document for a run that ``GET /v1/runs/{run}`` describes in ``detail``.

    ``results`` and ``failures`` are those of all its tasks, from all pages; ``nodes`` is what ``GET /v1/nodes`` lists,
    and ``spans`` the run's timeline; ``now`` ends the make-span of a run that still goes on; ``commands`` and
    ``inputs`` are those of its tasks and their elements. Raise InvalidInput if the trace would be too large, or if a
    command has what WfFormat has no words for.
    """
    trace = _RunTrace(detail, results, failures, Runtimes(spans), _Handed(commands, inputs))
    workflow: dict[str, Any] = {"specification": specification(trace.specified())}
    executed = list(trace.executed())
    if executed:
        ended = detail["finished_at"] or max(now, detail["submitted_at"])
        workflow["execution"] = {
            "makespanInSeconds": round(ended - detail["submitted_at"], 3),
            "executedAt": timestamp(detail["submitted_at"]),
            "tasks": executed,
        }
        machines = _machines(executed, nodes)
        if machines:
            workflow["execution"]["machines"] = machines
    return {
        "name": detail["name"],
        "description": f"Run {detail['run']} of {detail['owner']} on {detail['host']}; it is {detail['state']}",
        "createdAt": timestamp(max(now, detail["finished_at"] or detail["submitted_at"])),
        "schemaVersion": SCHEMA_VERSION,
        "runtimeSystem": {"name": "Roost", "version": VERSION},
        "workflow": workflow,
    }


class _Handed:
    """What the run's commands were handed in with, by task and by element."""

    def __init__(self, commands: Iterable[Mapping[str, Any]], inputs: Iterable[Mapping[str, Any]]) -> None:
        self.commands = {command["task"]: command for command in commands}
        self.items = {(given["task"], given["index"]): given["item"] for given in inputs}


class _RunTrace:
    """The elements of a run by id, with what is known of each."""

    def __init__(
        self,
        detail: Mapping[str, Any],
        results: Iterable[Mapping[str, Any]],
        failures: Iterable[Mapping[str, Any]],
        runtimes: Runtimes,
        handed: _Handed,
    ) -> None:
        self._steps = {step["task"]: step for step in detail["steps"]}
        self._feeding = Feeding(self._steps)
        self._elements = self._feeding.elements
        self._results = {(result["task"], result["index"]): result for result in results}
        self._failures = {(failure["task"], failure["index"]): failure for failure in failures}
        self._runtimes = runtimes
        self._check_size()
        self._known = Known(self._feeding, self._results, handed.items, self._file)
        self._commands = {
            task: RanCommand(step["name"], handed.commands[task], _ports(step))
            for task, step in self._steps.items()
            if task in handed.commands
        }

    def specified(self) -> Trace:
        tasks, sizes = list[TraceTask](), dict[str, int]()
        for task, index, own in self._each():
            left = {self._file(task, index, name): file["bytes"] for name, file in self._left(task, index).items()}
            inputs, parents = list(self._taken(task, index)), list(self._sources(task, index))
            tasks.append(TraceTask(own, self._steps[task]["name"], None, inputs, list(left), parents))
            sizes |= left
        return Trace("", tasks, sizes)

    def executed(self) -> Iterator[dict[str, Any]]:
        for task, index, own in self._each():
            ended = self._results.get((task, index)) or self._failures.get((task, index))
            if ended is None:
                continue
            seconds = self._runtimes.seconds(self._steps[task], ended)
            if seconds is not None:
                yield _executed(own, self._words(task, index), self._steps[task], ended, seconds)

    def _each(self) -> Iterator[tuple[str, int, str]]:
        for task, indices in self._elements.items():
            for index in indices:
                yield task, index, self._id(task, index)

    def _id(self, task: str, index: int) -> str:
        step = self._steps[task]
        name = _NOT_IN_IDS.sub("_", step["name"])
        return name if self._elements[task] == _ALONE else f"{name}.{shown_index(index, step['parts'])}"

    def _sources(self, task: str, index: int) -> Iterator[str]:
        """Yield the ids of the elements that one waits for; those of other runs are not part of this trace."""
        found: dict[str, RangeSet] = {}
        for edge in self._steps[task]["edges"]:
            source = edge["source"]
            found[source] = found.get(source, EMPTY) | self._feeding.fed_by(task, edge, index)
        for source, indices in found.items():
            for other in indices:
                yield self._id(source, other)

    def _taken(self, task: str, index: int) -> Iterator[str]:
        """Yield the files that the command names, where they are known already."""
        command = self._commands.get(task)
        for port, names in command.files().items() if command is not None else ():
            edge = self._feeding.edge_at(task, port)
            assert edge is not None
            for name in names:
                for other in self._feeding.fed_by(task, edge, index):
                    if name in self._left(edge["source"], other):
                        yield self._file(edge["source"], other, name)

    def _words(self, task: str, index: int) -> list[str]:
        """Return the command line; nothing if it is not known. A value is no program, and a person neither."""
        step = self._steps[task]
        if step["kind"] == "command":
            try:
                return self._commands[task].words(Arrived(self._known, task, index)) if task in self._commands else []
            except UnknownInputError:
                return []
        return [step["what"]] if step["what"] and step["kind"] not in {"value", "manual"} else []

    def _left(self, task: str, index: int) -> Mapping[str, Any]:
        files: Mapping[str, Any] = self._results.get((task, index), {}).get("files") or {}
        return files

    def _file(self, task: str, index: int, name: str) -> str:
        return f"{self._id(task, index)}.{_NOT_IN_IDS.sub('_', name)}"

    def _check_size(self) -> None:
        tasks = sum(map(len, self._elements.values()))
        links = sum(
            len(self._elements[task])
            * (1 if edge["kind"] == "each" else len(self._elements.get(edge["source"], RangeSet())))
            for task, step in self._steps.items()
            for edge in step["edges"]
        )
        if tasks > TRACE_TASKS_MAX or links > TRACE_LINKS_MAX:
            raise InvalidInput(
                f"the trace of this run would have {tasks:,} tasks and {links:,} links between them; "
                f"at most {TRACE_TASKS_MAX:,} and {TRACE_LINKS_MAX:,} are written"
            )


def _ports(step: Mapping[str, Any]) -> dict[str, EdgeKind]:
    return {edge["port"]: EdgeKind(edge["kind"]) for edge in step["edges"]}


def _executed(
    own: str, words: list[str], step: Mapping[str, Any], ended: Mapping[str, Any], seconds: float
) -> dict[str, Any]:
    executed: dict[str, Any] = {"id": own, "runtimeInSeconds": seconds}
    if words:
        executed["command"] = command_json(words)
    if step["cpus"] >= 1:
        executed["coreCount"] = step["cpus"]
    if ended.get("peak_memory_bytes"):
        executed["memoryInBytes"] = ended["peak_memory_bytes"]
    if ended["node"] is not None:
        executed["machines"] = [ended["node"]]
    return executed


def _machines(executed: Iterable[Mapping[str, Any]], nodes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    known = {node["node"]: node.get("offers") or {} for node in nodes}
    names = dict.fromkeys(name for task in executed for name in task.get("machines", ()))
    return [_machine(name, known.get(name, {})) for name in names]


def _machine(name: str, offers: Mapping[str, Any]) -> dict[str, Any]:
    machine: dict[str, Any] = {"nodeName": name}
    if offers.get("memory_bytes"):
        machine["memoryInBytes"] = offers["memory_bytes"]
    if offers.get("cpus"):
        machine["cpu"] = {"coreCount": max(1, round(offers["cpus"]))}
    return machine
