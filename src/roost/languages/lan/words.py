"""The command line of a LAN program, whoever asks for it: ``program [-p raw] [-i input1] ... [-x parameters]``.

LAN 5.2.2 has it so. The inputs are datasets that earlier tasks name when they end; a placeholder stands for each.
"""

from collections.abc import Sequence
from typing import NamedTuple

from roost.executors.template import literal


class PortOutput(NamedTuple):
    """An input: the n-th output, counted from 1, of the task behind a port."""

    nth: int
    port: str


def command_words(
    program: str, raw_files: str | None, inputs: Sequence[PortOutput], parameters: str | None
) -> list[str]:
    """Return the words of a command, with placeholders for what arrives at the ports and for nothing else."""
    words = [literal(program)]
    if raw_files is not None:
        words += ["-p", literal(raw_files)]
    for one in inputs:
        words += ["-i", f"{{needs.{one.port}/{one.nth}}}"]
    if parameters is not None:
        words += ["-x", literal(parameters)]
    return words
