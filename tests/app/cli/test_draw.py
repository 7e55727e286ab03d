"""How things look."""

import io
import time

import pytest
from rich.console import Console
from rich.live import Live
from rich.text import Text

from roost.app.cli.draw import bar, clock_text, console, counts_text, ended_of, state_text, table_of, time_taken
from roost.app.drawing.graph.states import STYLE_OF_STATE
from roost.core.telling.views import STATES
from tests.app.cli.fake_node import counts


def test_every_state_has_a_colour_and_keeps_its_word() -> None:
    assert set(STATES) <= set(STYLE_OF_STATE)
    assert all(state_text(state).plain == state for state in STATES)


def test_counts_leave_out_what_is_empty() -> None:
    assert counts_text(counts(done=1200, failed=3)).plain == "1,200 done, 3 failed"
    assert counts_text(counts()).plain == "no elements"
    assert ended_of(counts(done=2, failed=1, running=5)) == 3


def test_programs_get_uncut_lines_without_colour(capsys: pytest.CaptureFixture[str]) -> None:
    table = table_of("A", "N", right=("N",))
    table.add_row("x" * 300, "5")
    console().print(table)
    out = capsys.readouterr().out
    assert "x" * 300 in out
    assert "\x1b" not in out


def test_a_bar_is_as_long_as_the_work_is_done() -> None:
    screen = Console(file=io.StringIO(), width=40)
    screen.print(bar(0.5, width=10))
    assert screen.file.getvalue().strip("\n").count("━") >= 5


def test_times_of_today_are_short() -> None:
    assert len(clock_text(time.time())) == 8
    assert clock_text(0.0).startswith(("1970", "1969"))


def test_the_time_taken_ends_with_the_run() -> None:
    assert time_taken({"submitted_at": 100.0, "finished_at": 190.0}) == "1 min 30 s"
    assert time_taken({"submitted_at": time.time() - 7200, "finished_at": None}).startswith("2 h")


def test_nothing_that_is_drawn_steers_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", stream := io.StringIO())
    monkeypatch.setattr(stream, "isatty", lambda: True)
    for name, value in (("TERM", "xterm"), ("COLUMNS", "100"), ("LINES", "40")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    evil = "\x1b[2J\x9b\u202e"
    table = table_of("A", "B")
    table.add_row(evil, state_text("done"))
    screen = console()
    screen.print(table, evil, Text.assemble((evil, "bold")))
    with Live(table, console=screen, auto_refresh=False) as live:
        live.update(Text(evil), refresh=True)
    drawn = stream.getvalue()
    assert "\x1b[32mdone" in drawn, "colours are rich's own, and stay"
    assert "\x1b[2J" not in drawn
    assert not {"\x9b", "\u202e"} & set(drawn)
    assert drawn.count("\\x1b[2J\\x9b\\u202e") >= 4
