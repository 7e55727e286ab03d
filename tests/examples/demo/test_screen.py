import io
import re

from rich.console import Console

from examples.demo import screen
from examples.demo.screen import line_of, picture, screen_on, who_ran_what
from tests.examples.demo.scenes import scene, step

SCENE = scene(
    step(
        "make",
        {"wren": 30, "finch": 1_200, "owl": 9},
        "owl 1300",
        done="1-1239",
        running="1300",
        ready="1240-1299,1301-1500",
    ),
    step("sum", waiting="0"),
    wren="dead",
)


def drawn(*, terminal: bool = True) -> Console:
    # Without the environment, in which a terminal may be called dumb or be five lines high.
    size = {"width": 100, "height": 40}
    return Console(file=io.StringIO(), force_terminal=terminal, color_system=None, highlight=False, _environ={}, **size)


def text_of(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_picture_has_every_node_with_what_it_runs_and_a_bar_for_every_step() -> None:
    console = drawn()
    console.print(picture(SCENE))
    lines = {line.split()[0]: line for line in text_of(console).splitlines() if line.strip()}
    assert "dead" in lines["wren"]
    assert lines["owl"].rstrip().endswith("make 1300")
    assert lines["make"].split()[-2:] == ["1,239", "1,500"]
    assert "━" in lines["make"]
    assert lines["sum"].split()[-2:] == ["0", "1"]


def test_the_table_says_who_made_how_many_of_each_step() -> None:
    console = drawn()
    console.print(who_ran_what(SCENE))
    rows = [line.split() for line in text_of(console).splitlines()]
    assert rows == [
        ["STEP", "wren", "finch", "owl", "RESULTS", "OF"],
        ["make", "30", "1,200", "9", "1,239", "1,500"],
        ["sum", "0", "0", "0", "0", "1"],
        ["all", "30", "1,200", "9", "1,239", "1,501"],
    ]


def test_a_line_says_the_same_where_nothing_can_be_drawn() -> None:
    expected = "make 1,239/1,500, sum 0/1; done on wren (dead) 30, finch (alive) 1,200, owl (alive) 9"
    assert line_of(SCENE) == expected


def test_without_a_terminal_there_are_plain_lines_now_and_then() -> None:
    console = drawn(terminal=False)
    with screen_on(console) as shown:
        shown.tell("[it] begins")
        shown.show(SCENE)
        shown.show(SCENE)
    assert text_of(console) == "  0.0 s  [it] begins\n"


def test_without_a_terminal_how_far_it_is_is_said_when_it_is_time() -> None:
    console = drawn(terminal=False)
    lines = screen._Lines(console)
    lines._said -= screen.LINE_EVERY_S
    lines.show(SCENE)
    lines.show(SCENE)
    assert text_of(console).count("make 1,239/1,500") == 1


def test_on_a_terminal_what_was_told_stays_and_the_picture_goes() -> None:
    console = drawn()
    with screen_on(console) as shown:
        shown.show(SCENE)
        shown.tell("wren is gone")
        shown.show(SCENE)
    assert re.search(r"[0-9.]+ s  wren is gone", text_of(console))
    assert text_of(console).count("NODE") >= 2
