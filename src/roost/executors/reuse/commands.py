"""What commands rest on: the program, and the files and folders that their words name.

A file is looked for as the program would find it, from the folder in which it runs. A command that runs in a fresh
folder finds only those that are given from the root. What it declares to leave is no input.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from roost.executors.environment import SYSTEM_PATH
from roost.executors.order import Order
from roost.executors.reuse.basis import Basis, Named, NotReusable, named, work_digest
from roost.executors.reuse.files import INDEX_VARIABLE, Files, TooManyFiles, candidates, program_digest
from roost.executors.template import OwnInputs, Parts, Template, fill, parse
from roost.model.limits import REUSE_FOLDER_FILES_MAX
from roost.model.stray import carried_text, native
from roost.model.task import Command, Protocol
from roost.wire.values import decode_item


class _Filling(OwnInputs):
    """What words are filled with that name nothing that arrives; the item is opened when a word names it."""

    @property
    def item(self) -> Any:
        return None if self._item is None else decode_item(self._item)


class _Words(NamedTuple):
    """Words to be looked at together."""

    folder: Parts | None
    program: Parts | None
    others: Sequence[Parts] = ()
    variables: Sequence[Parts] = ()


def command_basis(order: Order, command: Command, files: Files) -> Basis:
    """Return what the elements of a command rest on; ``command`` as this node runs it.

    Raise NotReusable if none of its results may be found again.
    """
    if command.protocol is Protocol.LAN:
        raise NotReusable("speaks LAN's protocol, and leaves its datasets where Roost does not keep them")
    spec = order.spec
    template = Template(command, spec.has_items, {edge.port: edge.kind for edge in spec.edges})
    if template.names_run:
        raise NotReusable("names its run or its task, which no other run has")
    if command.cwd is not None and template.folder() is None:
        raise NotReusable("runs in a folder that an input names")
    finding = _Finding(command, files)
    same, own = _split(template)
    try:
        common = finding.named(same, _Filling(0, None))
        each = [finding.named(own, filling) for filling in _fillings(order)] if any(own[1:]) else ()
    except TooManyFiles as error:
        raise NotReusable(f"names the folder {error}, which holds more than {REUSE_FOLDER_FILES_MAX:,} files") from None
    return Basis(work_digest(command, has_items=spec.has_items), common, each, _asks_index(template, command))


def _split(template: Template) -> tuple[_Words, _Words]:
    """Return what is the same for all elements, and what each fills in for itself."""
    folder, program = template.folder(), template.program()
    same, own = template.words(own=False), template.words(own=True)
    set_alike, set_apart = template.variables(own=False), template.variables(own=True)
    if not _is_fixed(folder):
        return _Words(None, None), _Words(folder, program, [*same, *own], [*set_alike, *set_apart])
    fixed = _is_fixed(program)
    return (
        _Words(folder, program if fixed else None, same, set_alike),
        _Words(folder, None if fixed else program, own, set_apart),
    )


def _is_fixed(parts: Parts | None) -> bool:
    return parts is None or all(isinstance(part, str) for part in parts)


def _asks_index(template: Template, command: Command) -> bool:
    texts = (*command.argv, *command.env.values(), command.stdin or "")
    return template.names_index or any(INDEX_VARIABLE.decode() in text for text in texts)


def _fillings(order: Order) -> Iterator[_Filling]:
    items: Iterable[bytes | None] = chain.from_iterable(segment.values() for segment in order.items)
    for index, item in zip(order.ranges, items if order.items else [None] * len(order.ranges), strict=True):
        yield _Filling(index, item)


def _text_of(text: str) -> str:
    """Return what a text without placeholders stands for."""
    return native("".join(part for part in parse(text, has_items=False, ports={}) if isinstance(part, str)))


class _Finding:
    def __init__(self, command: Command, files: Files) -> None:
        self._outputs = frozenset(command.outputs.values())
        self._search = _text_of(command.env.get("PATH", SYSTEM_PATH))
        self._files = files

    def named(self, words: _Words, filling: _Filling) -> Named:
        folder = "" if words.folder is None else fill(words.folder, filling)
        spoken = candidates([fill(parts, filling) for parts in words.others])
        found = {path: self._files.digest(path) for path in self._inputs(spoken, folder)}
        if words.variables:
            # Variables such as HOME and PATH name folders that are no inputs.
            values = dict.fromkeys(fill(parts, filling) for parts in words.variables)
            files = ((path, self._files.file_digest(path)) for path in self._inputs(values, folder))
            found |= {path: value for path, value in files if value is not None}
        told = named(found, (folder,)) if any(found.values()) else {}
        program = "" if words.program is None else fill(words.program, filling)
        # One that is given with its place is a file among the others.
        if program and "/" not in program:
            told[f"program {carried_text(program)}"] = program_digest(program, self._search)
        return Named(found, told, any(map(self._files.asks_index, found)))

    def _inputs(self, words: Iterable[str], folder: str) -> list[str]:
        """Return the paths that words may mean, from the root; what the command declares to leave is no input."""
        paths = [f"{folder}/{word}" if folder and not word.startswith("/") else word for word in words]
        left = {f"{folder}/{path}" for path in self._outputs} if self._outputs else ()
        return [path for path in paths if path.startswith("/") and path not in left]
