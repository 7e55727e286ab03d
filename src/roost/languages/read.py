"""Any workflow file to a submission: its name, and how it begins, tell in which language it is."""

import codecs
import os
import re
import select
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from roost.languages.memory import collector_paused
from roost.languages.outline import Reading
from roost.languages.problems import located
from roost.languages.trace.simulation import Simulation
from roost.model.errors import InvalidInput, NotFound
from roost.model.limits import MIB, WORKFLOW_BYTES_MAX, WRITER_AWAITED_S
from roost.model.stray import carried

_SUFFIXES: Final = {".yaml": "flow", ".yml": "flow", ".json": "wfformat", ".txt": "commands", ".xml": "", ".dax": ""}
#: What people call them.
_NAMES: Final = {
    "flow": "flow file", "wfformat": "WfFormat trace", "commands": "list of commands",
    "dax": "Pegasus DAX", "weevil": "WeevilScout workflow", "lan": "LAN task description",
}  # fmt: skip
#: Which language an XML document is in, by its outermost element.
_ROOTS: Final = {"adag": "dax", "workflow": "weevil", "task": "lan"}
_ROOT: Final = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_BEFORE_ROOT: Final = re.compile(r"<!--.*?-->|<\?.*?\?>|<![A-Z].*?>", re.DOTALL)
_OF_TRACES: Final = re.compile(rb'"(?:workflow|schemaVersion)"\s*:')
_FLOW_TASKS: Final = re.compile(rb'"tasks"\s*:\s*\{')
#: How far into a document its outermost element is looked for.
_HEAD_BYTES: Final = 64 * 1024
_KNOWN: Final = "name it .yaml (a flow), .json (WfFormat), .xml or .dax, or .txt (a command a line)"


@dataclass(frozen=True, slots=True)
class _File:
    """A workflow file, and what was said about how to read it."""

    path: Path
    data: bytes
    overrides: Mapping[str, str]
    simulation: Simulation | None
    to_run: bool = True

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def folder(self) -> Path:
        """Where the files are that it names: beside it, or here if a program writes it into a pipe."""
        return Path.cwd() if self.path.is_fifo() else self.path.resolve().parent

    def text(self) -> str:
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            raise InvalidInput(located(self.name, line, "this is not UTF-8 text; save the file as UTF-8")) from None

    def words(self) -> str:
        """Return the text of a file whose words may hold bytes that are no UTF-8, as names of files do."""
        # What begins so is text in another coding, and not a text with such words.
        is_wide = self.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return self.text() if is_wide else carried(self.data.removeprefix(codecs.BOM_UTF8))


def read_workflow(
    path: Path, overrides: Mapping[str, str], simulation: Simulation | None = None, *, to_run: bool = True
) -> Reading:
    """Read a workflow file of any language. Raise NotFound, or InvalidInput with the lines of its mistakes.

    ``overrides`` are values from the command line; with a ``simulation``, recorded tasks become placeholders.
    What keeps a recorded workflow from being run as it is, such as files that are elsewhere, is only a warning for
    those who do not mean ``to_run`` it.
    """
    file = _File(path, _read(path), overrides, simulation, to_run)
    language = _language(file)
    _refuse_what_means_nothing(file, language)
    with collector_paused():
        reading = _READERS[language](file)
    reading.language = _NAMES[language]
    return reading


def _read(path: Path) -> bytes:
    try:
        with open(path, "rb", opener=_opened_at_once) as file:
            data = _awaited(file.fileno(), path) + file.read(WORKFLOW_BYTES_MAX + 1)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}; check its name") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"{path} cannot be read: {reason}") from None
    if len(data) > WORKFLOW_BYTES_MAX:
        raise InvalidInput(f"{path} is larger than {WORKFLOW_BYTES_MAX // MIB} MiB; split the workflow")
    return data


def _opened_at_once(path: str, flags: int) -> int:
    """Open a file; a pipe into which nobody writes yet would keep us waiting for ever."""
    return os.open(path, flags | os.O_NONBLOCK)


