"""Placeholders in a command: the same line for every element, filled with what differs.

===================  ====================================================================================
``{i}``              the element's index
``{}`` ``{item}``    the element's item; JSON text if it is not a text
``{item.key}``       a field of an item that is an object, or an entry of one that is an array (``{item.0}``)
``{.}`` ``{/}``      the item without its extension; its last part
``{//}`` ``{/.}``    its folder; its last part without extension
``{item.0/.}``       the same parts of a field
``{needs.PORT}``     what arrives at a port; several values stand on lines of their own, and where the placeholder is a
                     whole word of the command line, each becomes a word of its own
``{needs.PORT.F}``   the path of the file F that the task behind the port has left
``{needs.PORT/2}``   the second dataset that the LAN program behind the port has named (LAN 4.4)
``{run}`` ``{task}`` the ids of the run and the task
===================  ====================================================================================

Programs have braces too. What is not listed above stays as it is, and so does everything after a dollar sign (``${i}``
is a variable of the shell). ``{{`` is a literal brace, and so is ``}}`` after it: ``{{i}}`` gives ``{i}``, while the
end of ``{"a": {"b": 1}}`` stays as it is. If the task has items and names them nowhere, the item is the last word.

The texts of a command and its items may carry bytes that are no UTF-8 (model/stray.py). What is filled in is as Python
has the names of files, so that programs get those bytes.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_BYTES_MAX, COMMAND_WORD_BYTES_MAX, COMMAND_WORDS_MAX, STDIN_BYTES_MAX
from roost.model.stray import native, native_bytes
from roost.model.task import Command, EdgeKind
from roost.model.task import Protocol as LineProtocol

#: Variables that stand for placeholders in the text of a shell begin so.
SPOKEN_PREFIX: Final = "roost_"
_BRACES: Final = re.compile(r"\{\{|\}\}|(?<!\$)\{([A-Za-z0-9_./-]*)\}")
#: What begins as a placeholder that names a port, with the name, unless that holds a dot.
_PORT_NAMED: Final = re.compile(r"\{needs\.([^.}]*)[.}]")
#: A file in the task's own folder.
_PLAIN_OUTPUT: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")
_ORDINAL: Final = re.compile(r"[1-9][0-9]{0,5}")
#: As GNU parallel has it: the dot of a hidden file begins an extension, too.
_EXTENSION: Final = re.compile(r"\.[^/.]*\Z")
#: A field of the item, or an entry of it, and which part of that as a path.
_PART_OF_FIELD: Final = re.compile(r"item((?:\.[^./]+)+)(//|/\.|/|\.)")


def _folder_of(path: str) -> str:
    shorter = path.rstrip("/")
    if not shorter:
        return "/" if path else "."
    folder, slash, _ = shorter.rpartition("/")
    return folder.rstrip("/") or ("/" if slash else ".")


_ITEM_FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "": str,
    ".": lambda path: _EXTENSION.sub("", path),
    "/": lambda path: path.rpartition("/")[2],
    "//": _folder_of,
    "/.": lambda path: _EXTENSION.sub("", path.rpartition("/")[2]),
}


class Inputs(Protocol):
    """What the placeholders of one element stand for."""

    @property
    def index(self) -> int: ...

    @property
    def run(self) -> str: ...

    @property
    def task(self) -> str: ...

    @property
    def item(self) -> Any: ...

    def values(self, port: str) -> list[str]:
        """Return what arrived at the port, as texts."""

    def files(self, port: str, name: str) -> list[str]:
        """Return where the files of this name are that arrived at the port."""

    def datasets(self, port: str, nth: int) -> list[str]:
        """Return the n-th dataset, counted from 1, of what arrived at the port."""


class OwnInputs:
    """What an element has for itself, its index and its item, where nothing is known of what arrives."""

    run = task = ""

    def __init__(self, index: int, item: Any = None) -> None:
        self.index = index
        self._item = item

    @property
    def item(self) -> Any:
        return self._item

    def values(self, port: str) -> list[str]:
        raise InvalidInput(f"what arrives at the port '{port}' is not known before it is there")

    def files(self, port: str, name: str) -> list[str]:
        raise InvalidInput(f"the file '{name}' of the port '{port}' is not known before it is there")

    def datasets(self, port: str, nth: int) -> list[str]:
        raise InvalidInput(f"dataset {nth} of the port '{port}' is not known before it is there")


class IndexHole(msgspec.Struct, frozen=True):
    """``{i}``"""


class RunHole(msgspec.Struct, frozen=True):
    """``{run}``"""


class TaskHole(msgspec.Struct, frozen=True):
    """``{task}``"""


class ItemHole(msgspec.Struct, frozen=True):
    """The item, a field of it, or a part of it as a path."""

    fields: tuple[str, ...] = ()
    form: str = ""


class PortHole(msgspec.Struct, frozen=True):
    """The values at a port, the files of one name, or the n-th datasets."""

    port: str
    file: str = ""
    nth: int = 0


Hole: TypeAlias = IndexHole | RunHole | TaskHole | ItemHole | PortHole
_SIMPLE_HOLES: Final[Mapping[str, Hole]] = {"i": IndexHole(), "run": RunHole(), "task": TaskHole()}
#: A text with holes: what is to be taken literally, and what is to be filled in.
Parts: TypeAlias = tuple[str | Hole, ...]


class Expanded(msgspec.Struct, frozen=True):
    """A command without placeholders."""

    argv: list[str]
    cwd: str | None
    #: As the system takes it.
    env: dict[bytes, bytes]
    stdin: str | None
    outputs: dict[str, str]


def text_of(value: Any) -> str:
    """Write a value as a program sees it: a text as it is, anything else as JSON."""
    if type(value) is str:
        return value
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, msgspec.MsgspecError, RecursionError):
        kind = type(value).__name__
        raise InvalidInput(f"a value of type {kind} has no text form; return a text or JSON values from it") from None


def parse(text: str, has_items: bool, ports: Mapping[str, EdgeKind]) -> Parts:
    """Find the placeholders of a text. Raise InvalidInput for one that names what the task does not have."""
    parts: list[str | Hole] = []
    at = opened = 0
    for match in _BRACES.finditer(text):
        parts.append(text[at : match.start()])
        at = match.end()
        if match[0] == "{{":
            opened += 1
            parts.append("{")
        elif match[0] == "}}":
            parts.append("}" if opened else "}}")
            opened -= opened > 0
        else:
            parts.append(_hole(match[1], has_items, ports) or match[0])
    parts.append(text[at:])
    return joined(parts)


def joined(parts: list[str | Hole]) -> Parts:
    """Merge neighbouring texts, so that what has no placeholder is one text."""
    result: list[str | Hole] = []
    for part in parts:
        if isinstance(part, str) and result and isinstance(result[-1], str):
            result[-1] += part
        elif part != "":
            result.append(part)
    return tuple(result)


def _hole(name: str, has_items: bool, ports: Mapping[str, EdgeKind]) -> Hole | None:
    word, dot, rest = name.partition(".")
    if name in _ITEM_FORMS:
        # Without items these are more likely find's or a shell's than a mistake.
        return ItemHole(form=name) if has_items else None
    if word == "item":
        if not has_items:
            raise InvalidInput(f"'{{{name}}}' stands for an item, but the task has no items; give it items or an array")
        part = _PART_OF_FIELD.fullmatch(name)
        if part is not None:
            return ItemHole(tuple(part[1][1:].split(".")), part[2])
        return ItemHole(tuple(rest.split(".")) if dot else ())
    if word == "needs" and dot:
        return _port_hole(rest, ports)
    return _SIMPLE_HOLES.get(name)


def _port_hole(name: str, ports: Mapping[str, EdgeKind]) -> Hole:
    # Names of ports may hold dots themselves: the longest that fits is meant. A task may have thousands of ports.
    port = name
    while port:
        if ports.get(port, EdgeKind.AFTER) is not EdgeKind.AFTER:
            return PortHole(port, name[len(port) + 1 :])
        port = port.rpartition(".")[0]
    counted, slash, nth = name.rpartition("/")
    if slash and ports.get(counted, EdgeKind.AFTER) is not EdgeKind.AFTER:
        if _ORDINAL.fullmatch(nth):
            return PortHole(counted, nth=int(nth))
        raise InvalidInput(f"'{{needs.{name}}}' counts datasets; write '{{needs.{counted}/1}}' for the first")
    known = ", ".join(sorted(port for port, kind in ports.items() if port and kind is not EdgeKind.AFTER))
    hint = f"it has {known}" if known else "it has none"
    raise InvalidInput(f"'{{needs.{name}}}' names a port that the task does not have; {hint}")


def literal(text: str) -> str:
    """Write a text so that nothing in it is a placeholder; the program sees the text."""
    opened = 0
    letters = []
    for letter in text:
        if letter == "{":
            opened += 1
        letters.append(letter * 2 if letter == "{" or (letter == "}" and opened) else letter)
        if letter == "}" and opened:
            opened -= 1
    return "".join(letters)


def fill(parts: Parts, inputs: Inputs) -> str:
    return "".join([part if isinstance(part, str) else "\n".join(_texts(part, inputs)) for part in parts])


def fill_words(parts: Parts, inputs: Inputs) -> list[str]:
    """Fill a word of the command line; one that is nothing but a port becomes as many words as values arrived."""
    if len(parts) == 1 and isinstance(parts[0], PortHole):
        return _texts(parts[0], inputs)
    return [fill(parts, inputs)]


def _texts(hole: Hole, inputs: Inputs) -> list[str]:
    match hole:
        case IndexHole():
            return [str(inputs.index)]
        case ItemHole(fields, form):
            return [_ITEM_FORMS[form](native(text_of(_field(inputs.item, fields))))]
        case PortHole(port, file, nth):
            if nth:
                return inputs.datasets(port, nth)
            return inputs.files(port, file) if file else inputs.values(port)
        case RunHole():
            return [inputs.run]
        case TaskHole():
            return [inputs.task]


def _field(item: Any, fields: tuple[str, ...]) -> Any:
    value = item
    for field in fields:
        try:
            value = value[int(field)] if isinstance(value, list) else value[field]
        except (KeyError, IndexError, TypeError, ValueError):
            shown = text_of(item)[:60]
            raise InvalidInput(f"'{{item.{'.'.join(fields)}}}' asks for a field that the item {shown} lacks") from None
    return value


class Template:
    """A command whose placeholders were found, once for a whole lease."""

    def __init__(self, command: Command, has_items: bool, ports: Mapping[str, EdgeKind]) -> None:
        def parsed(text: str) -> Parts:
            parts = parse(text, has_items, ports)
            return parts if text.isascii() else tuple(native(part) if isinstance(part, str) else part for part in parts)

        self._argv = [parsed(word) for word in command.argv]
        self._cwd = None if command.cwd is None else parsed(command.cwd)
        self._stdin = None if command.stdin is None else parsed(command.stdin)
        self._env = {name: parsed(value) for name, value in command.env.items()}
        self._outputs = {name: parsed(path) for name, path in command.outputs.items()}
        if has_items and not self._names_item():
            self._argv.append((ItemHole(),))
        self._has_holes = any(not isinstance(part, str) for parts in self._texts() for part in parts)
        self._expanded: Expanded | None = None

    def _texts(self) -> list[Parts]:
        return [*self._argv, self._cwd or (), self._stdin or (), *self._env.values(), *self._outputs.values()]

    def _names_item(self) -> bool:
        return any(isinstance(part, ItemHole) for parts in self._texts() for part in parts)

    def ports(self) -> set[str]:
        """Return the ports whose values are asked for."""
        return {part.port for parts in self._texts() for part in parts if isinstance(part, PortHole) and not part.file}

    def files(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the files that are asked for, by port."""
        named: dict[str, dict[str, None]] = {}
        for parts in self._texts():
            for part in parts:
                if isinstance(part, PortHole) and part.file:
                    named.setdefault(part.port, {})[part.file] = None
        return {port: tuple(names) for port, names in named.items()}

    @property
    def names_run(self) -> bool:
        """Whether it is filled with something that no other run has."""
        return any(isinstance(part, RunHole | TaskHole) for parts in self._texts() for part in parts)

    @property
    def names_index(self) -> bool:
        return any(isinstance(part, IndexHole) for parts in self._texts() for part in parts)

    def words(self, *, own: bool) -> list[Parts]:
        """Return the words of the command line that can be filled without what arrives.

        ``own``: those that differ from element to element; else those that are the same for all. Placeholders in the
        text of a shell have become variables, whose values count as words.
        """
        spoken = (parts for name, parts in self._env.items() if name.startswith(SPOKEN_PREFIX))
        return _known((*self._argv, *spoken), own)

    def variables(self, *, own: bool) -> list[Parts]:
        """Return the values of other variables, as ``words`` does."""
        return _known((parts for name, parts in self._env.items() if not name.startswith(SPOKEN_PREFIX)), own)

    def folder(self) -> Parts | None:
        """Return where it runs, if that can be filled without what arrives; None if it cannot, or is a fresh folder."""
        return self._cwd if self._cwd is not None and _is_known(self._cwd) else None

    def program(self) -> Parts | None:
        """Return the program's name, if that can be filled without what arrives."""
        return self._argv[0] if _is_known(self._argv[0]) else None

    def expand(self, inputs: Inputs) -> Expanded:
        """Fill in what one element has. Raise InvalidInput if something that a placeholder names is not there."""
        if self._expanded is not None:
            return self._expanded
        expanded = Expanded(
            argv=[word for parts in self._argv for word in fill_words(parts, inputs)],
            cwd=None if self._cwd is None else fill(self._cwd, inputs),
            env={native_bytes(name): os.fsencode(fill(parts, inputs)) for name, parts in self._env.items()},
            stdin=None if self._stdin is None else fill(self._stdin, inputs),
            outputs={name: fill(parts, inputs) for name, parts in self._outputs.items()},
        )
        if not self._has_holes:
            self._expanded = expanded
        return expanded


