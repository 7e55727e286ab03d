"""A quick way through long flows of commands that only wait for each other, as programs write them.

Each task stands there as its name, the plain words of its command, the names of other tasks, and what it takes::

    shrink7:
      command: convert {needs.fetch7} small-7.png
      needs: [fetch7]
      retries: 2

The first line that is anything else ends the attempt, and the careful reader reads all of it: nobody else tells of
mistakes. Both give the same submission.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from roost.languages.flow.alike import RESULT, WORDS, Kinds, NotAlikeError, Row, submission_of
from roost.languages.flow.names import NAME
from roost.languages.flow.requirements import REQUIREMENT_KEYS
from roost.languages.outline import Reading
from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_BYTES_MAX

_NAME: Final = NAME.pattern
_FIRST_TASK: Final = re.compile(rf"^tasks:\n(?: *(?:#[ -~]*)?\n)*( +){_NAME}:\n(\1 +)", re.MULTILINE)
#: Empty lines and comments, and what a text holds that has some.
_ASIDE: Final = re.compile(r"^ *(?:#[ -~]*)?\n", re.MULTILINE)
_SIGNS_OF_ASIDES: Final = ("#", "\n\n", " \n")


def read_straight(text: str, read_carefully: Callable[[str], Reading]) -> dict[str, Any] | None:
    """Return the submission of a flow that is straight, None of any other."""
    indents = _FIRST_TASK.search(text)
    if indents is None:
        return None
    outer, inner = indents.groups()
    head, written = text[: indents.start(1)], _without_asides(text[indents.start(1) :])
    found = _task_pattern(outer, inner).findall(written)
    lengths = [len(task[0]) for task in found]
    if sum(lengths) < len(written) or max(lengths) > COMMAND_BYTES_MAX:
        return None
    kinds = Kinds(lambda takes: f"{head}{outer}x:\n{inner}command: x\n{takes}", read_carefully)
    try:
        return submission_of([task[1] for task in found], _rows(found), kinds)
    except (InvalidInput, NotAlikeError):
        return None


def _without_asides(written: str) -> str:
    """Return the lines that say something, each with its end."""
    written = written if written.endswith("\n") else f"{written}\n"
    return _ASIDE.sub("", written) if any(sign in written for sign in _SIGNS_OF_ASIDES) else written


def _task_pattern(outer: str, inner: str) -> re.Pattern[str]:
    """Find a task in a file with these indentations: all of it, its name, and what stands around its words.

    That is, before and behind them: what it takes, the key and the names of what it waits for, and again what it takes.
    """
    names = rf" (?:\[ *(?:{_NAME}(?: *, *{_NAME})* *)?\]|{_NAME})|(?:\n{inner}- {_NAME})+|(?:\n{inner}  - {_NAME})+"
    takes = rf"((?:{inner}(?:{'|'.join(REQUIREMENT_KEYS)}): [A-Za-z0-9.]+\n)*)"
    around = rf"{takes}(?:{inner}(after|needs):({names})\n{takes})?"
    return re.compile(rf"({outer}({_NAME}):\n{around}{inner}command: ({WORDS})\n{around})")


def _rows(found: list[tuple[str, ...]]) -> Iterator[Row]:
    names_in, results_in = NAME.findall, RESULT.findall
    for _, name, takes_1, key_1, names_1, takes_2, words, takes_3, key_2, names_2, takes_4 in found:
        if key_1 and key_2:
            raise NotAlikeError
        takes, results = takes_1 + takes_2 + takes_3 + takes_4, results_in(words) if "{" in words else ()
        yield name, takes, key_1 or key_2, names_in(names_1 or names_2), words.split(), results
