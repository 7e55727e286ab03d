"""A piece of a terminal to draw on: text with styles, lines that join where they meet, and other pieces."""

from typing import Final

from rich.text import Text

#: The ways that a line leaves a cell.
UP, RIGHT, DOWN, LEFT = 1, 2, 4, 8
_LINES: Final = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_WAYS: Final = {char: ways for ways, char in enumerate(_LINES) if ways}
LINE_STYLE: Final = "dim"

#: Corners and sides of a box: from the left top clockwise, then the horizontal and the vertical side.
FRAMES: Final = {
    "": "┌┐┘└─│",
    "value": "╭╮╯╰─│",
    "manual": "╔╗╝╚═║",
    "pool": "┌┐┘└╌╎",
}


class Grid:
    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._cells = [[" "] * width for _ in range(height)]
        self._styles = [[""] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, style: str = "") -> None:
        for at, char in enumerate(text, x):
            if 0 <= at < self.width and 0 <= y < self.height:
                self._cells[y][at] = char
                self._styles[y][at] = style

    def line(self, x: int, y: int, ways: int) -> None:
        """Let a line leave a cell in these ways, besides those in which others do already."""
        known = _WAYS.get(self._cells[y][x], 0)
        self.put(x, y, _LINES[known | ways], LINE_STYLE)

    def vertical(self, x: int, top: int, bottom: int) -> None:
        """Draw a line from the upper edge of one cell to the lower edge of another."""
        for y in range(top, bottom + 1):
            self.line(x, y, UP | DOWN)

    def horizontal(self, left: int, right: int, y: int) -> None:
        """Draw a line from the middle of one cell to the middle of another."""
        for x in range(left, right):
            self.line(x, y, RIGHT)
            self.line(x + 1, y, LEFT)

    def frame(self, kind: str, style: str, title: str = "") -> None:
        """Draw a box around everything."""
        corners = FRAMES.get(kind, FRAMES[""])
        right, bottom = self.width - 1, self.height - 1
        for x in range(1, right):
            self.put(x, 0, corners[4], style)
            self.put(x, bottom, corners[4], style)
        for y in range(1, bottom):
            self.put(0, y, corners[5], style)
            self.put(right, y, corners[5], style)
        for corner, x, y in zip(corners, (0, right, right, 0), (0, 0, bottom, bottom), strict=False):
            self.put(x, y, corner, style)
        if title:
            self.put(2, 0, f" {title[: self.width - 6]} ", style)

    def paste(self, other: "Grid", x: int, y: int) -> None:
        for row in range(other.height):
            self._cells[y + row][x : x + other.width] = other._cells[row]
            self._styles[y + row][x : x + other.width] = other._styles[row]

    def lines(self) -> list[Text]:
        """Return the rows as they are printed, without blanks at their ends."""
        return [_row(cells, styles) for cells, styles in zip(self._cells, self._styles, strict=True)]


def _row(cells: list[str], styles: list[str]) -> Text:
    text = Text(no_wrap=True)
    start = 0
    for at in range(1, len(cells) + 1):
        if at == len(cells) or styles[at] != styles[start]:
            text.append("".join(cells[start:at]), styles[start])
            start = at
    text.rstrip()
    return text