def _known(texts: Iterable[Parts], own: bool) -> list[Parts]:
    return [parts for parts in texts if _is_known(parts) and own is any(not isinstance(part, str) for part in parts)]


def _is_known(parts: Parts) -> bool:
    return not any(isinstance(part, PortHole) for part in parts)


class Variables(msgspec.Struct, frozen=True, gc=False):
    """What is looked at of a command's variables, found once for all commands that share them."""

    env: dict[str, str]
    names: str
    values: str
    has_unusable_name: bool
    has_zero_byte: bool
    #: Whether a value may hold a placeholder.
    has_brace: bool
    #: How many characters they are.
    length: int

    @classmethod
    def of(cls, env: dict[str, str]) -> "Variables":
        names, values = "".join(env), "\n".join(env.values())
        has_zero_byte = "\0" in names or "\0" in values
        has_unusable_name = "" in env or "=" in names
        return cls(env, names, values, has_unusable_name, has_zero_byte, "{" in values, len(names) + len(values))


def check_template(
    command: Command, has_items: bool, ports: Mapping[str, EdgeKind], variables: Variables | None = None
) -> None:
    """Raise InvalidInput unless the command can be run for a task with these ports, as far as that is known before.

    ``variables`` are those of its ``env``, if they are known already.
    """
    _check_words(command)
    variables = variables or Variables.of(command.env)
    # A look at all texts together, of which a hundred thousand tasks have many, takes the time of one at each.
    words, stdin = "\n".join((*command.argv, command.cwd or "")), command.stdin or ""
    # No character takes more than four bytes, so that few have to be counted.
    if 4 * (len(words) + len(stdin) + variables.length) > COMMAND_WORD_BYTES_MAX:
        _check_lengths(words, variables, command)
    if "\0" in words or variables.has_zero_byte:
        raise InvalidInput("the command holds a zero byte, which no program can be given")
    if variables.has_unusable_name:
        raise InvalidInput("the name of a variable is empty or holds '='")
    if command.stdin is not None and command.protocol is LineProtocol.LAN:
        raise InvalidInput(
            "a LAN program hears CANCEL on its standard input, so it cannot be given a text there as well"
        )
    for name, path in command.outputs.items():
        if name != path or not _PLAIN_OUTPUT.fullmatch(name):
            check_output_path(name, path)
    # No placeholder goes on behind the end of a line.
    if variables.has_brace or stdin:
        _check_holes(f"{words}\n{variables.values}\n{stdin}", has_items, ports)
    elif "{" in words:
        _check_holes(words, has_items, ports)
    if command.outputs and "{" in (paths := "\n".join(command.outputs.values())):
        _check_holes(paths, has_items, ports)


