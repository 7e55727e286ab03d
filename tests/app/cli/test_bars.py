"""Bars on a terminal."""

import io

from rich.console import Console

from roost.app.cli.bars import bars
from roost.app.cli.waiting import went_wrong
from tests.app.cli.fake_node import run


def test_every_run_has_its_bar_with_what_went_wrong() -> None:
    screen = io.StringIO()
    with bars(went_wrong, Console(file=screen, width=150, force_terminal=True)) as show:
        show([run(4, "bobaba", done=1, ready=3), run(5, done=2, failed=1)])
        show([run(4, "bobaba", done=4), run(5, done=2, failed=1)])
    drawn = screen.getvalue()
    assert "4-bobaba echo" in drawn
    assert "4/4" in drawn
    assert "3/3" in drawn
    assert "1 went wrong" in drawn


def test_names_with_brackets_are_shown_as_they_are() -> None:
    screen = io.StringIO()
    with bars(went_wrong, Console(file=screen, width=150, force_terminal=True)) as show:
        show([run(5, done=1) | {"name": "[red]x"}])
    assert "[red]x" in screen.getvalue()


def test_a_bar_says_how_long_it_will_take() -> None:
    screen = io.StringIO()
    with bars(went_wrong, Console(file=screen, width=150, force_terminal=True)) as show:
        show([run(5, done=1, ready=1) | {"left": "2 to 3 min left"}])
    assert "2 to 3 min left" in screen.getvalue()
