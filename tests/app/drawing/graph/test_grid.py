"""Drawing with characters."""

from roost.app.drawing.graph.grid import DOWN, UP, Grid


def rows(grid: Grid) -> list[str]:
    return [line.plain for line in grid.lines()]


def test_lines_join_where_they_meet() -> None:
    grid = Grid(5, 3)
    grid.horizontal(0, 4, 1)
    grid.vertical(2, 0, 2)
    assert rows(grid) == ["  │", "╶─┼─╴", "  │"]
    corner = Grid(3, 2)
    corner.line(0, 0, UP)
    corner.horizontal(0, 2, 0)
    corner.line(2, 0, DOWN)
    assert rows(corner)[0] == "└─┐"


def test_frames_tell_kinds_apart() -> None:
    drawn = {}
    for kind in ("command", "value", "manual", "pool"):
        grid = Grid(4, 3)
        grid.frame(kind, "")
        drawn[kind] = rows(grid)
    assert drawn == {
        "command": ["┌──┐", "│  │", "└──┘"],
        "value": ["╭──╮", "│  │", "╰──╯"],
        "manual": ["╔══╗", "║  ║", "╚══╝"],
        "pool": ["┌╌╌┐", "╎  ╎", "└╌╌┘"],
    }


def test_a_title_is_cut_to_its_frame() -> None:
    grid = Grid(12, 3)
    grid.frame("pool", "", "a title that is too long")
    assert rows(grid)[0] == "┌╌ a titl ╌┐"


def test_pieces_are_put_into_others_with_their_styles() -> None:
    inner, outer = Grid(2, 1), Grid(4, 2)
    inner.put(0, 0, "ab", "bold")
    outer.paste(inner, 1, 1)
    assert rows(outer) == ["", " ab"]
    assert [str(span.style) for span in outer.lines()[1].spans if span.style] == ["bold"]


def test_what_lies_outside_is_not_drawn() -> None:
    grid = Grid(3, 1)
    grid.put(1, 0, "long")
    grid.put(0, 5, "x")
    assert rows(grid) == [" lo"]
