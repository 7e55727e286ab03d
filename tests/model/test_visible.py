"""Nothing that comes from elsewhere steers a terminal."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.visible import VisibleStream, visible, visible_json, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, grün, 🦉", "plain, grün, 🦉"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("a\rb\bc\x7f", "a\\rb\\x08c\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("user\u202etxt.exe", "user\\u202etxt.exe"),
        ("one\u2028two", "one\\u2028two"),
        ("caf\udce9", "caf\\xe9"),
        ("caf\U0010fee9", "caf\\xe9"),
        ("half \ud800", "half \\ud800"),
        ("two\nlines\tof", "two\nlines\tof"),
    ],
)
def test_what_steers_a_terminal_is_written_as_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_line_stays_one_line() -> None:
    assert visible_line("a\nb\tc\x1b") == "a\\nb\\tc\\x1b"


@given(st.text(st.characters()))
def test_what_is_visible_stays_as_it_is_and_can_be_written_anywhere(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert all(letter in "\t\n" or not (ord(letter) < 32 or 127 <= ord(letter) < 160) for letter in shown)
    assert shown.encode().decode() == shown


@given(st.binary(), st.integers(0, 20))
def test_a_stream_is_the_same_however_it_is_cut(data: bytes, at: int) -> None:
    whole = VisibleStream().feed(data, final=True)
    stream = VisibleStream()
    assert stream.feed(data[:at]) + stream.feed(data[at:], final=True) == whole


def test_a_stream_begins_a_new_line_where_a_program_paints_over_its_own() -> None:
    stream = VisibleStream()
    assert stream.feed(b"10%\r") == "10%"
    assert stream.feed(b"20%\r") == "\n20%"
    assert stream.feed(b"\nend \xff\x1b[1m") == "\nend \\xff\\x1b[1m"
    assert stream.feed(b"\xc3") == ""
    assert stream.feed(b"\xbc", final=True) == "ü"


def test_json_keeps_its_meaning() -> None:
    text = msgspec.json.encode({"a": "\x1b\x7f\x9b\u202e grün"}).decode()
    shown = visible_json(text)
    assert shown == '{"a":"\\u001b\\u007f\\u009b\\u202e grün"}'
    assert msgspec.json.decode(shown) == msgspec.json.decode(text)
