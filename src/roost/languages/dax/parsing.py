"""A DAX document to a trace, while it streams by: a tree of a hundred thousand jobs would take longer than all else."""

import math
import shlex
from collections.abc import Callable
from urllib.parse import unquote, urlsplit
from xml.parsers import expat

from roost.languages.problems import shown
from roost.languages.trace.trace import Place, Trace, TraceProblems, TraceTask
from roost.languages.xml_tree import read_xml
from roost.model.errors import InvalidInput
from roost.model.limits import MIB, SIZE_BYTES_MAX, XML_BYTES_MAX

#: What a file may be to a job; files that are "none" of these do not concern it.
_READ = frozenset({"input", "inout", "checkpoint"})
_WRITTEN = frozenset({"output", "inout", "checkpoint"})
_LINKS = _READ | _WRITTEN | {"none"}


class _Refused(Exception):
    """Something that no workflow holds; the careful reader says what."""


class DaxParser:
    """Makes tasks of expat's events.

    Lines are counted only if somebody wants to know them: whoever has a mistake to tell parses the document again.
    """

    def __init__(self, problems: TraceProblems, lines: dict[Place, int] | None = None) -> None:
        self._problems = problems
        self._lines = lines
        self._root = ""
        self._name = ""
        self._tasks: list[TraceTask] = []
        self._sizes: dict[str, int] = {}
        self._found_at: dict[str, str] = {}
        #: What each child waits for, with the lines of both.
        self._parents: dict[str, dict[str, None]] = {}
        self._edge_lines: dict[tuple[str, str], int] = {}
        #: The job, the child or the file that what comes belongs to.
        self._job: TraceTask | None = None
        self._inputs: dict[str, None] = {}
        self._outputs: dict[str, None] = {}
        self._child = ""
        self._parents_here: dict[str, None] = {}
        self._file = ""
        self._variable = ""
        #: The element whose text is being gathered.
        self._gathered = ""
        self._texts: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start_root
        self._starts: dict[str, Callable[[dict[str, str]], None]] = {
            "adag": self._adag, "job": self._start_job, "dag": self._sub_workflow, "dax": self._sub_workflow,
            "uses": self._uses, "argument": self._argument, "filename": self._file_named, "file": self._file_named,
            "stdin": self._stdin, "stdout": self._stdout, "stderr": self._stderr, "profile": self._noted,
            "metadata": self._noted, "child": self._start_child, "parent": self._parent,
            "executable": self._catalogued, "transformation": self._elsewhere, "pfn": self._location,
        }  # fmt: skip

    def parse(self, data: bytes, name: str) -> Trace:
        """Return the trace. Raise InvalidInput if this is no XML, or no DAX."""
        if len(data) > XML_BYTES_MAX:
            raise InvalidInput(f"{name} is larger than {XML_BYTES_MAX // MIB} MiB; split the workflow")
        try:
            self._parser.Parse(data.lstrip(), True)
        except (expat.ExpatError, _Refused, ValueError, LookupError):
            read_xml(data, name)
            raise InvalidInput(f"{name} cannot be read as XML; save it as UTF-8") from None
        if self._root != "adag":
            raise InvalidInput(f"{name} begins with <{self._root}>; a DAX begins with <adag>")
        self._end_job()
        self._apply_edges()
        return Trace(self._name, self._tasks, self._sizes or None, self._found_at)

    def _doctype(self, _: str, system: str | None, public: str | None, has_subset: int) -> None:
        if system or public or has_subset:
            raise _Refused

    def _start_root(self, tag: str, attributes: dict[str, str]) -> None:
        self._root = tag.rpartition(":")[2]
        self._parser.StartElementHandler = self._start
        self._start(tag, attributes)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        handler = self._starts.get(tag) or self._starts.get(tag.rpartition(":")[2])
        if handler is not None:
            handler(attributes)

    def _adag(self, attributes: dict[str, str]) -> None:
        self._name = attributes.get("name", "")

    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    # Jobs.

    def _start_job(self, attributes: dict[str, str]) -> None:
        self._end_job()
        at = len(self._tasks)
        own, program = attributes.get("id", ""), attributes.get("name", "")
        if self._lines is not None:
            self._lines[at, "id", 0] = self._line()
        if not own:
            self._problems.add((at, "id", 0), f"the job {shown(program)} has no 'id'; give it one of its own")
        self._job = TraceTask(own, program, [program] if program else None)
        self._tasks.append(self._job)
        if "runtime" in attributes:
            self._runtime(self._job, attributes["runtime"])

    def _sub_workflow(self, attributes: dict[str, str]) -> None:
        self._start_job({**attributes, "name": attributes.get("name") or attributes.get("file", "")})
        assert self._job is not None
        self._job.argv = None

    def _end_job(self) -> None:
        job = self._job
        if job is None:
            return
        for file in (job.stdout, job.stderr):
            if file:
                self._outputs.setdefault(file)
        if job.stdin:
            self._inputs.setdefault(job.stdin)
        job.inputs, job.outputs = list(self._inputs), list(self._outputs)
        self._inputs, self._outputs, self._job = {}, {}, None

    def _elsewhere(self, _: dict[str, str]) -> None:
        """What follows belongs to no job."""
        self._end_job()

    def _uses(self, attributes: dict[str, str]) -> None:
        if self._job is None:
            return
        file = attributes.get("file") or attributes.get("name") or ""
        link = attributes.get("link", "")
        self._file = file
        if not file or link not in _LINKS:
            link = link.lower()
            if not file or link not in _LINKS:
                self._wrong_use(file, link)
                return
        if self._lines is not None:
            self._note_lines(file, link)
        if link in _READ:
            self._inputs[file] = None
        if link in _WRITTEN:
            self._outputs[file] = None
        if "size" in attributes:
            self._size(attributes["size"], link)

    def _note_lines(self, file: str, link: str) -> None:
        assert self._lines is not None
        for key, links, files in (("inputs", _READ, self._inputs), ("outputs", _WRITTEN, self._outputs)):
            if link in links and file not in files:
                self._lines[len(self._tasks) - 1, key, len(files)] = self._line()

    def _wrong_use(self, file: str, link: str) -> None:
        assert self._job is not None
        place = (len(self._tasks) - 1, f"uses {file}", 0)
        if self._lines is not None:
            self._lines[place] = self._line()
        where = f"job {shown(self._job.id)}"
        if not file:
            self._problems.add(place, f"<uses> of {where} names no file; add 'file' or 'name'")
        elif not link:
            untold = (
                f'<uses> of {where} does not say what {shown(file)} is, and is passed over; add link="input" or output'
            )
            self._problems.warn("uses", place, untold)
        else:
            self._problems.add(place, f"{shown(file)} has the link {shown(link)} in {where}; write input or output")

    def _size(self, text: str, link: str = "") -> None:
        size = _number(text)
        if not 0 <= size <= SIZE_BYTES_MAX:
            place = (len(self._tasks) - 1, f"size {self._file}", 0)
            if self._lines is not None:
                self._lines[place] = self._line()
            wrong = f"the size of {shown(self._file)} is {shown(text)}"
            if size < 0:
                self._problems.warn("size", place, f"{wrong}; it counts as not recorded")
            else:
                self._problems.add(place, f"{wrong}; give its bytes as a number")
        elif link == "output" or self._file not in self._sizes:
            self._sizes[self._file] = size if isinstance(size, int) else round(size)

    def _runtime(self, job: TraceTask, text: str) -> None:
        seconds = _number(text)
        if math.isnan(seconds) or seconds < 0:
            wrong = f"the runtime of job {shown(job.id)} is {shown(text)}; give its seconds as a number"
            self._problems.add((len(self._tasks) - 1, "id", 0), wrong)
        else:
            job.seconds = seconds

    def _cores(self, job: TraceTask, text: str) -> None:
        cores = _number(text)
        if not cores >= 1:
            untold = f"job {shown(job.id)} asks for {shown(text)} cores, and gets one; give a number from 1 on"
            self._problems.warn("cores", (len(self._tasks) - 1, "id", 0), untold)
        else:
            job.cpus = float(cores)

    def _stdin(self, attributes: dict[str, str]) -> None:
        if self._job is not None:
            self._job.stdin = _file_of(attributes)

    def _stdout(self, attributes: dict[str, str]) -> None:
        if self._job is not None:
            self._job.stdout = _file_of(attributes)

    def _stderr(self, attributes: dict[str, str]) -> None:
        if self._job is not None:
            self._job.stderr = _file_of(attributes)

    # Text of elements.

    def _argument(self, _: dict[str, str]) -> None:
        if self._job is not None:
            self._gather("argument")

    def _noted(self, attributes: dict[str, str]) -> None:
        """Sizes of files and runtimes of jobs may stand in profiles and metadata, too, and so do variables."""
        key = attributes.get("key", "")
        if self._gathered:
            return
        namespace = attributes.get("namespace", "").lower()
        if self._job is not None and namespace == "env":
            self._variable = key
            self._gather("env")
        elif self._job is not None and (namespace, key.lower()) == ("pegasus", "cores"):
            self._gather("cores")
        elif key.lower() in {"size", "runtime"}:
            self._gather(key.lower())

    def _gather(self, what: str) -> None:
        self._gathered, self._texts = what, []
        self._parser.CharacterDataHandler = self._texts.append
        self._parser.EndElementHandler = self._gathered_all

    def _gathered_all(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        if tag in {"file", "filename"}:
            return
        what, text = self._gathered, "".join(self._texts).strip()
        self._gathered, self._parser.CharacterDataHandler, self._parser.EndElementHandler = "", None, None
        if what == "size" and self._file:
            self._size(text)
        elif what == "env" and self._job is not None and self._variable:
            self._job.env = {**(self._job.env or {}), self._variable: text}
        elif what == "cores" and self._job is not None:
            self._cores(self._job, text)
        elif what == "runtime" and self._job is not None and self._job.seconds is None:
            self._runtime(self._job, text)
        elif what == "argument" and self._job is not None and self._job.argv:
            self._job.argv += _words(text)

    def _file_named(self, attributes: dict[str, str]) -> None:
        file = _file_of(attributes)
        if self._gathered:
            self._texts.append(shlex.quote(file))
        else:
            self._end_job()
            self._file = file

    # Catalogues and edges.

    def _catalogued(self, attributes: dict[str, str]) -> None:
        self._end_job()
        self._file = attributes.get("name", "")

    def _location(self, attributes: dict[str, str]) -> None:
        try:
            url = urlsplit(attributes.get("url", ""))
        except ValueError:
            return
        if self._job is None and self._file and url.scheme in {"", "file"} and url.path.startswith("/"):
            self._found_at.setdefault(self._file, unquote(url.path))

    def _start_child(self, attributes: dict[str, str]) -> None:
        self._end_job()
        self._child = attributes.get("ref", "")
        self._parents_here = self._parents.setdefault(self._child, {})
        if self._lines is not None:
            self._edge_lines.setdefault((self._child, ""), self._line())

    def _parent(self, attributes: dict[str, str]) -> None:
        parent = attributes.get("ref", "")
        self._parents_here[parent] = None
        if self._lines is not None:
            self._edge_lines.setdefault((self._child, parent), self._line())

    def _apply_edges(self) -> None:
        left = dict(self._parents)
        for at, task in enumerate(self._tasks):
            task.parents = list(left.pop(task.id, ()))
            for number, parent in enumerate(task.parents) if self._lines is not None else ():
                assert self._lines is not None
                self._lines[at, "parents", number] = self._edge_lines[task.id, parent]
        for child in left:
            place = (0, f"child {child}", 0)
            if self._lines is not None:
                self._lines[place] = self._edge_lines.get((child, ""), 1)
            self._problems.add(
                place, f"<child> names {shown(child)}, which is no job of this file; add it, or remove this"
            )


def _file_of(attributes: dict[str, str]) -> str:
    return attributes.get("name") or attributes.get("file") or ""


def _words(text: str) -> list[str]:
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
