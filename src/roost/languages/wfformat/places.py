"""Where in a document something of a trace stands."""

from roost.languages.json_lines import JsonPath
from roost.languages.trace.trace import Place
from roost.languages.wfformat.document import Document, OldDocument, OldTask, SpecifiedTask
from roost.languages.wfformat.old_links import is_input
from roost.languages.wfformat.words import position_of

_TASKS: JsonPath = ("workflow", "specification", "tasks")
_FILES: JsonPath = ("workflow", "specification", "files")
_EXECUTED: JsonPath = ("workflow", "execution", "tasks")
_OLD_TASKS: JsonPath = ("workflow", "tasks")
_OLDEST_TASKS: JsonPath = ("workflow", "jobs")
_EXECUTION_KEYS = {"seconds": "runtimeInSeconds", "argv": "command"}


def path_of(document: Document | OldDocument, place: Place) -> JsonPath:
    at, key, number = place
    if isinstance(document, OldDocument):
        tasks, where = document.workflow.tasks, _OLD_TASKS
        if not tasks:
            tasks, where = document.workflow.jobs, _OLDEST_TASKS
        return where if key == "tasks" else (*where, at, *_in_old_task(tasks[at], key, number))
    match key:
        case "tasks":
            return _TASKS
        case "executed":
            return (*_EXECUTED, at, "id")
        case "size":
            return (*_FILES, at, "sizeInBytes")
        case "file":
            return (*_FILES, at)
        case "seconds" | "argv":
            return _in_execution(document, at, key)
    return (*_TASKS, at, *_in_task(document.workflow.specification.tasks[at], key, number))


def _in_task(task: SpecifiedTask, key: str, number: int) -> JsonPath:
    lists = {"parents": task.parents, "inputs": task.input_files, "outputs": task.output_files}
    names = {"inputs": "inputFiles", "outputs": "outputFiles"}
    if key in lists:
        return names.get(key, key), position_of(lists[key], number)
    return (key, number) if key == "children" else (key,)


def _in_execution(document: Document, at: int, key: str) -> JsonPath:
    task = document.workflow.specification.tasks[at].id
    execution = document.workflow.execution
    for position, executed in enumerate(execution.tasks if execution else ()):
        if executed.id == task:
            return (*_EXECUTED, position, _EXECUTION_KEYS[key])
    return (*_TASKS, at, "id")


def _in_old_task(task: OldTask, key: str, number: int) -> JsonPath:
    if key in {"inputs", "outputs"}:
        linked = [file.path + file.name for file in task.files if is_input(file) is (key == "inputs")]
        wanted = linked[position_of(linked, number)]
        return "files", next(at for at, file in enumerate(task.files) if file.path + file.name == wanted)
    if key in _EXECUTION_KEYS:
        return (_EXECUTION_KEYS[key],)
    return (key, number) if key in {"children", "files", "parents"} else (key,)
