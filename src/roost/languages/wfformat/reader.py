"""A WfFormat document to a submission."""

import re
from pathlib import Path

import msgspec
from msgspec import UNSET

from roost.languages.json_lines import doubled_key, lines_of
from roost.languages.outline import Reading
from roost.languages.problems import located, shown
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.trace import Place, Trace, TraceProblems
from roost.languages.trace_reading import trace_reading
from roost.languages.wfformat.document import NEW_VERSIONS, AnyDocument, Document, OldDocument
from roost.languages.wfformat.old_traces import old_trace
from roost.languages.wfformat.places import path_of
from roost.languages.wfformat.shape import mistake_in
from roost.languages.wfformat.tidying import tidied
from roost.languages.wfformat.traces import new_trace
from roost.model.errors import InvalidInput

_VERSIONS = ("1.0", "1.1", "1.2", "1.3", "1.4", *NEW_VERSIONS)
#: What differs less than a first number says can be read by its layout.
_LIKE_VERSIONS = re.compile(r"1\.[0-9]+")
_BYTE = re.compile(r"\(byte (\d+)\)")
_NO_NUMBER = re.compile(rb"NaN|-?Infinity|nan|-?inf")


def read_wfformat(
    data: str | bytes,
    name: str = "workflow.json",
    folder: Path | None = None,
    simulation: Simulation | None = None,
    *,
    to_run: bool = True,
) -> Reading:
    """Turn a document into a submission; ``folder`` is where files are that no task writes, this one if none is given.

    A document of bytes is ASCII. Raise InvalidInput with the lines of its mistakes. If it is not ``to_run``, what it
    lacks for that is a warning.
    """
    text = data if isinstance(data, str) else data.decode("ascii")
    problems, untidy = TraceProblems(to_run=to_run), list[str]()
    document = _decoded(text, name, untidy)
    doubled = doubled_key(text)
    if doubled is not None:
        key, line, first = doubled
        again = f"{shown(key)} stands here again, first on line {first}; remove one of the two"
        raise InvalidInput(located(name, line, again))

    def locate(places: list[Place]) -> list[int]:
        paths = [path_of(document, place) for place in places]
        lines = lines_of(text, paths)
        return [lines[path] for path in paths]

    trace = _trace(document, problems, commands=simulation is None)
    reading = trace_reading(trace, problems, name, locate, folder, simulation)
    reading.warnings[:0] = [*_about_version(document, text, name), *untidy]
    return reading


def _trace(document: Document | OldDocument, problems: TraceProblems, *, commands: bool) -> Trace:
    if isinstance(document, Document):
        return new_trace(document, problems, commands=commands)
    return old_trace(document, problems, commands=commands)


def _decoded(text: str, name: str, warnings: list[str]) -> Document | OldDocument:
    try:
        any_one = msgspec.json.decode(text, type=AnyDocument)
        version, workflow = str(any_one.schema_version), any_one.workflow
        if not version or _LIKE_VERSIONS.fullmatch(version):
            if workflow.specification is UNSET and not workflow.tasks is workflow.jobs is UNSET:
                return msgspec.json.decode(text, type=OldDocument)
            return msgspec.json.decode(text, type=Document)
    except msgspec.ValidationError as error:
        path, sentence = mistake_in(str(error))
        wrong = located(name, lines_of(text, [path])[path], sentence)
        tidy = _tidied(text)
        if tidy is None:
            raise InvalidInput(wrong) from None
        warnings.append(f"{wrong}; it is taken for what it most likely means")
        return tidy
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(_malformed(text, name, str(error))) from None
    wrong = f"'schemaVersion' is {shown(version)}; Roost reads {_VERSIONS[0]} to {_VERSIONS[-1]}, so write one of these"
    raise InvalidInput(located(name, _line_of_version(text), wrong))


def _tidied(text: str) -> Document | OldDocument | None:
    """Read a document that is untidy, and no worse; None if it is worse."""
    try:
        document = tidied(msgspec.json.decode(text))
    except (msgspec.DecodeError, RecursionError):
        return None
    try:
        return msgspec.convert(document, type=Document, strict=False)
    except msgspec.ValidationError:
        pass
    try:
        old = msgspec.convert(document, type=OldDocument, strict=False)
    except msgspec.ValidationError:
        return None
    return old if old.workflow.tasks or old.workflow.jobs else None


def _about_version(document: Document | OldDocument, text: str, name: str) -> list[str]:
    """Say how a document of no version, or of one that came later, was read."""
    version = str(document.schema_version)
    if version in _VERSIONS:
        return []
    untold = (
        f"'schemaVersion' is {shown(version)}, which Roost does not know" if version else "no 'schemaVersion' is told"
    )
    like = NEW_VERSIONS[-1] if isinstance(document, Document) else "1.4"
    return [located(name, _line_of_version(text), f"{untold}; the document is read like one of {like}")]


def _line_of_version(text: str) -> int:
    return lines_of(text, [("schemaVersion",)])["schemaVersion",]


def _malformed(text: str, name: str, complaint: str) -> str:
    if "recursion" in complaint:
        return located(name, 1, "lists and maps lie in each other too deep; make it flatter")
    at = _BYTE.search(complaint)
    # The decoder counts bytes, of what is cut off none; lines end with bytes that stand for nothing else.
    before = text.encode()[: int(at[1])] if at else text.rstrip().encode()
    line = before.count(b"\n") + 1
    reason = complaint.partition(" (byte")[0].removeprefix("JSON is malformed: ")
    if at and _NO_NUMBER.match(text.encode(), len(before)):
        return located(name, line, "JSON has no NaN and no Infinity; write a number, or null")
    return located(name, line, f"this is not JSON ({reason}); mend it here or on the line before")
