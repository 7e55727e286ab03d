"""What a task of a submission runs: checked, with its inputs packed the way its executor reads them."""

import hashlib
import pickle
from pathlib import PurePath
from typing import Any, NamedTuple

from roost.app.web.arguments import CallArguments
from roost.app.web.reading import quoted
from roost.app.web.requests import CommandAsked, FunctionAsked, TaskAsked
from roost.executors.template import check_template
from roost.executors.worker.by_name import CallByName
from roost.model.errors import InvalidInput
from roost.model.ids import TASK_NAME, BlobHash
from roost.model.limits import VALUE_DEPTH_MAX
from roost.model.task import Command, EdgeKind, Function, Work
from roost.wire.values import encode_item


class PreparedWork(NamedTuple):
    """The work with all the bytes that go with it."""

    work: Work
    #: One for each element, in order; None if the elements have none of their own.
    items: list[bytes] | None
    blobs: tuple[tuple[BlobHash, bytes], ...] = ()


def blob_hash(content: bytes) -> BlobHash:
    return BlobHash(hashlib.blake2b(content, digest_size=16).hexdigest())


def prepare(task: TaskAsked, folder: str | None, python: str) -> PreparedWork:
    """Check and pack; ``folder`` is where relative paths start, ``python`` the version that reads our pickles.

    Raise InvalidInput with a sentence about the field; the caller adds which task it is.
    """
    if task.command is not None and task.function is None:
        return _prepare_command(task, task.command, folder)
    if task.function is not None and task.command is None:
        return _prepare_function(task, task.function, folder, python)
    raise InvalidInput("give it either a 'command' or a 'function'")


def full_path(field: str, given: str, folder: str | None) -> str:
    """Return a path that means the same wherever the node was started. One may begin with a placeholder."""
    if "\0" in given:
        raise InvalidInput(f"field {quoted(field)}: a path cannot hold a zero byte")
    if PurePath(given).is_absolute() or given.startswith("{"):
        return given
    if folder is None:
        raise InvalidInput(f"field {quoted(field)}: {quoted(given)} is not a full path; begin it with /")
    return str(PurePath(folder, given))


def _ports(task: TaskAsked) -> dict[str, EdgeKind]:
    return {edge.port: edge.kind for edge in task.edges if edge.kind is not EdgeKind.AFTER}


def _prepare_command(task: TaskAsked, asked: CommandAsked, folder: str | None) -> PreparedWork:
    cwd = folder if asked.cwd is None else full_path("command.cwd", asked.cwd, folder)
    command = Command(tuple(asked.argv), cwd, asked.env, asked.stdin, asked.protocol, asked.outputs, asked.program)
    if asked.program and not TASK_NAME.fullmatch(asked.program):
        raise InvalidInput(f"field 'command.program': {quoted(asked.program)} cannot name a program; give no path")
    try:
        check_template(command, task.items is not None, _ports(task))
    except InvalidInput as error:
        raise InvalidInput(f"field 'command': {error}") from None
    items = None if task.items is None else [_packed_item(item) for item in task.items]
    return PreparedWork(command, items)


def _packed_item(item: Any) -> bytes:
    try:
        return encode_item(item)
    except RecursionError:
        raise InvalidInput(f"field 'items': a value is nested more than {VALUE_DEPTH_MAX} deep") from None


def _prepare_function(task: TaskAsked, asked: FunctionAsked, folder: str | None, python: str) -> PreparedWork:
    _check_target(asked.call)
    path = tuple(full_path("function.path", entry, folder) for entry in asked.path)
    code = pickle.dumps(CallByName(target=asked.call, path=path), protocol=pickle.HIGHEST_PROTOCOL)
    arguments = _arguments_of(task, asked)
    blobs = [(blob_hash(code), code)]
    if task.items is not None:
        function = Function(blobs[0][0], python, asked.call)
        return PreparedWork(function, [arguments.pickled(item) for item in task.items], tuple(blobs))
    shared = arguments.pickled()
    blobs.append((blob_hash(shared), shared))
    return PreparedWork(Function(blobs[0][0], python, asked.call, blobs[1][0]), None, tuple(blobs))


def _arguments_of(task: TaskAsked, asked: FunctionAsked) -> CallArguments:
    given, keywords = asked.arguments, asked.keywords
    if given is None and keywords is None and task.items is not None:
        given = [{"item": True}]
    try:
        arguments = CallArguments(given or [], keywords or {}, frozenset(_ports(task)))
    except InvalidInput as error:
        raise InvalidInput(f"field 'function.arguments': {error}") from None
    if arguments.uses_item and task.items is None:
        raise InvalidInput("field 'function.arguments': it asks for the item, but the task has no 'items'")
    if task.items is not None and not arguments.uses_item:
        raise InvalidInput("field 'items': no argument uses them; write {\"item\": true} where the item goes")
    return arguments


def _check_target(call: str) -> None:
    module, colon, function = call.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), *function.split("."))):
        raise InvalidInput(f"field 'function.call': {quoted(call)} does not name a function; write module:function")