def _awaited(file: int, path: Path) -> bytes:
    """Wait until somebody has a pipe open for writing, and return what was read of it meanwhile.

    Raise InvalidInput if nobody does. Whoever has it open may take his time.
    """
    first = b""
    if stat.S_ISFIFO(os.fstat(file).st_mode):
        poll = select.poll()
        poll.register(file, select.POLLIN)
        try:
            first = os.read(file, _HEAD_BYTES)
            if not first and not poll.poll(WRITER_AWAITED_S * 1000):
                raise InvalidInput(f"nobody writes into the pipe {path}; name a file, or start what writes it first")
        except BlockingIOError:
            pass
    os.set_blocking(file, True)
    return first


def _language(file: _File) -> str:
    known = _SUFFIXES.get(file.path.suffix.lower())
    begin = file.data[:_HEAD_BYTES]
    if known in {None, "", "wfformat"}:
        # XML and JSON tell what they are, whatever the file is called.
        first = begin.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        known = {b"<": "", b"{": "wfformat"}.get(first, known)
    tasks = {None: rb"^tasks:", "commands": rb"^tasks:\s*$"}.get(known)
    if tasks is not None and re.search(tasks, begin, re.MULTILINE):
        known = "flow"
    if known == "wfformat" and _is_json_flow(file.data):
        known = "flow"
    if known is None:
        raise InvalidInput(f"what {file.name} is cannot be told from its name; {_KNOWN}")
    return known or _xml_language(file, begin)


def _is_json_flow(data: bytes) -> bool:
    """Whether a JSON document has the tasks of a flow, which are a map, and nothing of a trace: JSON is YAML, too."""
    return not _OF_TRACES.search(data) and bool(_FLOW_TASKS.search(data))


def _xml_language(file: _File, begin: bytes) -> str:
    coding = "utf-16" if begin[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    text = _BEFORE_ROOT.sub(" ", begin.decode(coding, errors="replace"))
    root = _ROOT.search(text)
    language = _ROOTS.get(root[1]) if root else None
    if language is not None:
        return language
    # What is no XML at all is told with its line; other codings are for the careful reader.
    tag = import_module("roost.languages.xml_tree").read_xml(file.data, file.name).tag
    if tag in _ROOTS:
        return _ROOTS[tag]
    wrong = f"<{tag}> begins no workflow that Roost knows; a WEB workflow begins with <workflow>, a DAX with <adag>"
    raise InvalidInput(located(file.name, 1, f"{wrong}, a LAN task with <task>"))


def _reader(module: str, name: str) -> Callable[..., Reading]:
    """Load the reader of a language now: nobody waits for those that his file is not in."""
    read: Callable[..., Reading] = getattr(import_module(f"roost.languages.{module}"), name)
    return read


def _refuse_what_means_nothing(file: _File, language: str) -> None:
    if file.overrides and language not in _WITH_VALUES:
        name = next(iter(file.overrides))
        raise InvalidInput(f"--set {name} has no meaning for {file.name}, which has no values to set; leave it out")
    if file.simulation is not None and language not in _RECORDED:
        raise InvalidInput(f"{file.name} has no recorded runtimes; only WfFormat and DAX can be simulated")


def _wfformat(file: _File) -> Reading:
    # To make text of a large document takes memory and time, and the reader may do without.
    document = file.data if file.data.isascii() else file.text()
    read = _reader("wfformat.reader", "read_wfformat")
    return read(document, file.name, file.folder, file.simulation, to_run=file.to_run)


def _dax(file: _File) -> Reading:
    read = _reader("dax.reader", "read_dax")
    return read(file.data, file.name, file.folder, file.simulation, to_run=file.to_run)


_READERS: Final[Mapping[str, Callable[[_File], Reading]]] = {
    "flow": lambda file: _reader("flow.flow", "open_flow")(file.text(), file.name, file.folder, file.overrides),
    "wfformat": _wfformat,
    "dax": _dax,
    "commands": lambda file: _reader("commands.reader", "read_commands")(file.words(), file.name, file.folder),
    "weevil": lambda file: _reader("weevil.reading", "read_weevil")(file.data, file.path, file.overrides),
    "lan": lambda file: _reader("lan.reading", "read_lan")(file.data, file.path, file.overrides),
}
#: Languages that have values to set, and those that tell how long a task once took.
_WITH_VALUES: Final = frozenset({"flow", "weevil", "lan"})
_RECORDED: Final = frozenset({"wfformat", "dax"})
