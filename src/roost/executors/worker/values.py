"""Results of earlier tasks as values and as texts.

A function's result is a pickle, a command's a CommandResult, a script's JSON; the bytes themselves say which. Pickles
were made by the owner's own code on the owner's own nodes, and are opened only where his code runs anyway: in these
processes.
"""

import pickle
from typing import Any, Final

from roost.model.errors import InvalidInput
from roost.model.limits import KIB, OUTPUT_INLINE_BYTES_MAX
from roost.wire.stored import reference_of
from roost.wire.values import CommandResult, decode_command_result, decode_item, handed_files, is_json

#: How the file is called that a function's large result is.
VALUE_FILE: Final = "result.pickle"
_PICKLE_START: Final = 0x80


def is_pickle(data: bytes) -> bool:
    """A pickle starts with 0x80 and goes on; a CommandResult that does is an empty map, and that is all of it."""
    return len(data) > 1 and data[0] == _PICKLE_START


def value_of(data: bytes) -> Any:
    """Return a function's or a script's result, or a command's output without the last line end."""
    if is_pickle(data):
        return pickle.loads(data)
    return decode_item(data) if is_json(data) else output_of(decode_command_result(data))


def is_text_result(data: bytes) -> bool:
    """Whether a result is what a command printed."""
    return not is_pickle(data) and not is_json(data)


def output_of(result: CommandResult) -> str:
    if result.stdout_cut:
        limit = OUTPUT_INLINE_BYTES_MAX // KIB
        raise InvalidInput(f"the output that it needs is longer than {limit} KiB; hand it on as a file among 'outputs'")
    # Bytes that are no text come through unharmed, as file names do everywhere in Python.
    return result.stdout.decode(errors="surrogateescape").removesuffix("\n")


def files_of(data: bytes) -> dict[str, tuple[str, int]]:
    """Return the files that came with a result: those that a command left, or that a person handed in.

    A function's result that is too large to travel is a file itself.
    """
    if is_pickle(data):
        stored = reference_of(data)
        return {} if stored is None else {VALUE_FILE: (stored.content, stored.size)}
    return handed_files(decode_item(data)) if is_json(data) else decode_command_result(data).files


def file_of(data: bytes, name: str) -> str:
    """Return the hash of a file that came with the result of an earlier task."""
    files = files_of(data)
    if name not in files:
        known = ", ".join(sorted(files)) or "none"
        raise InvalidInput(f"the task before leaves no file named '{name}'; its files: {known}")
    return files[name][0]


def dataset_of(data: bytes, nth: int) -> str:
    """Return the n-th dataset, counted from 1, that an earlier LAN program has named."""
    datasets = () if is_pickle(data) else decode_command_result(data).datasets
    if nth > len(datasets):
        raise InvalidInput(f"dataset {nth} of the task before is wanted, but it has named {len(datasets)}")
    return datasets[nth - 1]
