"""What a command left, as Python sees it."""

from roost.model.errors import InvalidInput
from roost.model.limits import KIB, OUTPUT_INLINE_BYTES_MAX
from roost.wire.values import CommandResult, decode_command_result


class CommandOutput:
    """The result of a command that ended well.

    Only the first 64 KiB of each stream come along. ``stdout`` and ``stderr`` are whole or raise InvalidInput;
    ``stdout_begin`` and ``stderr_begin`` are what came.
    """

    def __init__(self, result: CommandResult) -> None:
        self._result = result
        self.duration_s = result.duration_s
        self.peak_memory_bytes = result.peak_memory_bytes
        self.datasets = result.datasets
        #: Declared files: name -> (hash of the content, size in bytes).
        self.files = dict(result.files)

    @property
    def stdout(self) -> bytes:
        return _whole("standard output", self._result.stdout, self._result.stdout_whole)

    @property
    def stderr(self) -> bytes:
        return _whole("standard error", self._result.stderr, self._result.stderr_whole)

    @property
    def stdout_begin(self) -> bytes:
        return self._result.stdout

    @property
    def stderr_begin(self) -> bytes:
        return self._result.stderr

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CommandOutput) and self._result == other._result

    def __hash__(self) -> int:
        return hash((self._result.stdout, self._result.duration_s))

    def __repr__(self) -> str:
        more = "..." if self._result.stdout_cut else ""
        return f"CommandOutput(stdout={self._result.stdout[:60]!r}{more}, duration_s={self.duration_s:g})"


def read_command_output(data: bytes) -> CommandOutput:
    return CommandOutput(decode_command_result(data))


def _whole(name: str, begin: bytes, whole: tuple[str, int] | None) -> bytes:
    if whole is None:
        return begin
    raise InvalidInput(
        f"the command wrote {whole[1]:,} bytes to its {name}, and the first {OUTPUT_INLINE_BYTES_MAX // KIB} KiB came "
        "along; fetch all of it with 'roost get', or have the command leave a file among its outputs"
    )
