"""What the bytes of an element's result or input mean, for each kind of work.

A function's input and result are pickles, which only workers and clients open. A command's are the structs below. A
script's are JSON text. The first byte of a result tells which it is: JSON begins with a character of ASCII, the others
do not.
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

from roost.model.errors import InvalidInput, PeerError
from roost.model.limits import COMMAND_BYTES_MAX, SIZE_BYTES_MAX

T = TypeVar("T")
#: The hash of a file's content, which is also its name on disk.
ContentHash: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]


class CommandResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a command ended well. Its value for the next task is its standard output without the last line end."""

    stdout: bytes = b""
    stderr: bytes = b""
    #: If the stream is longer than what is here (OUTPUT_INLINE_BYTES_MAX): the hash and the size of the whole, which
    #: the log file has.
    stdout_whole: tuple[str, int] | None = None
    stderr_whole: tuple[str, int] | None = None
    duration_s: float = 0.0
    peak_memory_bytes: int = 0
    #: What TERMINATED named (LAN 3.5): the n-th is the task's n-th output.
    datasets: tuple[str, ...] = ()
    #: Declared output files: name -> (hash of the content, size in bytes).
    files: dict[str, tuple[str, int]] = {}

    @property
    def stdout_cut(self) -> bool:
        return self.stdout_whole is not None

    @property
    def stderr_cut(self) -> bool:
        return self.stderr_whole is not None


class HandedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file among the values of an answer that a person gave (FieldType.FILE)."""

    #: How it was called where it came from, for people.
    file: str
    content: ContentHash
    bytes: Annotated[int, msgspec.Meta(ge=0, le=SIZE_BYTES_MAX)]


_ENCODER = msgspec.msgpack.Encoder()
_RESULT_DECODER = msgspec.msgpack.Decoder(CommandResult)
_VARIABLES_DECODER = msgspec.msgpack.Decoder(dict[bytes, bytes])
_JSON_DECODER = msgspec.json.Decoder()
_NO_ASCII = 0x80


def encode_command_result(result: CommandResult) -> bytes:
    return _ENCODER.encode(result)


def decode_command_result(data: bytes) -> CommandResult:
    """Raise PeerError if the bytes are no result of a command."""
    return _decoded(_RESULT_DECODER, data, "the result of a command")


def what_matters(data: bytes) -> bytes:
    """Return the part of a command's result by which several are compared: all that other tasks can take of it.

    How long it took is another each time, and so are many words that programs say on the side. Raise PeerError if the
    bytes are no result of a command.
    """
    made = decode_command_result(data)
    return encode_command_result(
        CommandResult(made.stdout, stdout_whole=made.stdout_whole, datasets=made.datasets, files=made.files)
    )


def encode_variables(variables: Mapping[bytes, bytes]) -> bytes:
    """Pack the variables that a client declares for functions. Raise InvalidInput for what no environment can hold."""
    for name, value in variables.items():
        if not name or b"=" in name or b"\0" in name or b"\0" in value:
            raise InvalidInput(
                f"the variable {name!r} cannot be set: names are not empty, hold no '=', and nothing holds a zero byte"
            )
    # In one order, so that equal variables have one hash.
    packed = _ENCODER.encode(dict(sorted(variables.items())))
    if len(packed) > COMMAND_BYTES_MAX:
        raise InvalidInput(f"the variables take {len(packed):,} bytes; the limit is {COMMAND_BYTES_MAX:,}")
    return packed


def decode_variables(data: bytes) -> dict[bytes, bytes]:
    """Raise PeerError if the bytes are no variables."""
    return _decoded(_VARIABLES_DECODER, data, "variables")


def handed_file(value: Any) -> HandedFile | None:
    """Return the file that a value of an answer stands for; None if it is something else."""
    if not isinstance(value, dict) or "content" not in value:
        return None
    try:
        return msgspec.convert(value, HandedFile)
    except msgspec.ValidationError:
        return None


def handed_files(answer: Any) -> dict[str, tuple[str, int]]:
    """Return the files of an answer as a command's result has its own: name -> (hash of the content, size in bytes)."""
    if not isinstance(answer, dict):
        return {}
    found = {name: handed_file(value) for name, value in answer.items()}
    return {name: (file.content, file.bytes) for name, file in found.items() if file is not None}


def is_json(data: bytes) -> bool:
    """Whether a result is JSON text, as those of scripts are."""
    return bool(data) and data[0] < _NO_ASCII


def encode_item(item: Any) -> bytes:
    """Pack a command's or a script's own input (a line, a value of ``:::``, an entry of a JSON file)."""
    try:
        return msgspec.json.encode(item)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidInput(f"the item {repr(item)[:40]} cannot be written as JSON: {error}") from None


def decode_item(data: bytes) -> Any:
    """Unpack an item or a script's result. Raise PeerError if the bytes are not JSON."""
    return _decoded(_JSON_DECODER, data, "JSON")


def _decoded(decoder: msgspec.msgpack.Decoder[T] | msgspec.json.Decoder[T], data: bytes, what: str) -> T:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PeerError(f"these {len(data):,} bytes are not {what}: {error}") from None
