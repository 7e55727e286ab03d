"""Where results are printed: exact to a pipe, readable on a terminal."""

import io
import sys

import pytest

from roost.app.cli.result_output import ResultOutput

PIECES = ((b"\x1b[31m1\xff",), (b"two\n",), (b"caf\xc3", b"\xa9"), ())


class Screen(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def printed(stream: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(sys, "stdout", stream)
    output = ResultOutput()
    for pieces in PIECES:
        for piece in pieces:
            output.write(piece)
        output.end_result()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue()


def test_a_pipe_gets_the_bytes_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    assert printed(io.TextIOWrapper(io.BytesIO(), "utf-8"), monkeypatch) == b"\x1b[31m1\xfftwo\ncaf\xc3\xa9"


def test_a_terminal_is_not_steered_and_every_result_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = printed(Screen(io.BytesIO(), "utf-8"), monkeypatch)
    assert shown.decode() == "\\x1b[31m1\\xff\ntwo\ncafé\n"
