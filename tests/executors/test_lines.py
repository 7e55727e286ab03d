"""Lines by which programs talk: what is understood, and that pieces of any size give the same lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.executors.lines import (
    LAN_MARKS,
    LINE_BYTES_MAX,
    PLAIN_MARKS,
    CancelledLine,
    ErrorLine,
    LineMessage,
    MarkedLines,
    ProgressLine,
    TerminatedLine,
    parse_lan,
    parse_plain,
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"::progress 40", ProgressLine(0.4)),
        (b"::progress 40 fold 2 of 5", ProgressLine(0.4, "fold 2 of 5")),
        (b"::progress 12.5%  half ", ProgressLine(0.125, "half")),
        (b"::progress 300", ProgressLine(1.0)),
        (b"::progress -3", ProgressLine(0.0)),
        (b"::progress 40\r", ProgressLine(0.4)),
        (b"::progress", None),
        (b"::progress nan", None),
        (b"::progress much", None),
        (b"::progressive 4", None),
    ],
)
def test_progress_of_any_script(line: bytes, expected: LineMessage | None) -> None:
    assert parse_plain(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"PROGRESS 60", ProgressLine(0.6)),
        (b"TERMINATED", TerminatedLine(())),
        (b"TERMINATED 12  13", TerminatedLine(("12", "13"))),
        (b"CANCELLED", CancelledLine()),
        (b"ERROR the disk is full", ErrorLine("the disk is full")),
        (b"ERROR", ErrorLine("the program reported an error without a message")),
        (b"TERMINATEDLY 3", None),
        (b"PROGRESS fast", None),
    ],
)
def test_messages_of_lan_table_3_4(line: bytes, expected: LineMessage | None) -> None:
    assert parse_lan(line) == expected


def test_only_marked_lines_are_taken_out() -> None:
    lines = MarkedLines(LAN_MARKS)
    assert lines.feed(b"hello\nPROGRESS 1\n PROGRESS 2\nERR") == [b"PROGRESS 1"]
    assert lines.feed(b"OR x\nlast TERMINATED\nTERMIN") == [b"ERROR x"]
    assert lines.rest() == []
    assert lines.feed(b"ATED 5") == []
    assert lines.rest() == [b"TERMINATED 5"]


def test_a_line_without_end_is_not_hoarded() -> None:
    lines = MarkedLines(PLAIN_MARKS)
    for _ in range(100):
        assert lines.feed(b"::progress " + b"x" * LINE_BYTES_MAX) == []
    assert lines.feed(b"\n::progress 5\n")[1] == b"::progress 5"


@given(st.lists(st.sampled_from([b"::progress 4", b"x", b"", b"::prog", b" ::progress 5"])), st.data())
def test_pieces_of_any_size_give_the_same_lines(texts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(text + b"\n" for text in texts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)))))
    lines = MarkedLines(PLAIN_MARKS)
    found = [
        line
        for start, stop in zip([0, *cuts], [*cuts, len(whole)], strict=True)
        for line in lines.feed(whole[start:stop])
    ]
    assert found == [text for text in texts if text.startswith(b"::progress")]
