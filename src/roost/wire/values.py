"""What the bytes of an element's result or input mean, for each kind of work.

A function's input and result are pickles, which only workers and clients open. A command's are the structs below. A
script's are JSON text. The first byte of a result tells which it is: JSON begins with a character of ASCII, the others
do not.
"""

from typing import Any

import msgspec

from roost.model.errors import InvalidInput, PeerError


class CommandResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a command ended well. Its value for the next task is its standard output without the last line end."""

    stdout: bytes = b""
    stderr: bytes = b""
    #: Whether the log file of the stream has more than what is here (OUTPUT_INLINE_BYTES_MAX).
    stdout_cut: bool = False
    stderr_cut: bool = False
    duration_s: float = 0.0
    peak_memory_bytes: int = 0
    #: What TERMINATED named (LAN 3.5): the n-th is the task's n-th output.
    datasets: tuple[str, ...] = ()
    #: Declared output files: name -> (hash of the content, size in bytes).
    files: dict[str, tuple[str, int]] = {}


_RESULT_ENCODER = msgspec.msgpack.Encoder()
_RESULT_DECODER = msgspec.msgpack.Decoder(CommandResult)
_JSON_DECODER = msgspec.json.Decoder()
_NO_ASCII = 0x80


def encode_command_result(result: CommandResult) -> bytes:
    return _RESULT_ENCODER.encode(result)


def decode_command_result(data: bytes) -> CommandResult:
    """Raise PeerError if the bytes are no result of a command."""
    try:
        return _RESULT_DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PeerError(f"these {len(data):,} bytes are not the result of a command: {error}") from None


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
    try:
        return _JSON_DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise PeerError(f"these {len(data):,} bytes are not JSON: {error}") from None
