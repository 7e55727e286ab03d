"""A WfFormat document to a submission."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from roost.app.flows.problems import Problems, located, shown
from roost.app.languages.json_lines import lines_of
from roost.app.languages.outline import Reading
from roost.app.languages.outlining import outline_of
from roost.app.languages.simulation import Simulation
from roost.app.languages.trace import Trace, TraceProblems
from roost.app.languages.trace_submission import trace_submission
from roost.app.languages.wfformat.document import AnyDocument, Document, OldDocument
from roost.app.languages.wfformat.old_traces import old_trace
from roost.app.languages.wfformat.places import path_of
from roost.app.languages.wfformat.shape import mistake_in
from roost.app.languages.wfformat.traces import new_trace
from roost.model.errors import InvalidInput

_NEW_VERSIONS = ("1.5", "1.6")
_OLD_VERSIONS = ("1.3", "1.4")
#: Mistakes whose lines are looked up; the rest are like these.
_LOCATED_MAX = 1_000
_BYTE = re.compile(r"\(byte (\d+)\)")
_VERSION = re.compile(r'"schemaVersion"\s*:\s*"([^"\\]*)"')
_HEAD_LENGTH = 4_096
_MIGRATION = "the WfFormat project has a tool that migrates older ones"


def read_wfformat(
    text: str, name: str = "workflow.json", folder: Path | None = None, simulation: Simulation | None = None
) -> Reading:
    """Turn a document into a submission; ``folder`` is where files are that no task writes, this one if none is given.

    Raise InvalidInput with the lines of its mistakes.
    """
    problems = TraceProblems()
    document = _decoded(text, name)
    trace = _trace(document, problems, commands=simulation is None)
    submission: dict[str, Any] = {}
    warnings: list[str] = []
    if not problems:
        submission, warnings = trace_submission(trace, (folder or Path.cwd()).absolute(), simulation, problems)
    if problems:
        _tell(document, problems, text, name)
    return Reading(submission, partial(outline_of, submission), warnings)


def _trace(document: Document | OldDocument, problems: TraceProblems, *, commands: bool) -> Trace:
    if isinstance(document, Document):
        return new_trace(document, problems, commands=commands)
    return old_trace(document, problems, commands=commands)


def _decoded(text: str, name: str) -> Document | OldDocument:
    try:
        version = _version(text)
        if version in _NEW_VERSIONS:
            return msgspec.json.decode(text, type=Document)
        if version in _OLD_VERSIONS:
            return msgspec.json.decode(text, type=OldDocument)
    except msgspec.ValidationError as error:
        raise InvalidInput(_misshapen(text, name, str(error))) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(_malformed(text, name, str(error))) from None
    line = lines_of(text, [("schemaVersion",)])["schemaVersion",]
    known = ", ".join((*_OLD_VERSIONS, *_NEW_VERSIONS))
    wrong = f"'schemaVersion' is {shown(version)}; Roost reads {known}, and {_MIGRATION}"
    raise InvalidInput(located(name, line, wrong))


def _version(text: str) -> str:
    """Look near the beginning, where it usually stands, before reading all for it."""
    found = _VERSION.search(text, 0, _HEAD_LENGTH)
    if found is not None and found[1] in _NEW_VERSIONS:
        return found[1]
    return msgspec.json.decode(text, type=AnyDocument).schema_version


def _misshapen(text: str, name: str, complaint: str) -> str:
    try:
        document: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        return _malformed(text, name, str(error))
    path, sentence = mistake_in(document, complaint)
    return located(name, lines_of(text, [path])[path], sentence)


def _malformed(text: str, name: str, complaint: str) -> str:
    at = _BYTE.search(complaint)
    # The decoder counts bytes; lines end with bytes that stand for nothing else.
    line = text.encode()[: int(at[1])].count(b"\n") + 1 if at else 1
    reason = complaint.partition(" (byte")[0].removeprefix("JSON is malformed: ")
    return located(name, line, f"this is not JSON ({reason}); mend it here or on the line before")


def _tell(document: Document | OldDocument, problems: TraceProblems, text: str, name: str) -> None:
    """Raise InvalidInput with the first mistakes; only of those are the lines looked up, all in one go."""
    told = [(path_of(document, place), sentence) for place, sentence in problems.found[:_LOCATED_MAX]]
    lines = lines_of(text, [path for path, _ in told])
    located_problems = Problems(name)
    for path, sentence in told:
        located_problems.add(lines[path], sentence)
    located_problems.stop_if_any()
