"""Names for tasks and files whose ids may hold more than names may: slashes, colons, a hundred letters."""

import re
from collections.abc import Sequence
from typing import Final

from roost.languages.naming import Names, legal, unique_names
from roost.languages.trace.trace import Trace, TraceTask
from roost.model.ids import TASK_NAME
from roost.model.limits import NAME_LENGTH_MAX

#: What an output may be called so that a placeholder can name it.
_OUTPUT_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}")
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_.-]")
_NOT_IN_PATHS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
#: What is kept of both ends of a name that is too long: kinds differ at the front, numbers at the end.
_KEPT: Final = (NAME_LENGTH_MAX - 8) // 2
#: How many ids are looked at: documents count their tasks or do not.
_LOOKED_AT: Final = 8
#: Ids that only count.
_NUMBERED: Final = re.compile(r"(?:ID)?[-_.#]?[0-9]+", re.IGNORECASE)


class TraceNames:
    """What the tasks of a trace, and the files that they leave, are called in the submission."""

    def __init__(self, trace: Trace) -> None:
        ids = telling_ids(trace.tasks)
        names = task_names(ids)
        self.tasks = [names[own] for own in ids]
        #: Of each task the names of its files.
        self.files = [output_names(task.outputs) for task in trace.tasks]


def telling_ids(tasks: Sequence[TraceTask]) -> list[str]:
    """Return the ids, with the kind of task before those that are only numbers: nobody knows what ID00014 does."""
    ids = [task.id for task in tasks]
    if not any(map(_NUMBERED.fullmatch, ids[:_LOOKED_AT])):
        return ids
    telling = [_telling_id(task.id, task.kind) for task in tasks]
    return telling if len(set(telling)) == len(set(ids)) else ids


def _telling_id(own: str, kind: str) -> str:
    return f"{kind}_{own}" if kind not in {"", own} and _NUMBERED.fullmatch(own) else own


def task_names(ids: list[str]) -> dict[str, str]:
    """Return a name for each id."""
    return unique_names(ids, TASK_NAME.fullmatch, _shortened)


def output_names(files: list[str]) -> dict[str, str]:
    """Return a name for each file of one task."""
    return unique_names(files, _OUTPUT_NAME.fullmatch, lambda file: _shortened(file.rpartition("/")[2]))


def escapes(file: str) -> bool:
    """Whether a file's id, read as a path, leads out of the folder of its task, or to no file."""
    return file.startswith("/") or ".." in file.split("/") or not _lasts(file) or bool(_NOT_IN_PATHS.search(file))


def inside_paths(files: list[str]) -> dict[str, str]:
    """Return a path inside the folder for each file of one task; no path is another's folder."""
    if all(map(_OUTPUT_NAME.fullmatch, files)):
        return {file: file for file in files}
    names = Names()
    paths = {file: _inside(file) for file in files}
    folders = {folder for path in paths.values() for folder in _folders(path)}
    return {file: names.free(f"{path}.file" if path in folders else path) for file, path in paths.items()}


def _inside(file: str) -> str:
    parts = [part[:200] for part in _NOT_IN_PATHS.sub("_", file).split("/") if part.strip(".")]
    return "/".join(parts) or "file"


def _folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _lasts(file: str) -> str:
    """Return the last part of a path, as far as it names anything."""
    return file.rpartition("/")[2].strip(".")


def _shortened(name: str) -> str:
    name = legal(name, _NOT_IN_NAMES)
    return name if len(name) <= 2 * _KEPT else f"{name[:_KEPT]}--{name[-_KEPT:]}"
