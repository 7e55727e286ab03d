"""LAN's table 3.3: every message as it stands there, forgiving about form, and one sentence for what is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.app.lan.protocol import (
    Cancel,
    ForeignTalk,
    LanState,
    Login,
    NthOutput,
    Progress,
    Quit,
    Request,
    Schedule,
    Subscribe,
    error,
    parse_request,
    written,
)
from roost.languages.lan.description import parse_nth
from roost.model.errors import InvalidInput
from roost.model.limits import LAN_INPUTS_MAX, LAN_OUTPUTS_MAX, LAN_SUBSCRIPTIONS_MAX
from roost.model.task import Priority

#: The tasks of LAN table 4.1.
IMPORT = "3aff3d90-2b79-11e3-8224-0800200c9a66"
GEOREFERENCING = "679e9490-2b79-11e3-8224-0800200c9a66"


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("SCHEDULE import low", Schedule("import", Priority.LOW)),
        ("SCHEDULE import interactive -p /raw", Schedule("import", Priority.INTERACTIVE, "/raw")),
        (
            f"SCHEDULE segmentation low -a {IMPORT} 1 -a {GEOREFERENCING} 1 -a {GEOREFERENCING} 2 -x parameters.xml",
            Schedule(
                "segmentation",
                Priority.LOW,
                inputs=(NthOutput(IMPORT, 1), NthOutput(GEOREFERENCING, 1), NthOutput(GEOREFERENCING, 2)),
                parameters="parameters.xml",
            ),
        ),
        ("SCHEDULE a low -x p.xml -p /raw", Schedule("a", Priority.LOW, "/raw", parameters="p.xml")),
        (f"SUBSCRIBE {IMPORT}", Subscribe((IMPORT,))),
        (f"SUBSCRIBE {IMPORT} {GEOREFERENCING}", Subscribe((IMPORT, GEOREFERENCING))),
        (f"CANCEL {IMPORT}", Cancel(IMPORT)),
        ("LOGIN abc", Login("abc")),
        ("QUIT", Quit()),
    ],
)
def test_every_request_is_read_as_the_table_writes_it(line: str, request_: Request) -> None:
    """LAN 3.4, table 3.3."""
    assert parse_request(line.encode()) == request_


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (Progress(IMPORT, LanState.RUNNING, 40), f"PROGRESS {IMPORT} Running 40"),
        (error("no such task"), "ERROR no such task"),
    ],
)
def test_answers_are_written_as_the_table_writes_them(answer: str | Progress, line: str) -> None:
    """LAN 3.4, table 3.3."""
    assert written(answer) == f"{line}\r\n".encode()


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("schedule import LOW", Schedule("import", Priority.LOW)),
        ("  Cancel \t 12  ", Cancel("12")),
        ('SCHEDULE a low -p "/raw files/1"', Schedule("a", Priority.LOW, "/raw files/1")),
        ('SCHEDULE a low -p /raw" files"/1', Schedule("a", Priority.LOW, "/raw files/1")),
        (r"SCHEDULE a low -p \\server\new", Schedule("a", Priority.LOW, r"\\server\new")),
        ("SCHEDULE a low -p /l'été", Schedule("a", Priority.LOW, "/l'été")),
        ("SCHEDULE a low -a 1 2nd", Schedule("a", Priority.LOW, inputs=(NthOutput("1", 2),))),
    ],
)
def test_small_letters_blanks_and_quotes_are_understood(line: str, request_: Request) -> None:
    assert parse_request(line.encode()) == request_


def test_an_empty_line_asks_for_nothing() -> None:
    assert parse_request(b"") is None
    assert parse_request(b" \t ") is None


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("HELLO", "'HELLO' is not a request; write SCHEDULE, SUBSCRIBE, CANCEL, LOGIN or QUIT"),
        ("SCHEDULE", "SCHEDULE needs a program and a priority"),
        ("SCHEDULE import", "SCHEDULE needs a priority, low or interactive,"),
        ("SCHEDULE import high", "'high' is not a priority; write low or interactive after the program"),
        ("SCHEDULE import -p low", "'-p' is not a priority"),
        ("SCHEDULE import low -p", "needs a path after -p"),
        ('SCHEDULE import low -x ""', "needs a path after -x"),
        ("SCHEDULE import low -p a -p b", "takes -p only once"),
        ("SCHEDULE import low -p raw files", "no option 'files'"),
        ("SCHEDULE import low -i 3", "no option '-i'; the form is: SCHEDULE task_exec_name"),
        ("SCHEDULE import low -a 1", "needs a task and the number of its output after -a"),
        ("SCHEDULE import low -a 1 0", "'0' is not the number of an output; write 1 for the first"),
        ("SCHEDULE import low -a 1 first", "'first' is not the number of an output"),
        ('SCHEDULE import low -p "/raw', "a double quote is not closed"),
        ("SUBSCRIBE", "SUBSCRIBE needs at least one task"),
        ("CANCEL", "CANCEL takes one task, as in: CANCEL task_uuid"),
        ("CANCEL 1 2", "CANCEL takes one task"),
        ('CANCEL ""', "CANCEL takes one task"),
        ("LOGIN", "LOGIN takes one token"),
        ("x" * 500, "x... *is not a request"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(line: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_request(line.encode())
    assert not isinstance(caught.value, ForeignTalk)
    assert sentence.partition(" *")[0] in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        b"GET / HTTP/1.1",
        b"POST /x?y=1 HTTP/1.1",
        b"PRI * HTTP/2.0",
        b"Host: 127.0.0.1:4070",
        b"Content-Length: 20",
        b"Origin:",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"CANCEL 1\x1b[A",
        b"CANCEL \xff",
    ],
)
def test_browsers_and_other_machines_are_told_from_people(line: bytes) -> None:
    with pytest.raises(ForeignTalk):
        parse_request(line)


def test_counts_from_outside_have_limits() -> None:
    with pytest.raises(InvalidInput, match="the limit is"):
        parse_request(b"SCHEDULE a low" + b" -a 1 1" * (LAN_INPUTS_MAX + 1))
    with pytest.raises(InvalidInput, match="the limit is"):
        parse_request(b"SUBSCRIBE" + b" 1" * (LAN_SUBSCRIPTIONS_MAX + 1))
    assert parse_nth(f"{LAN_OUTPUTS_MAX}th") == LAN_OUTPUTS_MAX
    with pytest.raises(InvalidInput, match="number of an output"):
        parse_nth(str(LAN_OUTPUTS_MAX + 1))


def test_an_error_is_one_line_whatever_it_holds() -> None:
    line = written(error("bad\r\nSCHEDULED\x1b[0m " + "x" * 5000 + "\ud800"))
    assert line.count(b"\n") == line.count(b"\r") == 1
    assert line.endswith(b"...\r\n")
    assert len(line) < 1100


@given(st.binary(max_size=200))
def test_any_line_is_a_request_nothing_or_a_sentence(line: bytes) -> None:
    said = ""
    try:
        parse_request(line)
    except InvalidInput as refusal:
        said = str(refusal)
    assert written(error(said)).count(b"\n") == 1
