"""Names for tasks and files whose ids may hold more than names may: slashes, colons, a hundred letters."""

import re
from collections.abc import Callable, Iterable
from itertools import chain

from roost.languages.trace.ids import telling_ids
from roost.languages.trace.trace import Trace
from roost.model.ids import TASK_NAME
from roost.model.limits import NAME_LENGTH_MAX

#: What an output may be called so that a placeholder can name it.
_OUTPUT_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}")
_OUTPUT_NAMES = re.compile(rf"(?:{_OUTPUT_NAME.pattern}\n)*+")
_TASK_NAMES = re.compile(rf"(?:{TASK_NAME.pattern}\n)*+")
_FIRST = re.compile(r"[A-Za-z_]")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]")
_NOT_IN_PATHS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
#: What is kept of both ends of a name that is too long: kinds differ at the front, numbers at the end.
_KEPT = (NAME_LENGTH_MAX - 8) // 2


class TraceNames:
    """What the tasks of a trace, and the files that they leave, are called in the submission."""

    def __init__(self, trace: Trace) -> None:
        written = [task.outputs for task in trace.tasks]
        self.tasks = task_names(telling_ids(trace.tasks))
        #: Of each task the names of its files: the very same list where these can be names themselves.
        self.files = written
        if not are_output_names(chain.from_iterable(written)):
            self.files = [output_names(files) for files in written]
        pairs = enumerate(zip(written, self.files, strict=True))
        #: Names by file, of those tasks whose files are called otherwise, by their positions.
        self.renamed_files = {
            at: dict(zip(files, names, strict=True)) for at, (files, names) in pairs if names is not files
        }


def task_names(ids: list[str]) -> list[str]:
    """Return a name for each id: the id itself where it can be one, otherwise one that looks like it."""
    if are_task_names(ids):
        return ids
    return _Chosen(filter(TASK_NAME.fullmatch, ids)).all(ids, lambda task: _shortened(_NOT_IN_NAMES.sub("_", task)))


def output_names(files: list[str]) -> list[str]:
    """Return a name for each file of one task."""
    if are_output_names(files):
        return files
    chosen = _Chosen(filter(_OUTPUT_NAME.fullmatch, files))
    return chosen.all(files, lambda file: _shortened(_NOT_IN_NAMES.sub("_", file.rpartition("/")[2])))


def are_task_names(ids: Iterable[str]) -> bool:
    """Whether each id can be the name of a task as it is."""
    return _all_match(_TASK_NAMES, ids)


def are_output_names(files: Iterable[str]) -> bool:
    """Whether each file's id can be the name of an output as it is, and is then a path inside the folder, too."""
    return _all_match(_OUTPUT_NAMES, files)


def escapes(file: str) -> bool:
    """Whether a file's id, read as a path, leads out of the folder of its task, or to no file."""
    return file.startswith("/") or ".." in file.split("/") or not _lasts(file) or bool(_NOT_IN_PATHS.search(file))


def inside_paths(files: list[str]) -> list[str]:
    """Return a path inside the folder for each file of one task; no path is another's folder."""
    if not any("/" in file or escapes(file) for file in files):
        return files
    chosen = _Chosen([])
    folders = {folder for file in files for folder in _folders(_inside(file))}
    return chosen.all(files, lambda file: f"{path}.file" if (path := _inside(file)) in folders else path)


def _inside(file: str) -> str:
    parts = [part[:200] for part in _NOT_IN_PATHS.sub("_", file).split("/") if part.strip(".")]
    return "/".join(parts) or "file"


def _folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _lasts(file: str) -> str:
    """Return the last part of a path, as far as it names anything."""
    return file.rpartition("/")[2].strip(".")


def _all_match(lines: re.Pattern[str], names: Iterable[str]) -> bool:
    """Look at all of them together, as lines: that takes a quarter of the time that one by one would take."""
    listed = [*names, ""]
    together = "\n".join(listed)
    return lines.fullmatch(together) is not None and together.count("\n") == len(listed) - 1


class _Chosen:
    """Names of which none is given twice."""

    def __init__(self, taken: Iterable[str]) -> None:
        #: How often each was asked for.
        self._count = dict.fromkeys(taken, 1)
        self._kept = set(self._count)

    def all(self, ids: list[str], like: Callable[[str], str]) -> list[str]:
        return [given if given in self._kept else self._fresh(like(given)) for given in ids]

    def _fresh(self, name: str) -> str:
        chosen = name
        while chosen in self._count:
            self._count[name] = number = self._count[name] + 1
            chosen = f"{name}-{number}"
        self._count[chosen] = 1
        return chosen


def _shortened(name: str) -> str:
    name = name if _FIRST.match(name) else f"_{name}"
    return name if len(name) <= 2 * _KEPT else f"{name[:_KEPT]}--{name[-_KEPT:]}"
