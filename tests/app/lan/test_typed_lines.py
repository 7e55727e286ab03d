"""Bytes of terminals: lines come out as the person meant them, however the bytes were cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.app.lan.typed_lines import Line, TelnetLines
from roost.model.limits import LAN_LINE_BYTES_MAX


def lines_of(*pieces: bytes) -> list[bytes]:
    lines = TelnetLines()
    return [line.text for piece in pieces for line in lines.feed(piece) if line.text]


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b"\r", b"\r\0", b"\n\n\r\n"])
def test_every_line_end_that_terminals_send_is_one(end: bytes) -> None:
    assert lines_of(b"QUIT" + end + b"CANCEL 1" + end) == [b"QUIT", b"CANCEL 1"]


def test_a_line_without_an_end_is_kept_back() -> None:
    lines = TelnetLines()
    assert lines.feed(b"CANCEL ") == []
    assert lines.has_begun
    assert lines.feed(b"12\n") == [Line(b"CANCEL 12")]
    assert not lines.has_begun


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        (b"\xff\xfb\x1f\xff\xfd\x03CANCEL 1\r\n", b"CANCEL 1"),
        (b"CAN\xff\xf1CEL 1\r\n", b"CANCEL 1"),
        (b"\xff\xfa\x1f\x00P\x00\x18\n\r\xff\xf0CANCEL 1\r\n", b"CANCEL 1"),
        (b"CANCEL \xff\xff1\r\n", b"CANCEL \xff1"),
        (b"\xff\xff\xff\xfb\x01x\n", b"\xffx"),
        (b"CANVEL\x08\x08\x08CEL 1\r\n", b"CANCEL 1"),
        (b"CANCEL \xc3\xa4\x7f1\r\n", b"CANCEL 1"),
        (b"\x08\x08CANCEL 1\r\n", b"CANCEL 1"),
    ],
)
def test_what_terminals_add_is_taken_out_wherever_the_bytes_are_cut(sent: bytes, meant: bytes) -> None:
    assert lines_of(sent) == [meant]
    assert lines_of(*(sent[at : at + 1] for at in range(len(sent)))) == [meant]
    for cut in range(len(sent)):
        assert lines_of(sent[:cut], sent[cut:]) == [meant]


def test_a_line_that_is_too_long_is_cut_and_the_next_is_not() -> None:
    lines = TelnetLines()
    heard = [line for _ in range(20) for line in lines.feed(b"x" * 8192)]
    heard += lines.feed(b"\nQUIT\n")
    assert [(len(line.text), line.is_whole) for line in heard] == [(LAN_LINE_BYTES_MAX, False), (4, True)]


def test_the_longest_line_is_whole_and_one_more_is_not() -> None:
    for length, is_whole in ((LAN_LINE_BYTES_MAX, True), (LAN_LINE_BYTES_MAX + 1, False)):
        assert [line.is_whole for line in TelnetLines().feed(b"x" * length + b"\n")] == [is_whole]


def test_an_option_that_never_ends_is_given_up() -> None:
    lines = TelnetLines()
    assert lines.feed(b"\xff\xfa" + b"x" * 600) == []
    assert lines.feed(b"QUIT\n") == [Line(b"QUIT")]


@given(st.lists(st.binary(max_size=20)))
def test_any_bytes_give_lines_without_line_ends_and_the_cuts_do_not_matter(pieces: list[bytes]) -> None:
    whole = lines_of(*pieces)
    assert whole == lines_of(b"".join(pieces))
    assert not any(b"\n" in line or b"\r" in line for line in whole)
