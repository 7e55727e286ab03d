"""Where results are printed. To a pipe or a file goes every byte as it was, and nothing else.

A terminal is shown text: what would steer it is escaped, and each result begins on a line of its own.
"""

import sys

from roost.model.visible import VisibleStream


class ResultOutput:
    """Standard output, for the results of one command line."""

    def __init__(self) -> None:
        sys.stdout.flush()
        self._is_terminal = sys.stdout.isatty()
        self._stream = VisibleStream()
        self._ends_line = True

    def write(self, data: bytes) -> None:
        """Print a piece of a result."""
        if not self._is_terminal:
            sys.stdout.buffer.write(data)
        elif data:
            self._show(self._stream.feed(data))

    def end_result(self) -> None:
        """Say that the next piece belongs to another result."""
        if self._is_terminal:
            self._show(self._stream.feed(b"", final=True))
            if not self._ends_line:
                self._show("\n")
            self._stream = VisibleStream()
        sys.stdout.flush()

    def _show(self, text: str) -> None:
        if text:
            sys.stdout.write(text)
            self._ends_line = text.endswith("\n")
