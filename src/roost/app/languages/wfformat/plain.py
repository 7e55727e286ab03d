"""A quick way through a document of WfFormat 1.5 or 1.6 as programs write it; see plain_replay."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from roost.app.languages.plain_replay import NotPlainError, PlainReplay, PlainTask
from roost.app.languages.simulation import Simulation
from roost.app.languages.trace_submission import submission_of
from roost.app.languages.wfformat.document import NEW_VERSIONS, Execution, SizedFile, SpecifiedTask
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


#: One in the specification, and one in the execution.
_LISTS_OF_TASKS: Final = 2
_SPECIFIED: Final = msgspec.json.Decoder(SpecifiedTask)


def replayed_plainly(document: str | bytes, simulation: Simulation) -> tuple[dict[str, Any], list[str]] | None:
    """Return the submission of a document that is plain, and warnings; None of any other."""
    try:
        read = msgspec.json.decode(document, type=_Document)
        if str(read.schema_version) not in NEW_VERSIONS or _has_tasks_twice(document):
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


def _has_tasks_twice(document: str | bytes) -> bool:
    """Whether there may be a second list of tasks, which is not read, so that nobody would see its mistakes."""
    text = document if isinstance(document, bytes) else document.encode()
    # The key may be written with escapes, too.
    return text.count(b'"tasks"') > _LISTS_OF_TASKS or b"\\u00" in text


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