def _check_words(command: Command) -> None:
    if not command.argv or not command.argv[0]:
        raise InvalidInput("the command is empty; name a program to run")
    if len(command.argv) > COMMAND_WORDS_MAX:
        raise InvalidInput(f"the command has {len(command.argv):,} words; the limit is {COMMAND_WORDS_MAX:,}")
    program = command.argv[0]
    is_fresh = command.cwd is None and not command.program
    if is_fresh and "/" in program and not program.startswith(("/", "{")):
        raise InvalidInput(
            f"the program '{program}' is named from the folder in which it runs, and that is a fresh one, where it "
            "cannot be; write its full path"
        )


def _check_lengths(words: str, variables: Variables, command: Command) -> None:
    """Raise InvalidInput if a command is longer than a program can be given, or a part of it is."""
    ends_of_lines = len(command.argv) + max(0, len(variables.env) - 1)
    length = sum(map(_byte_count, (words, variables.names, variables.values))) - ends_of_lines
    if length > COMMAND_BYTES_MAX:
        raise InvalidInput(f"the command is longer than the limit of {COMMAND_BYTES_MAX:,} bytes; put data into a file")
    for text in (*command.argv, *(f"{name}={value}" for name, value in command.env.items())):
        if _byte_count(text) > COMMAND_WORD_BYTES_MAX:
            limit = f"{COMMAND_WORD_BYTES_MAX:,} bytes"
            raise InvalidInput(f"the word {text[:40]!r}... is longer than the limit of {limit}; put data into a file")
    if _byte_count(command.stdin or "") > STDIN_BYTES_MAX:
        limit = f"{STDIN_BYTES_MAX:,} bytes"
        raise InvalidInput(f"the text for standard input is longer than the limit of {limit}; put data into a file")


def _byte_count(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def _check_holes(text: str, has_items: bool, ports: Mapping[str, EdgeKind]) -> None:
    """Raise InvalidInput for a placeholder that names what the task does not have."""
    # Only items and ports can be missing. Most tasks have what they name, and then nothing has to be taken apart.
    after = EdgeKind.AFTER
    unclear = [port for port in _PORT_NAMED.findall(text) if ports.get(port, after) is after]
    if not unclear and (has_items or "{item" not in text):
        return
    for name in _BRACES.findall(text):
        if name:
            _hole(name, has_items, ports)


def check_output_path(name: str, path: str) -> None:
    """Raise InvalidInput unless the path stays inside the folder that the program runs in."""
    if not path or path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise InvalidInput(f"the output '{name}' is at '{path}'; give a path inside the task's own folder")
    if not name or "/" in name or name in (".", ".."):
        raise InvalidInput(f"'{name}' cannot name an output; use a name without '/'")
