"""WfFormat up to 1.4 to a trace: one list of tasks, each with its files; tasks name each other by name or by id."""

from roost.languages.problems import shown
from roost.languages.trace.trace import Trace, TraceProblems, TraceTask
from roost.languages.wfformat.document import Command, LinkedFile, OldDocument, OldTask
from roost.languages.wfformat.old_links import OldLinks, file_id, is_input
from roost.languages.wfformat.traces import check_agreement, note_size
from roost.languages.wfformat.words import argv_of, distinct
from roost.model.limits import SIZE_BYTES_MAX


def old_trace(document: OldDocument, problems: TraceProblems, *, commands: bool) -> Trace:
    """Return the trace; without ``commands``, what was run is not looked at."""
    tasks = document.workflow.tasks or document.workflow.jobs
    ids = _ids(tasks)
    links = OldLinks(tasks, ids)
    parents = [links.parents(task, own) for task, own in zip(tasks, ids, strict=True)]
    children = links.children(parents)
    check_agreement(list(zip(ids, parents, children, strict=True)), problems)
    sizes: dict[str, int] = {}
    made = []
    for at, task in enumerate(tasks):
        _add_sizes(at, task.files, sizes, problems)
        made.append(_task(task, ids[at], distinct(parents[at]), commands=commands))
    return Trace(document.name, made, sizes)


def _ids(tasks: list[OldTask]) -> list[str]:
    """Return the names where no two tasks share one, else the ids."""
    names = [task.name for task in tasks]
    if len(set(names)) == len(names):
        return names
    return [task.id or task.name for task in tasks]


def _task(task: OldTask, own: str, parents: list[str], *, commands: bool) -> TraceTask:
    inputs = distinct([file_id(file) for file in task.files if is_input(file)])
    outputs = distinct([file_id(file) for file in task.files if not is_input(file)])
    seconds = task.runtime if task.runtime_in_seconds is None else task.runtime_in_seconds
    made = TraceTask(own, task.name, None, inputs, outputs, parents, seconds)
    if commands:
        made.argv = argv_of(task.command or _oldest_command(task))
        made.cpus = max(1.0, task.cores or 1.0)
    return made


def _add_sizes(at: int, files: list[LinkedFile], sizes: dict[str, int], problems: TraceProblems) -> None:
    for number, file in enumerate(files):
        size = file.size if file.size_in_bytes is None else file.size_in_bytes
        if file.link.lower() not in {"input", "output"}:
            wrong = f"the file {shown(file.name)} has the link {shown(file.link)}"
            problems.add((at, "files", number), f"{wrong}; write input or output")
        if size is None:
            continue
        if not 0 <= size <= SIZE_BYTES_MAX:
            note_size(problems, (at, "files", number), file.name, size)
        else:
            sizes.setdefault(file_id(file), round(size))


def _oldest_command(task: OldTask) -> Command | None:
    """Return the command of a task that has only arguments: its name begins with that of its program."""
    return Command(task.name.partition("_ID")[0], task.arguments) if task.arguments else None
