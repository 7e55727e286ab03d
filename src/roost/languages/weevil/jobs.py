"""What a JavaScript job says of itself: whether it has the entry point, and the names of its parameters.

Data arrives at ports that are named like the parameters of ``weevil_main`` (WEB 3.3.1), so the order of the arguments
is that of the function, not that of the document. The code is not run here, and not parsed: only its head is looked at.
"""

import re
from dataclasses import dataclass
from typing import Final

ENTRY: Final = "weevil_main"
#: Comments and text in quotes, in which anything may stand; an open one ends with the line or the file.
_COMMENT: Final = r"//[^\n]*|/\*(?:.*?\*/|.*)"
_COMMENTS: Final = re.compile(_COMMENT, re.DOTALL)
_SKIPPED: Final = re.compile(
    _COMMENT + r"""|'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|`(?:\\.|[^`\\])*`?""",
    re.DOTALL,
)
_NAME: Final = r"[^\W\d][\w$]*|\$[\w$]*"
_WITH_BRACKETS: Final = re.compile(
    rf"""(?<![\w$])(?:function\s*\*?\s*{ENTRY}\s*\(
    | {ENTRY}\s*=\s*(?:async\s+)?function\b[^(]{{0,200}}\(
    | {ENTRY}\s*=\s*(?:async\s*)?\((?=[^()]*(?:\([^()]*\)[^()]*)*\)\s*=>))""",
    re.VERBOSE,
)
_ONE_BARE: Final = re.compile(rf"(?<![\w$]){ENTRY}\s*=\s*(?:async\s+)?({_NAME})\s*=>")
_OTHERWISE: Final = re.compile(rf"(?<![\w$]){ENTRY}\s*=(?!=)")
_PARAMETER: Final = re.compile(rf"({_NAME})\s*(=.*)?", re.DOTALL)
_ALL_ARGUMENTS: Final = re.compile(r"(?<![\w$.])arguments\b")
#: How far a head is followed: no function has so many parameters.
_HEAD_LENGTH_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class JobParameter:
    name: str
    #: Whether it has a default.
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry point; parameters are None if they cannot be told by name."""

    parameters: tuple[JobParameter, ...] | None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.parameters or ())

    def __str__(self) -> str:
        return f"{ENTRY}({', '.join(self.names)})"


def find_entry(code: str) -> Entry | None:
    """Return the entry point of a job, None if it has none."""
    # A sign of quotation inside a regular expression can hide the rest of the code; then only comments are left out.
    return _find(_SKIPPED.sub(_blank, code)) or _find(_COMMENTS.sub(" ", code))


def _blank(skipped: re.Match[str]) -> str:
    return '""' if skipped[0][0] in "'\"`" else " "


def _find(code: str) -> Entry | None:
    head = _WITH_BRACKETS.search(code)
    if head is not None:
        return Entry(_parameters(code, head.end()))
    bare = _ONE_BARE.search(code)
    if bare is not None:
        return Entry((JobParameter(bare[1]),))
    return Entry(None) if _OTHERWISE.search(code) else None


def _parameters(code: str, start: int) -> tuple[JobParameter, ...] | None:
    pieces = _split(code[start : start + _HEAD_LENGTH_MAX])
    if pieces is None or (not pieces and _ALL_ARGUMENTS.search(code)):
        return None
    parameters = []
    for piece in pieces:
        match = _PARAMETER.fullmatch(piece)
        if match is None:
            return None
        parameters.append(JobParameter(match[1], match[2] is not None))
    return tuple(parameters)


def _split(code: str) -> list[str] | None:
    """Return what stands between the commas up to the closing bracket, None if there is no such bracket."""
    pieces, begin, depth = [], 0, 0
    for at, letter in enumerate(code):
        if letter in "([{":
            depth += 1
        elif letter == ")" and not depth:
            pieces.append(code[begin:at])
            return [piece.strip() for piece in pieces if piece.strip()]
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and not depth:
            pieces.append(code[begin:at])
            begin = at + 1
    return None
