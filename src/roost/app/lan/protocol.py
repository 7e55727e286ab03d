"""LAN's client protocol (LAN 3.4, table 3.3): lines of text that a person can type into telnet, and their answers.

Requests::

    SCHEDULE task_exec_name priority [-p path_to_raw_files] [-a task_uuid nth_output]... [-x parameters_file]
    SUBSCRIBE task_uuid_1 ... task_uuid_n
    CANCEL task_uuid

Answers::

    SCHEDULED task_uuid
    SUBSCRIBED task_uuid_1 ... task_uuid_n
    PROGRESS task_uuid state percent
    CANCELLED task_uuid
    ERROR message

The table has no more; LOGIN with LOGGED_IN, and QUIT, are ours. Words may be written in small letters, and what holds
blanks stands in double quotes. A backslash is a letter like any other, because paths within a LAN begin with two of
them.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from roost.languages.lan.description import parse_nth
from roost.model.errors import InvalidInput
from roost.model.limits import LAN_INPUTS_MAX, LAN_SUBSCRIPTIONS_MAX
from roost.model.task import Priority

SCHEDULE_FORM: Final = (
    "SCHEDULE task_exec_name priority [-p path_to_raw_files] [-a task_uuid nth_output]... [-x parameters_file]"
)
_WORD: Final = re.compile(r'(?:[^\s"]|"[^"]*")+')
#: What a browser says first, or in its headers: a page from elsewhere may make it speak to any local port.
_HTTP: Final = re.compile(r"[A-Za-z]+ \S+ HTTP/[0-9.]+|[A-Za-z-]+:(?: .*)?")
_MESSAGE_LENGTH_MAX: Final = 1_000
_SHOWN_MAX: Final = 60


class ForeignTalk(InvalidInput):
    """Whoever sent this does not mean us; nothing that follows on the connection may be carried out."""


class NthOutput(msgspec.Struct, frozen=True):
    """The n-th output of a task, counted from 1 (``-a``)."""

    task: str
    nth: int


class Schedule(msgspec.Struct, frozen=True):
    """Run a program: with raw files (``-p``), outputs of other tasks (``-a``) and a file of parameters (``-x``)."""

    program: str
    priority: Priority
    raw_files: str | None = None
    inputs: tuple[NthOutput, ...] = ()
    parameters: str | None = None


class Subscribe(msgspec.Struct, frozen=True):
    tasks: tuple[str, ...]


class Cancel(msgspec.Struct, frozen=True):
    task: str


class Login(msgspec.Struct, frozen=True):
    token: str


class Quit(msgspec.Struct, frozen=True):
    """End the conversation; tasks go on."""


Request: TypeAlias = Schedule | Subscribe | Cancel | Login | Quit


class LanState(StrEnum):
    """States as LAN writes them: those of LAN 3.3, and two that only its table 2.1 has."""

    SUBMITTED = "Submitted"
    READY = "Ready"
    RUNNING = "Running"
    SUSPENDED = "Suspended"
    TERMINATED = "Terminated"
    CANCELLED = "Cancelled"
    ABORTED = "Aborted"


class Progress(msgspec.Struct, frozen=True):
    uuid: str
    state: LanState
    percent: int

    def __str__(self) -> str:
        return f"PROGRESS {self.uuid} {self.state} {self.percent}"


def parse_request(line: bytes) -> Request | None:
    """Read a line; None if nothing stands on it.

    Raise InvalidInput with a sentence for the person, ForeignTalk if there seems to be none.
    """
    text = _text(line)
    if not text:
        return None
    if _HTTP.fullmatch(text):
        raise ForeignTalk("this is not a web server but LAN's client protocol; connect with telnet")
    word, *rest = _words(text)
    match word.upper():
        case "SCHEDULE":
            return _schedule(rest)
        case "SUBSCRIBE":
            return _subscribe(rest)
        case "CANCEL":
            return Cancel(_only(rest, "CANCEL takes one task, as in: CANCEL task_uuid"))
        case "LOGIN":
            return Login(_only(rest, "LOGIN takes one token, as in: LOGIN token"))
        case "QUIT":
            return Quit()
        case _:
            raise InvalidInput(f"'{_shown(word)}' is not a request; write SCHEDULE, SUBSCRIBE, CANCEL, LOGIN or QUIT")


def error(message: str) -> str:
    """Return the answer to what cannot be carried out."""
    return f"ERROR {_one_line(message, _MESSAGE_LENGTH_MAX)}"


def written(answer: str | Progress) -> bytes:
    """Return an answer as a line, ended as telnet wants it."""
    return f"{answer}\r\n".encode(errors="replace")


def _text(line: bytes) -> str:
    try:
        text = line.decode().strip()
    except UnicodeDecodeError:
        raise ForeignTalk("the line is not text in UTF-8; connect with telnet") from None
    if not text.replace("\t", " ").isprintable():
        raise ForeignTalk("the line holds characters that no one can type; connect with telnet")
    return text


def _words(text: str) -> list[str]:
    if text.count('"') % 2:
        raise InvalidInput('a double quote is not closed; write for example -p "/data/raw files"')
    return [word.replace('"', "") for word in _WORD.findall(text)]


def _schedule(words: list[str]) -> Schedule:
    if len(words) < 2:
        missing = "a priority, low or interactive," if words else "a program and a priority"
        raise InvalidInput(f"SCHEDULE needs {missing} as in: {SCHEDULE_FORM}")
    program, priority, *options = words
    if priority.lower() not in set(Priority):
        raise InvalidInput(f"'{_shown(priority)}' is not a priority; write low or interactive after the program")
    paths: dict[str, str] = {}
    inputs: list[NthOutput] = []
    rest = iter(options)
    for option in rest:
        if option == "-a":
            inputs.append(_nth_output(rest))
        elif option not in ("-p", "-x"):
            raise InvalidInput(f"SCHEDULE has no option '{_shown(option)}'; the form is: {SCHEDULE_FORM}")
        elif option in paths:
            raise InvalidInput(f"SCHEDULE takes {option} only once; put paths with blanks in double quotes")
        else:
            paths[option] = _path(option, rest)
    if len(inputs) > LAN_INPUTS_MAX:
        raise InvalidInput(f"SCHEDULE has {len(inputs)} inputs; the limit is {LAN_INPUTS_MAX}")
    return Schedule(program, Priority(priority.lower()), paths.get("-p"), tuple(inputs), paths.get("-x"))


def _path(option: str, rest: Iterator[str]) -> str:
    path = next(rest, "")
    if not path:
        raise InvalidInput(f"SCHEDULE needs a path after {option}, as in: {SCHEDULE_FORM}")
    return path


def _nth_output(rest: Iterator[str]) -> NthOutput:
    task, nth = next(rest, ""), next(rest, "")
    if not task or not nth:
        raise InvalidInput("SCHEDULE needs a task and the number of its output after -a, as in: -a task_uuid 1")
    return NthOutput(task, parse_nth(nth))


def _subscribe(words: list[str]) -> Subscribe:
    if not words:
        raise InvalidInput("SUBSCRIBE needs at least one task, as in: SUBSCRIBE task_uuid_1 task_uuid_2")
    if len(words) > LAN_SUBSCRIPTIONS_MAX:
        raise InvalidInput(f"SUBSCRIBE names {len(words):,} tasks; the limit is {LAN_SUBSCRIPTIONS_MAX:,}")
    return Subscribe(tuple(words))


def _only(words: list[str], complaint: str) -> str:
    if len(words) != 1 or not words[0]:
        raise InvalidInput(complaint)
    return words[0]


def _shown(text: str) -> str:
    return _one_line(text, _SHOWN_MAX)


def _one_line(text: str, longest: int) -> str:
    text = "".join(char if char.isprintable() else " " for char in text)
    return text if len(text) <= longest else text[: longest - 3] + "..."
