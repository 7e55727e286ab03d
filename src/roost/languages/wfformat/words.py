"""Small things that all versions of WfFormat share."""

import re
import shlex

from roost.languages.shell_words import shell_operator
from roost.languages.wfformat.document import Command

#: A word that a shell would take as it is.
_PLAIN = re.compile(r"[^\s'\"\\]+")


def argv_of(command: Command | None) -> list[str] | None:
    """Return the words of a command line.

    WfCommons writes several words, and words in quotes, as one argument ("--cpu-work 5000") and joins all with blanks.
    What redirects, or has several lines, was meant for a shell.
    """
    if command is None or not command.program.strip():
        return None
    if shell_operator(command.arguments) is not None or ("\n" in command.program and len(_words(command.program)) > 1):
        return ["/bin/sh", "-c", " ".join((command.program, *command.arguments))]
    return [word for text in (command.program, *command.arguments) for word in _words(text)]


def _words(text: str) -> list[str]:
    if _PLAIN.fullmatch(text):
        return [text]
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def distinct(ids: list[str]) -> list[str]:
    """Return the ids without empty and repeated ones, which are untidy and harmless."""
    if "" not in ids and (len(ids) < 2 or len(set(ids)) == len(ids)):
        return ids
    return [given for given in dict.fromkeys(ids) if given]


def position_of(ids: list[str], number: int) -> int:
    """Return where in the document's list the ``number``-th of the distinct ids stands."""
    kept = distinct(ids)
    return ids.index(kept[number]) if number < len(kept) else 0


def number_text(number: float) -> str:
    """Write a number of a document for people; whole numbers may be larger than any that can be computed with."""
    try:
        return f"{number:g}"
    except OverflowError:
        return "too many"
