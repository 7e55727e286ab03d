"""A quick way through a document of WfFormat 1.5 or 1.6 as programs write it; see plain_replay."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from roost.languages.trace.plain_replay import NotPlainError, PlainReplay, PlainTask
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.submission import submission_of
from roost.languages.wfformat.document import NEW_VERSIONS, Execution, SizedFile, SpecifiedTask
from roost.model.limits import SIZE_BYTES_MAX


class _Specification(msgspec.Struct):
    tasks: list[msgspec.Raw]
    files: list[SizedFile]


class _Workflow(msgspec.Struct):
    specification: _Specification
    execution: Execution


class _Document(msgspec.Struct, rename="camel"):
    """The same as a Document, of which each task is read when its turn comes."""

    workflow: _Workflow
    schema_version: str | float = ""
    name: str = ""


#: What stands once in a document: a second one would hide the first, and nobody would see the mistakes in that.
_ONCE: Final = ("workflow", "specification", "execution", "files", "schemaVersion")
#: These every task has in the specification, at most.
_OF_TASKS: Final = ("parents", "children", "inputFiles", "outputFiles")
_SPECIFIED: Final = msgspec.json.Decoder(SpecifiedTask)


def replayed_plainly(document: str | bytes, simulation: Simulation) -> tuple[dict[str, Any], list[str]] | None:
    """Return the submission of a document that is plain, and warnings; None of any other."""
    try:
        read = msgspec.json.decode(document, type=_Document)
        if str(read.schema_version) not in NEW_VERSIONS or _has_keys_twice(document, read.workflow):
            return None
        sizes = _sizes(read.workflow.specification.files, simulation)
        replay = PlainReplay(simulation, sizes)
        tasks = replay.tasks(_tasks(read.workflow))
    except (msgspec.DecodeError, RecursionError, NotPlainError):
        return None
    except (OverflowError, ValueError):
        # Sizes that are no numbers any more when they are scaled.
        return None
    if not sizes.keys() >= replay.outside:
        return None
    return submission_of(read.name, tasks), replay.warnings()


def _has_keys_twice(document: str | bytes, workflow: _Workflow) -> bool:
    """Whether something that is read may stand twice in its map, of which the parser takes the last."""
    text = document if isinstance(document, bytes) else document.encode()
    tasks, executed = len(workflow.specification.tasks), len(workflow.execution.tasks)
    files = len(workflow.specification.files)
    most = dict.fromkeys(_ONCE, 1) | dict.fromkeys(_OF_TASKS, tasks)
    most |= {"tasks": 2, "id": tasks + executed + files, "sizeInBytes": files, "runtimeInSeconds": executed}
    # A key may be written with escapes, too.
    return b"\\u00" in text or any(text.count(b'"%s"' % key.encode()) > count for key, count in most.items())


def _sizes(files: list[SizedFile], simulation: Simulation) -> dict[str, int]:
    """Return the size that each file is to have."""
    sizes = {}
    for file in files:
        size = file.size_in_bytes
        if type(size) is not int or not 0 <= size <= SIZE_BYTES_MAX:
            raise NotPlainError
        sizes[file.id] = size
    if len(sizes) < len(files):
        raise NotPlainError
    return sizes if simulation.size_scale == 1 else {file: simulation.size(size) for file, size in sizes.items()}


def _tasks(workflow: _Workflow) -> Iterator[PlainTask]:
    specified, executed = workflow.specification.tasks, workflow.execution.tasks
    if len(specified) != len(executed):
        raise NotPlainError
    #: Who says of a task further down that it is his child.
    parents_of: defaultdict[str, list[str]] = defaultdict(list)
    nobody: list[str] = []
    for task, done in zip(map(_SPECIFIED.decode, specified), executed, strict=True):
        own, parents, children = task.id, task.parents, task.children
        if done.id != own or children is None:
            raise NotPlainError
        told = parents_of.pop(own, nobody)
        if told != parents and sorted(told) != sorted(parents):
            raise NotPlainError
        for child in children:
            parents_of[child].append(own)
        yield own, task.name, parents, task.input_files, task.output_files, done.runtime_in_seconds
    if parents_of:
        raise NotPlainError
