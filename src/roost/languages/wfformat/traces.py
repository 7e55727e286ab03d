"""WfFormat 1.5 and 1.6 to a trace, with what the schema cannot say checked: references, doubled ids, agreement."""

from collections.abc import Sequence

from roost.languages.problems import shown
from roost.languages.trace.trace import Place, Trace, TraceProblems, TraceTask
from roost.languages.wfformat.document import Document, ExecutedTask, SizedFile, SpecifiedTask
from roost.languages.wfformat.words import argv_of, distinct, number_text
from roost.model.limits import SIZE_BYTES_MAX


def new_trace(document: Document, problems: TraceProblems, *, commands: bool) -> Trace:
    """Return the trace; without ``commands``, what was run is not looked at."""
    specification, execution = document.workflow.specification, document.workflow.execution
    executed = _executed(execution.tasks if execution else [], specification.tasks, problems)
    check_agreement([(task.id, task.parents, task.children) for task in specification.tasks], problems)
    tasks = [_task(task, done, commands=commands) for task, done in zip(specification.tasks, executed, strict=True)]
    sizes = None if specification.files is None else _sizes(specification.files, problems)
    return Trace(document.name, tasks, sizes)


def _task(task: SpecifiedTask, executed: ExecutedTask | None, *, commands: bool) -> TraceTask:
    made = TraceTask(
        task.id, task.name, None, distinct(task.input_files), distinct(task.output_files), distinct(task.parents)
    )
    if executed is not None:
        made.seconds = executed.runtime_in_seconds
        if commands:
            made.argv = argv_of(executed.command)
            made.cpus = max(1.0, executed.core_count or 1.0)
    return made


def _executed(
    tasks: list[ExecutedTask], specified: list[SpecifiedTask], problems: TraceProblems
) -> Sequence[ExecutedTask | None]:
    """Return what happened to each task, None where that is not told."""
    ids = [task.id for task in specified]
    executed = {task.id: task for task in tasks}
    known, seen = set(ids), set[str]()
    for at, task in enumerate(tasks):
        if task.id in seen:
            wrong = f"task {shown(task.id)} stands twice in 'execution'; keep one of them"
            problems.add((at, "executed", 0), wrong)
        elif task.id not in known:
            wrong = (
                f"task {shown(task.id)} was executed, but is not in 'specification'; add it there, or remove it here"
            )
            problems.add((at, "executed", 0), wrong)
        seen.add(task.id)
    return [executed.get(task) for task in ids]


def _sizes(files: list[SizedFile], problems: TraceProblems) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for at, file in enumerate(files):
        if not 0 <= file.size_in_bytes <= SIZE_BYTES_MAX:
            note_size(problems, (at, "size", 0), file.id, file.size_in_bytes)
            continue
        size = round(file.size_in_bytes)
        if sizes.setdefault(file.id, size) != size:
            again = f"the file {shown(file.id)} stands here again with another size; the first one counts"
            problems.warn("file", (at, "file", 0), again)
    return sizes


def note_size(problems: TraceProblems, place: Place, file: str, size: float) -> None:
    """Note a size that no file has. Those who record write -1 for a file that was gone, and that is no mistake."""
    wrong = f"the file {shown(file)} has {number_text(size)} bytes"
    if size < 0:
        problems.warn("size", place, f"{wrong}; its size counts as not recorded")
    else:
        problems.add(place, f"{wrong}; give its size")


def check_agreement(tasks: list[tuple[str, list[str], list[str] | None]], problems: TraceProblems) -> None:
    """Add to the parents what only the children say: many documents name a link at one of its two ends.

    A child that is nowhere is a mistake; a parent that is nowhere is told elsewhere.
    """
    parents_of = {task: parents for task, parents, _ in tasks}
    by_parents = {(parent, task) for task, parents, _ in tasks for parent in parents}
    by_children = {(task, child) for task, _, children in tasks for child in children or ()}
    silent = {task for task, _, children in tasks if not children}
    for at, (task, parents, children) in enumerate(tasks):
        for number, parent in enumerate(parents):
            if (parent, task) not in by_children and parent in parents_of and parent not in silent:
                wrong = f"{shown(parent)} is a parent of {shown(task)}, but does not name it among its children"
                problems.warn("children", (at, "parents", number), f"{wrong}; {shown(task)} waits for it")
        for number, child in enumerate(children or ()):
            if (task, child) in by_parents:
                continue
            if child not in parents_of:
                wrong = f"task {shown(task)} has the child {shown(child)}, which is not in this file"
                problems.add((at, "children", number), f"{wrong}; add it, or remove it here")
                continue
            wrong = f"{shown(child)} is a child of {shown(task)}, but does not name it among its parents"
            problems.warn("parents", (at, "children", number), f"{wrong}; {shown(child)} waits for it")
            by_parents.add((task, child))
            parents_of[child].append(task)
