"""What a task of a submission runs: checked, with its inputs packed the way its executor reads them."""

import hashlib
import pickle
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Final

import msgspec

from roost.api.requests import CommandAsked, FunctionAsked, ScriptAsked, TaskAsked, ValueAsked
from roost.api.unrun import manual_of, value_of
from roost.app.intake.arguments import CallArguments
from roost.app.intake.shared import Shared
from roost.executors.output_places import check_output_places
from roost.executors.template import Variables, check_template
from roost.executors.worker.by_name import CallByName
from roost.model.errors import InvalidInput
from roost.model.ids import TASK_NAME, BlobHash
from roost.model.limits import SCRIPT_BYTES_MAX, SCRIPT_MEMORY_BYTES, SCRIPT_MEMORY_BYTES_MIN, VALUE_DEPTH_MAX
from roost.model.ranges import RangeSet
from roost.model.recorded import check_recorded
from roost.model.resources import format_size
from roost.model.stray import native_bytes
from roost.model.task import Command, EdgeKind, Function, Script, Work
from roost.model.visible import quoted
from roost.wire.values import encode_item, encode_variables

_IDENTIFIER: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*")
_DEFAULT_MEMORY: Final = format_size(SCRIPT_MEMORY_BYTES)
_KINDS_OF_WORK: Final = 5
#: Kept once for all commands that leave no files.
_NO_OUTPUTS: Final[dict[str, str]] = {}


class PreparedWork(msgspec.Struct, frozen=True, gc=False):
    """The work with all the bytes that go with it."""

    work: Work
    #: One for each element, in order; None if the elements have none of their own.
    items: list[bytes] | None = None
    blobs: tuple[tuple[BlobHash, bytes], ...] = ()
    #: The result, if it is known already.
    result: bytes | None = None


def blob_hash(content: bytes) -> BlobHash:
    return BlobHash(hashlib.blake2b(content, digest_size=16).hexdigest())


def prepare(
    task: TaskAsked,
    elements: RangeSet | None,
    folder: str | None,
    python: str,
    shared: Shared,
    ports: Mapping[str, EdgeKind],
) -> PreparedWork:
    """Check and pack; ``folder`` is where relative paths start, ``python`` the version that reads our pickles.

    ``elements`` are its own; None in a pool. ``ports`` are those at which something arrives. Raise InvalidInput with a
    sentence about the field; the caller adds which task it is.
    """
    if (task.command, task.function, task.script, task.value, task.manual).count(None) != _KINDS_OF_WORK - 1:
        raise InvalidInput("give it just one of 'command', 'function', 'script', 'value' and 'manual'")
    if task.command is not None:
        return _prepare_command(task, task.command, elements, folder, shared, ports)
    if task.function is not None:
        return _prepare_function(task, task.function, folder, shared, python, ports)
    if task.script is not None:
        return _prepare_script(task, task.script, shared, ports)
    if task.value is not None:
        return _prepare_value(task, task.value)
    assert task.manual is not None
    return PreparedWork(manual_of(task, task.manual), None)


# Tasks of one submission repeat few folders: each is looked at once, and kept as one text.
@lru_cache(maxsize=256)
def full_path(field: str, given: str, folder: str | None) -> str:
    """Return a path that means the same wherever the node was started. One may begin with a placeholder."""
    if "\0" in given:
        raise InvalidInput(f"field {quoted(field)}: a path cannot hold a zero byte")
    if given.startswith(("/", "{")) or PurePath(given).is_absolute():
        return given
    if folder is None:
        raise InvalidInput(f"field {quoted(field)}: {quoted(given)} is not a full path; begin it with /")
    return str(PurePath(folder, given))


def _prepare_command(
    task: TaskAsked,
    asked: CommandAsked,
    elements: RangeSet | None,
    folder: str | None,
    shared: Shared,
    ports: Mapping[str, EdgeKind],
) -> PreparedWork:
    argv, cwd = asked.argv, None
    if asked.cwd is not None:
        cwd = full_path("command.cwd", asked.cwd, folder)
    elif not asked.outputs:
        cwd = folder
    elif folder is not None and argv and "/" in argv[0]:
        argv = (full_path("command.argv", argv[0], folder), *argv[1:])
    variables = shared.variables(asked.env)
    outputs = _NO_OUTPUTS
    if asked.outputs:
        # Most files have the name that they are known by: one text for both.
        outputs = {name: name if path == name else path for name, path in asked.outputs.items()}
    command = Command(argv, cwd, variables.env, asked.stdin, asked.protocol, outputs, asked.program, asked.recorded)
    if asked.program and not TASK_NAME.fullmatch(asked.program):
        raise InvalidInput(f"field 'command.program': {quoted(asked.program)} cannot name a program; give no path")
    try:
        check_template(command, task.items is not None, ports, variables)
        check_output_places(command, elements, task.items, ports)
        if asked.recorded is not None:
            check_recorded(asked.recorded, len(argv))
    except InvalidInput as error:
        raise InvalidInput(f"field 'command': {error}") from None
    items = None if task.items is None else [_packed_item(item) for item in task.items]
    return PreparedWork(command, items)


