"""A workflow that was read, in another language: the name of the file says which.

Each language says less than all of them together. What one has no words for is refused with a sentence, and so is
a trace that would leave out what a task does.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

from roost.languages.outline import Reading
from roost.languages.trace.trace import Trace
from roost.model.errors import InvalidInput
from roost.model.task import Protocol

_KNOWN: Final = "name it .yaml (a flow), .json (WfFormat), .dax, .xml (WEB or LAN), or .txt (a command a line)"


def written(reading: Reading, out: Path) -> dict[Path, str]:
    """Return the texts of the files that say the same as ``reading``, by their paths: ``out``, and those beside it.

    Raise InvalidInput for what the language has no words for.
    """
    write = _WRITERS.get(out.suffix.lower())
    if write is None:
        raise InvalidInput(f"what {out} is to be cannot be told from its name; {_KNOWN}")
    files = write(reading, out)
    for path in files:
        if not path.resolve().is_relative_to(out.resolve().parent):
            raise InvalidInput(f"the workflow names {path}, which is outside the folder of {out}; it is not written")
    return files


def _loaded(module: str) -> Any:
    return import_module(f"roost.{module}")


def _flow(reading: Reading, out: Path) -> dict[Path, str]:
    folder = out.resolve().parent
    submission = _loaded("languages.flow.renaming").with_flow_names(reading.submission)
    text: str = _loaded("languages.flow.writing").write_flow(submission, folder)
    try:
        # What other languages allow a flow may not: an output somewhere else, a command that is too long.
        _loaded("languages.flow.flow").open_flow(text, out.name, folder, {})
    except InvalidInput as error:
        raise InvalidInput(f"as a flow this workflow could not run, so nothing is written: {error}") from None
    return {out: text}


def _wfformat(reading: Reading, out: Path) -> dict[Path, str]:
    document = _loaded("languages.wfformat.writer").trace_document(_trace(reading, "WfFormat"))
    return {out: msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"}


def _dax(reading: Reading, out: Path) -> dict[Path, str]:
    return {out: _loaded("languages.dax.writer").trace_dax(_trace(reading, "a DAX"))}


def _trace(reading: Reading, language: str) -> Trace:
    """Return what was recorded, or else what a trace can say of the workflow; raise InvalidInput if it says more."""
    if reading.trace is not None:
        return reading.trace
    _loaded("languages.trace.beyond").require_plain_commands(reading.submission, language)
    trace: Trace = _loaded("languages.trace.trace_back").trace_of(reading.submission)
    return trace


def _commands(reading: Reading, out: Path) -> dict[Path, str]:
    return {out: _loaded("languages.commands.writer").write_commands(reading.submission)}


def _xml(reading: Reading, out: Path) -> dict[Path, str]:
    if any(_protocol(task) == Protocol.LAN.value for task in reading.submission["tasks"]):
        return _lan(reading, out)
    weevil = _loaded("languages.weevil.writing")
    files: dict[str, str] = weevil.write_weevil(reading)
    return {out if name == weevil.DOCUMENT else out.parent / name: text for name, text in files.items()}


def _lan(reading: Reading, out: Path) -> dict[Path, str]:
    files: dict[str, str] = _loaded("languages.lan.writing").write_lan(reading)
    # One description leads to the whole workflow; where there are several, any of them will do as the name.
    if out.name not in files:
        last = next(reversed(files))
        raise InvalidInput(f"a LAN description is named after its type; write {out.parent / last}")
    return {out.parent / name: text for name, text in files.items()}


def _protocol(task: Mapping[str, Any]) -> str | None:
    protocol: str | None = (task.get("command") or {}).get("protocol")
    return protocol


_WRITERS: Final[Mapping[str, Callable[[Reading, Path], dict[Path, str]]]] = {
    ".yaml": _flow, ".yml": _flow, ".json": _wfformat, ".dax": _dax, ".txt": _commands, ".xml": _xml,
}  # fmt: skip
