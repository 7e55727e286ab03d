"""A DAX document to a trace."""

import math
import shlex
from urllib.parse import unquote, urlsplit

from roost.languages.problems import shown
from roost.languages.trace.trace import Place, Trace, TraceProblems, TraceTask
from roost.languages.xml_tree import Element, read_xml
from roost.model.errors import InvalidInput
from roost.model.limits import SIZE_BYTES_MAX

#: What a file may be to a job; files that are "none" of these do not concern it.
_READ = frozenset({"input", "inout", "checkpoint"})
_WRITTEN = frozenset({"output", "inout", "checkpoint"})
_LINKS = _READ | _WRITTEN | {"none"}


class DaxParser:
    """Makes tasks of the elements, and keeps the lines of what a mistake may be about."""

    def __init__(self, problems: TraceProblems) -> None:
        self.lines: dict[Place, int] = {}
        self._problems = problems
        self._tasks: list[TraceTask] = []
        self._sizes: dict[str, int] = {}
        self._found_at: dict[str, str] = {}
        #: Each child, and what it waits for, with their lines.
        self._children: dict[str, int] = {}
        self._parents: dict[str, dict[str, int]] = {}

    def parse(self, data: bytes, name: str) -> Trace:
        """Return the trace. Raise InvalidInput if this is no XML, or no DAX."""
        root = read_xml(data, name)
        if root.tag != "adag":
            raise InvalidInput(f"{name} begins with <{root.tag}>; a DAX begins with <adag>")
        for element in root:
            match element.tag:
                case "job":
                    program = element.attributes.get("name", "")
                    self._job(element, program, [program] if program else None)
                case "dag" | "dax":
                    self._job(element, _file_of(element), None)
                case "file" | "executable":
                    self._catalogued(element)
                case "child":
                    self._child(element)
        self._apply_edges()
        return Trace(root.attributes.get("name", ""), self._tasks, self._sizes or None, self._found_at)

    def _job(self, element: Element, program: str, argv: list[str] | None) -> None:
        at, own = len(self._tasks), element.attributes.get("id", "")
        self.lines[at, "id", 0] = element.line
        if not own:
            self._problems.add((at, "id", 0), f"the job {shown(program)} has no 'id'; give it one of its own")
        job = TraceTask(own, program, argv)
        self._tasks.append(job)
        if "runtime" in element.attributes:
            self._runtime(at, job, element.attributes["runtime"])
        inputs: dict[str, None] = {}
        outputs: dict[str, None] = {}
        for part in element:
            match part.tag:
                case "uses":
                    self._uses(at, job, part, inputs, outputs)
                case "argument" if job.argv:
                    job.argv += _words(part)
                case "stdin":
                    job.stdin = _file_of(part)
                case "stdout":
                    job.stdout = _file_of(part)
                case "stderr":
                    job.stderr = _file_of(part)
                case "profile" | "metadata":
                    self._noted(at, job, part)
        job.inputs = list(dict.fromkeys([*inputs, *filter(None, [job.stdin])]))
        job.outputs = list(dict.fromkeys([*outputs, *filter(None, [job.stdout, job.stderr])]))

    def _uses(
        self, at: int, job: TraceTask, element: Element, inputs: dict[str, None], outputs: dict[str, None]
    ) -> None:
        file = element.attributes.get("file") or element.attributes.get("name") or ""
        link = element.attributes.get("link", "").lower()
        if not file or link not in _LINKS:
            self._wrong_use(at, job, element, file, link)
            return
        for key, links, files in (("inputs", _READ, inputs), ("outputs", _WRITTEN, outputs)):
            if link in links and file not in files:
                self.lines[at, key, len(files)] = element.line
                files[file] = None
        if "size" in element.attributes:
            self._size(file, element.attributes["size"], element, link)
        self._sizes_inside(file, element)

    def _wrong_use(self, at: int, job: TraceTask, element: Element, file: str, link: str) -> None:
        place, where = (at, f"uses {file}", 0), f"job {shown(job.id)}"
        self.lines[place] = element.line
        if not file:
            self._problems.add(place, f"<uses> of {where} names no file; add 'file' or 'name'")
        elif not link:
            untold = (
                f'<uses> of {where} does not say what {shown(file)} is, and is passed over; add link="input" or output'
            )
            self._problems.warn("uses", place, untold)
        else:
            self._problems.add(place, f"{shown(file)} has the link {shown(link)} in {where}; write input or output")

    def _sizes_inside(self, file: str, element: Element) -> None:
        """Sizes of files may stand in profiles and metadata, too."""
        for part in element:
            if part.tag in {"profile", "metadata"} and part.attributes.get("key", "").lower() == "size":
                self._size(file, part.text, part)

    def _size(self, file: str, text: str, element: Element, link: str = "") -> None:
        size = _number(text)
        if not 0 <= size <= SIZE_BYTES_MAX:
            place = (len(self._tasks) - 1, f"size {file}", 0)
            self.lines[place] = element.line
            wrong = f"the size of {shown(file)} is {shown(text)}"
            if size < 0:
                self._problems.warn("size", place, f"{wrong}; it counts as not recorded")
            else:
                self._problems.add(place, f"{wrong}; give its bytes as a number")
        elif link == "output" or file not in self._sizes:
            self._sizes[file] = round(size)

    def _noted(self, at: int, job: TraceTask, element: Element) -> None:
        """Runtimes of jobs may stand in profiles and metadata, too, and so do cores and variables."""
        key, namespace = element.attributes.get("key", ""), element.attributes.get("namespace", "").lower()
        if namespace == "env":
            if key:
                job.env = {**(job.env or {}), key: element.text}
        elif (namespace, key.lower()) == ("pegasus", "cores"):
            self._cores(at, job, element.text)
        elif key.lower() == "runtime" and job.seconds is None:
            self._runtime(at, job, element.text)

    def _runtime(self, at: int, job: TraceTask, text: str) -> None:
        seconds = _number(text)
        if math.isnan(seconds) or seconds < 0:
            wrong = f"the runtime of job {shown(job.id)} is {shown(text)}; give its seconds as a number"
            self._problems.add((at, "id", 0), wrong)
        else:
            job.seconds = seconds

    def _cores(self, at: int, job: TraceTask, text: str) -> None:
        cores = _number(text)
        if not cores >= 1:
            untold = f"job {shown(job.id)} asks for {shown(text)} cores, and gets one; give a number from 1 on"
            self._problems.warn("cores", (at, "id", 0), untold)
        else:
            job.cpus = float(cores)

    def _catalogued(self, element: Element) -> None:
        file = _file_of(element)
        self._sizes_inside(file, element)
        for part in element.named("pfn"):
            try:
                url = urlsplit(part.attributes.get("url", ""))
            except ValueError:
                continue
            if file and url.scheme in {"", "file"} and url.path.startswith("/"):
                self._found_at.setdefault(file, unquote(url.path))

    def _child(self, element: Element) -> None:
        child = element.attributes.get("ref", "")
        self._children.setdefault(child, element.line)
        parents = self._parents.setdefault(child, {})
        for parent in element.named("parent"):
            parents.setdefault(parent.attributes.get("ref", ""), parent.line)

    def _apply_edges(self) -> None:
        for at, task in enumerate(self._tasks):
            task.parents = list(self._parents.get(task.id, ()))
            for number, line in enumerate(self._parents.get(task.id, {}).values()):
                self.lines[at, "parents", number] = line
        known = {task.id for task in self._tasks}
        for child, line in self._children.items():
            if child not in known:
                place = (0, f"child {child}", 0)
                self.lines[place] = line
                self._problems.add(
                    place, f"<child> names {shown(child)}, which is no job of this file; add it, or remove this"
                )


def _file_of(element: Element) -> str:
    return element.attributes.get("name") or element.attributes.get("file") or ""


def _words(argument: Element) -> list[str]:
    """Return the words of an argument, in which elements stand for files."""
    files = {"file", "filename"}
    parts = ((shlex.quote(_file_of(part)) if part.tag in files else "") + part.tail for part in argument)
    text = "".join([argument.head, *parts])
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _number(text: str) -> int | float:
    """Return NaN for what is no number."""
    if text.isdecimal() and len(text) < 20:
        return int(text)
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan
