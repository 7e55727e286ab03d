"""Files that a flow brings in as text: scripts, values, jobs, other flows. They lie in its folder or below it.

A flow file may come from someone else; what it names this way becomes part of a run, and must not be any file that the
person happens to have.
"""

from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from roost.languages.problems import shown
from roost.model.errors import InvalidInput
from roost.model.limits import MIB


def path_inside(folder: Path, name: str) -> Path:
    """Return where the file is. Raise InvalidInput if its name leads out of the folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or name.startswith("~") or "\\" in name or "\0" in name:
        raise InvalidInput(f"{shown(name)} leads out of the flow's folder; name a file in it, or in a folder below it")
    if not path.parts:
        raise InvalidInput(f"{shown(name)} names no file; give a file's name")
    return folder / path


def read_bytes(path: Path, name: str, limit: int) -> bytes:
    """Return the content of a file that people call ``name``. Raise InvalidInput if it cannot be had or is too long."""
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise InvalidInput(f"there is no file {shown(name)}; names begin at the flow file's folder") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"{shown(name)} cannot be read ({reason}); name a file") from None
    if len(data) > limit:
        raise InvalidInput(f"{path.name} is larger than {limit // MIB} MiB; split it")
    return data


def read_text(path: Path, name: str, limit: int) -> str:
    """Return the text of a file; raise InvalidInput with its line if it is none."""
    text = decoded(read_bytes(path, name, limit), name)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise InvalidInput(f"line {line} of {shown(name)} holds a zero byte, which no text has; remove it")
    return text


def decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"line {line} of {shown(name)} is not UTF-8 text; save it as UTF-8") from None


def numbered_lines(data: bytes, name: str) -> list[tuple[int, str]]:
    """Return the lines that hold anything, with their numbers."""
    lines = enumerate((line.removesuffix("\r") for line in decoded(data, name).split("\n")), start=1)
    return [(number, line) for number, line in lines if line.strip()]


def json_in(text: str | bytes, what: str, way_out: str = "mend it") -> Any:
    """Return the value that a JSON text stands for. Raise InvalidInput if it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput(f"{what} is not JSON ({error}); {way_out}") from None
