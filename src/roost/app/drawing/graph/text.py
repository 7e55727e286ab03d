"""A graph in a terminal: boxes in layers, lines between them, pools around their steps.

It is made to fit: labels are cut first; if the widest layer is too wide still, the graph is folded further.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from roost.app.drawing.graph.folding import TIMES, folded
from roost.app.drawing.graph.graph import DrawnStep, Graph, without_common_beginning
from roost.app.drawing.graph.grid import DOWN, LINE_STYLE, UP, Grid
from roost.app.drawing.graph.layers import Item, Layout, arranged
from roost.app.drawing.graph.nesting import Box, nested
from roost.app.drawing.graph.states import LOOKS, STYLE_OF_STATE, look_of

#: Steps that are drawn at most; more are folded.
STEPS_DRAWN = 30
#: To how many characters labels are cut, one after the other until the drawing fits.
_LABEL_LENGTHS = (32, 24, 18, 14, 11, 8)
_GAP = 2


def drawn(graph: Graph, width: int = 100, steps_max: int = STEPS_DRAWN) -> list[Text]:
    """Return the rows of a drawing that is at most ``width`` wide, however large the graph is."""
    if not graph.steps:
        return [Text("nothing to draw", "dim")]
    small = folded(graph, steps_max)
    grid = _fitting(small, width)
    while grid.width > width and len(small.steps) > 1:
        small = folded(small, len(small.steps) * 2 // 3)
        grid = _fitting(small, width)
    return [*grid.lines(), *_legend(small)]


def _fitting(graph: Graph, width: int) -> Grid:
    """Draw with the longest labels that fit, else with the shortest.

    Before anything is cut, labels go without what all of them begin with: NFCORE.RNASEQ.FASTQC is FASTQC.
    """
    root = nested(graph)
    grid = _drawn_inside(root, _LABEL_LENGTHS[0])
    if grid.width <= width and all(len(step.label) <= _LABEL_LENGTHS[0] for step in graph.steps):
        return grid
    root = nested(without_common_beginning(graph))
    grids = (_drawn_inside(root, length) for length in _LABEL_LENGTHS)
    grid = next(grids)
    while grid.width > width and (narrower := next(grids, None)) is not None:
        grid = narrower
    return grid


def _legend(graph: Graph) -> list[Text]:
    states = [state for state in LOOKS if any(step.counts.get(state) for step in graph.steps)]
    if not states:
        return []
    signs = [Text(f"{LOOKS[state].sign} {state}", STYLE_OF_STATE[state]) for state in states]
    return [Text(), Text("  ").join(signs)]


def _drawn_inside(box: Box, length: int) -> Grid:
    """Draw what is in a box, without its frame."""
    pieces = {child.key: _piece(child, length) for child in box.children}
    links = [(link.source, link.target) for link in box.links]
    layout = arranged(list(pieces), links, {key: piece.width for key, piece in pieces.items()}, _GAP)
    return _Drawing(layout, pieces).grid()


def _piece(child: DrawnStep | Box, length: int) -> Grid:
    if isinstance(child, DrawnStep):
        return _step_box(child, length)
    inner = _drawn_inside(child, length)
    title = _cut(child.label, max(length, 16))
    grid = Grid(max(inner.width + 4, len(title) + 6), inner.height + 2)
    grid.paste(inner, (grid.width - inner.width) // 2, 1)
    grid.frame("pool", "dim", title)
    return grid


def _step_box(step: DrawnStep, length: int) -> Grid:
    rows = [_cut(step.label, length)]
    look = look_of(step.state)
    if step.counts:
        rows.append(f"{look.sign} {step.done:,}/{step.total:,}" if step.total else f"{look.sign} not known yet")
    elif step.kind == "value" and step.what:
        rows.append(_cut(f"= {step.what}", length))
    # An odd width has a middle.
    width = max(map(len, rows)) + 4
    grid = Grid(width + 1 - width % 2, len(rows) + 2)
    style = STYLE_OF_STATE.get(step.state, "")
    grid.frame(step.kind, style)
    for at, row in enumerate(rows, 1):
        grid.put((grid.width - len(row)) // 2, at, row, style if at > 1 or not step.counts else "bold")
    return grid


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    # The end of a name tells more than its middle; a count at the end must stay.
    count = text.rpartition(f" {TIMES}")
    tail = min(max(3, length // 3, len(count[1] + count[2]) if count[1] else 0), length - 2)
    return f"{text[: length - tail - 1]}…{text[-tail:]}"


@dataclass(slots=True)
class _Net:
    """Lines from items to the next layer that all lead to the same ones: ways down, a way across, and ways down."""

    starts: list[int]
    ends: list[int]

    @property
    def left(self) -> int:
        return min(*self.starts, *self.ends)

    @property
    def right(self) -> int:
        return max(*self.starts, *self.ends)

    @property
    def is_straight(self) -> bool:
        return self.left == self.right

    @property
    def leans_right(self) -> bool:
        return sum(self.ends) * len(self.starts) > sum(self.starts) * len(self.ends)


@dataclass(slots=True)
class _Channel:
    """The room between two layers: nets that go straight down, and rows of nets that go across."""

    straight: list[_Net]
    tracks: list[list[_Net]]

    @property
    def height(self) -> int:
        return len(self.tracks) + 1


class _Drawing:
    def __init__(self, layout: Layout, pieces: Mapping[str, Grid]) -> None:
        self._layout = layout
        self._pieces = pieces
        self._column = {item: self._middle(item) for row in layout.layers for item in row}

    def _middle(self, item: Item) -> int:
        """Return the column in which lines enter and leave an item."""
        if not isinstance(item, str):
            return round(self._layout.middle[item] - 0.5)
        width = self._pieces[item].width
        return round(self._layout.middle[item] - width / 2) + width // 2

    def grid(self) -> Grid:
        layers = self._layout.layers
        channels = [self._channel(row) for row in layers[:-1]]
        heights = [max(self._height(item) for item in row) for row in layers]
        width = max(self._right(item) for row in layers for item in row)
        grid = Grid(width, sum(heights) + sum(channel.height for channel in channels))
        top = 0
        for at, (row, height) in enumerate(zip(layers, heights, strict=True)):
            self._draw_row(grid, row, top, height)
            top += height
            if row is not layers[-1]:
                boxes = {self._column[item] for item in layers[at + 1] if isinstance(item, str)}
                _draw_channel(grid, channels[at], top, boxes)
                top += channels[at].height
        return grid

    def _height(self, item: Item) -> int:
        return self._pieces[item].height if isinstance(item, str) else 1

    def _right(self, item: Item) -> int:
        """Return the column after the last one of an item."""
        width = self._pieces[item].width if isinstance(item, str) else 1
        return self._column[item] - width // 2 + width

    def _draw_row(self, grid: Grid, row: Sequence[Item], top: int, height: int) -> None:
        for item in row:
            column = self._column[item]
            if not isinstance(item, str):
                grid.vertical(column, top, top + height - 1)
                continue
            piece = self._pieces[item]
            grid.paste(piece, column - piece.width // 2, top)
            if self._layout.down[item] and piece.height < height:
                grid.vertical(column, top + piece.height, top + height - 1)

    def _channel(self, row: Sequence[Item]) -> _Channel:
        """Share out the nets below a layer among as few rows as keep their ways across apart."""
        by_ends: dict[tuple[int, ...], list[int]] = {}
        for item in row:
            ends = tuple(sorted(self._column[target] for target in self._layout.down[item]))
            if ends:
                by_ends.setdefault(ends, []).append(self._column[item])
        nets = [_Net(starts, list(ends)) for ends, starts in by_ends.items()]
        bent = [net for net in nets if not net.is_straight]
        # Lines that go right stack from the right, those that go left from the left: they do not run into each other.
        rightward = sorted((net for net in bent if net.leans_right), key=lambda net: -max(net.starts))
        leftward = sorted((net for net in bent if not net.leans_right), key=lambda net: min(net.starts))
        tracks: list[list[_Net]] = []
        for net in (*leftward, *rightward):
            for track in tracks:
                if all(net.right < other.left or other.right < net.left for other in track):
                    track.append(net)
                    break
            else:
                tracks.append([net])
        return _Channel([net for net in nets if net.is_straight], tracks)


def _draw_channel(grid: Grid, channel: _Channel, top: int, boxes: set[int]) -> None:
    """Draw the lines between two layers; those that enter a box have an arrow head."""
    bottom = top + channel.height - 1
    for net in channel.straight:
        grid.vertical(net.left, top, bottom)
    for y, track in enumerate(channel.tracks, top):
        for net in track:
            _draw_net(grid, net, y, top, bottom)
    nets = (*channel.straight, *(net for track in channel.tracks for net in track))
    for column in {end for net in nets for end in net.ends} & boxes:
        grid.put(column, bottom, "▼", LINE_STYLE)


def _draw_net(grid: Grid, net: _Net, y: int, top: int, bottom: int) -> None:
    grid.horizontal(net.left, net.right, y)
    for start in net.starts:
        grid.vertical(start, top, y - 1)
        grid.line(start, y, UP)
    for end in net.ends:
        grid.line(end, y, DOWN)
        grid.vertical(end, y + 1, bottom)