def _packed_item(item: Any) -> bytes:
    try:
        return encode_item(item)
    except RecursionError:
        raise InvalidInput(f"field 'items': a value is nested more than {VALUE_DEPTH_MAX} deep") from None


def _prepare_function(
    task: TaskAsked,
    asked: FunctionAsked,
    folder: str | None,
    shared: Shared,
    python: str,
    ports: Mapping[str, EdgeKind],
) -> PreparedWork:
    code = _packed_call(asked.call, tuple([full_path("function.path", entry, folder) for entry in asked.path]))
    arguments = _arguments_of(task, ports, "function", asked.arguments, asked.keywords)
    declared = _packed_variables(shared.variables(asked.env))
    variables = declared[0][0] if declared else None
    if task.items is not None:
        function = Function(code[0], python, asked.call, variables=variables)
        return PreparedWork(function, [arguments.pickled(item) for item in task.items], (code, *declared))
    packed = arguments.pickled()
    given = blob_hash(packed)
    function = Function(code[0], python, asked.call, given, variables=variables)
    return PreparedWork(function, None, (code, (given, packed), *declared))


def _packed_variables(variables: Variables) -> tuple[tuple[BlobHash, bytes], ...]:
    """Return the variables under their hash; nothing if none are declared."""
    if not variables.env:
        return ()
    try:
        packed = encode_variables({native_bytes(name): native_bytes(value) for name, value in variables.env.items()})
    except InvalidInput as error:
        raise InvalidInput(f"field 'function.env': {error}") from None
    return ((blob_hash(packed), packed),)


# Tasks of one submission call few functions.
@lru_cache(maxsize=256)
def _packed_call(call: str, path: tuple[str, ...]) -> tuple[BlobHash, bytes]:
    _check_target(call)
    code = pickle.dumps(CallByName(target=call, path=path), protocol=pickle.HIGHEST_PROTOCOL)
    return blob_hash(code), code


def _prepare_value(task: TaskAsked, asked: ValueAsked) -> PreparedWork:
    for field, given in (("array", task.array), ("items", task.items), ("edges", task.edges or None)):
        if given is not None:
            raise InvalidInput(f"field '{field}': a value waits for nothing and is there once; leave it out")
    work, result = value_of(asked)
    return PreparedWork(work, None, result=result)


def _prepare_script(task: TaskAsked, asked: ScriptAsked, shared: Shared, ports: Mapping[str, EdgeKind]) -> PreparedWork:
    source = shared.code(asked.code)
    code = source.encode()
    if len(code) > SCRIPT_BYTES_MAX:
        raise InvalidInput(f"field 'script.code': it takes {len(code):,} bytes; the limit is {SCRIPT_BYTES_MAX:,}")
    if "\0" in source:
        raise InvalidInput("field 'script.code': it holds a zero character, which no script has")
    if not _IDENTIFIER.fullmatch(asked.entry):
        raise InvalidInput(f"field 'script.entry': {quoted(asked.entry)} cannot be the name of a function")
    if 0 < task.memory_bytes < SCRIPT_MEMORY_BYTES_MIN:
        least = format_size(SCRIPT_MEMORY_BYTES_MIN)
        raise InvalidInput(f"field 'memory_bytes': a script needs at least {least}; 0 stands for {_DEFAULT_MEMORY}")
    _arguments_of(task, ports, "script", asked.arguments)
    given = asked.arguments
    if given is None and task.items is not None:
        given = [{"item": True}]
    arguments = encode_item(given or [])
    blobs = ((blob_hash(code), code), (blob_hash(arguments), arguments))
    items = None if task.items is None else [_packed_item(item) for item in task.items]
    script = Script(blobs[0][0], task.name, asked.entry, blobs[1][0], asked.returns, asked.declares)
    return PreparedWork(script, items, blobs)


def _arguments_of(
    task: TaskAsked,
    ports: Mapping[str, EdgeKind],
    kind: str,
    given: list[Any] | None,
    keywords: dict[str, Any] | None = None,
) -> CallArguments:
    """Read the arguments of a function or a script. ``kind`` is the field that they are in."""
    if given is None and keywords is None and task.items is not None:
        given = [{"item": True}]
    try:
        arguments = CallArguments(given or [], keywords or {}, frozenset(ports))
    except InvalidInput as error:
        raise InvalidInput(f"field '{kind}.arguments': {error}") from None
    if arguments.uses_item and task.items is None:
        raise InvalidInput(f"field '{kind}.arguments': it asks for the item, but the task has no 'items'")
    if task.items is not None and not arguments.uses_item:
        raise InvalidInput("field 'items': no argument uses them; write {\"item\": true} where the item goes")
    return arguments


def _check_target(call: str) -> None:
    module, colon, function = call.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), *function.split("."))):
        raise InvalidInput(f"field 'function.call': {quoted(call)} does not name a function; write module:function")
