"""A graph as an SVG picture that stands alone: no scripts, no fonts from elsewhere, light and dark.

Everything that comes from a workflow is escaped. Shapes tell kinds apart and signs tell states apart, besides colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from roost.app.drawing.graph.folding import folded
from roost.app.drawing.graph.graph import DrawnStep, Graph, Link
from roost.app.drawing.graph.layers import Item, arranged
from roost.app.drawing.graph.nesting import Box, nested
from roost.app.drawing.graph.states import LOOKS, UNKNOWN, look_of

#: Steps that are drawn at most; more are folded.
STEPS_DRAWN = 150
_LABEL_MAX = 28
_LETTER, _LINE = 7.2, 16.0
_PAD, _GAP, _CHANNEL, _KNOT = 12.0, 26.0, 46.0, 10.0
_TITLE = 20.0


def svg_of(graph: Graph, steps_max: int = STEPS_DRAWN, *, style: bool = True) -> str:
    """Return the picture. Without ``style`` the page around it has the rules (``style_rules``)."""
    block = _drawn_inside(nested(folded(graph, steps_max))) if graph.steps else _Block(200, 40, "")
    width, height = block.width + 2 * _PAD, block.height + 2 * _PAD
    rules = f"<style>{style_rules()}</style>" if style else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="roost-graph" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{escape(f"Graph of {graph.name}")}">'
        f"{rules}{_ARROW}{_at(_PAD, _PAD, block.content)}</svg>\n"
    )


def style_rules() -> str:
    """Return the CSS of the picture; a page may choose against the system with the class light or dark."""
    light = "".join(f"--{state}:{look.light};" for state, look in (*LOOKS.items(), ("plain", UNKNOWN)))
    dark = "".join(f"--{state}:{look.dark};" for state, look in (*LOOKS.items(), ("plain", UNKNOWN)))
    light += "--ink:#1d2430;--paper:#ffffff;--fill:#f6f7f9;--faint:#9aa2ad;"
    dark += "--ink:#e8ebf0;--paper:#14181f;--fill:#1e242d;--faint:#6c7683;"
    states = "".join(f".s-{state}{{--c:var(--{state})}}" for state in (*LOOKS, "plain"))
    return (
        f":root{{{light}}}@media(prefers-color-scheme:dark){{:root:not(.light){{{dark}}}}}:root.dark{{{dark}}}"
        ".roost-graph{background:var(--paper);font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}"
        ".roost-graph text{fill:var(--ink);text-anchor:middle}"
        ".roost-graph .box{fill:var(--fill);stroke:var(--c);stroke-width:1.6}"
        ".roost-graph .pool{fill:none;stroke:var(--faint);stroke-dasharray:5 4}"
        ".roost-graph .sub{fill:var(--c)}.roost-graph .title{text-anchor:start;opacity:.75}"
        ".roost-graph .link{fill:none;stroke:var(--faint);stroke-width:1.3}.roost-graph .bare{stroke-dasharray:3 4}"
        ".roost-graph .head{fill:var(--faint)}.roost-graph .bar{fill:var(--c)}"
        f"{states}"
    )


_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>'
)


@dataclass(frozen=True, slots=True)
class _Block:
    """A finished piece, to be put somewhere."""

    width: float
    height: float
    content: str


def _drawn_inside(box: Box) -> _Block:
    blocks = {child.key: _block(child) for child in box.children}
    layout = arranged(
        list(blocks),
        [(link.source, link.target) for link in box.links],
        {key: block.width for key, block in blocks.items()},
        _GAP,
        _KNOT,
    )
    bare = _Bare(box.links)
    heights = [
        max((blocks[item].height for item in row if isinstance(item, str)), default=0.0) for row in layout.layers
    ]
    parts = []
    top = 0.0
    for row, height in zip(layout.layers, heights, strict=True):
        for item in row:
            parts += _links(item, layout.down[item], layout.middle, blocks, top, height, bare)
            x = layout.middle[item]
            if isinstance(item, str):
                parts.append(_at(x - blocks[item].width / 2, top, blocks[item].content))
            else:
                kind = bare.kind(item, item)
                parts.append(f'<path class="{kind}" d="M{x:.1f} {top:.1f}V{top + height:.1f}"/>')
        top += height + _CHANNEL
    return _Block(layout.width, max(top - _CHANNEL, 0.0), "".join(parts))


class _Bare:
    """Which links bring nothing and are only waited for; where several share a way, it is one if all of them are."""

    def __init__(self, links: Sequence[Link]) -> None:
        self._bare = {(link.source, link.target) for link in links if link.bare}
        self._laden = {link.source for link in links if not link.bare}

    def kind(self, item: Item, target: Item) -> str:
        """Return the class of the line from an item to one of the next layer."""
        source = item if isinstance(item, str) else item[0]
        is_bare = (source, target) in self._bare if isinstance(target, str) else source not in self._laden
        return "link bare" if is_bare else "link"


def _links(
    item: Item,
    targets: Sequence[Item],
    middles: dict[Item, float],
    blocks: dict[str, _Block],
    top: float,
    row_height: float,
    bare: "_Bare",
) -> list[str]:
    """Draw the curves from an item to the next layer; they leave a box at its own lower edge."""
    height = blocks[item].height if isinstance(item, str) else row_height
    x0, y0, y1 = middles[item], top + height, top + row_height + _CHANNEL
    parts = []
    for target in targets:
        x1 = middles[target]
        into_box = isinstance(target, str)
        kind = bare.kind(item, target)
        end = ' marker-end="url(#arrow)"' if into_box else ""
        bend = y1 - _CHANNEL / 2
        path = f"M{x0:.1f} {y0:.1f}C{x0:.1f} {bend:.1f} {x1:.1f} {bend:.1f} {x1:.1f} {y1:.1f}"
        parts.append(f'<path class="{kind}" d="{path}"{end}/>')
    return parts


def _block(child: DrawnStep | Box) -> _Block:
    if isinstance(child, DrawnStep):
        return _step_block(child)
    inner = _drawn_inside(child)
    label = _cut(child.label)
    width = max(inner.width, len(label) * _LETTER) + 2 * _PAD
    height = inner.height + _TITLE + 2 * _PAD
    content = (
        f'<rect class="pool" width="{width:.1f}" height="{height:.1f}" rx="8"/>'
        f'<text class="title" x="10" y="{_TITLE - 4}">{escape(label)}</text>'
        + _at((width - inner.width) / 2, _TITLE + _PAD, inner.content)
    )
    return _Block(width, height, content)


def _step_block(step: DrawnStep) -> _Block:
    rows = [_cut(step.label)]
    look = look_of(step.state)
    if step.counts:
        rows.append(f"{look.sign} {step.done:,} of {step.total:,}" if step.total else f"{look.sign} not known yet")
    elif step.what and step.kind == "value":
        rows.append(_cut(f"= {step.what}"))
    width = max(map(len, rows)) * _LETTER + 2 * _PAD
    height = len(rows) * _LINE + 14
    lines = [
        f'<text class="{"sub" if at else "name"}" x="{width / 2:.1f}" y="{20 + at * _LINE:.1f}">{escape(row)}</text>'
        for at, row in enumerate(rows)
    ]
    title = "\n".join(filter(None, (step.label, step.what, _counted(step))))
    content = (
        f'<g class="s-{step.state or "plain"}"><title>{escape(title)}</title>'
        f"{_shape(step, width, height)}{''.join(lines)}{_bar(step, width, height)}</g>"
    )
    return _Block(width, height, content)


def _shape(step: DrawnStep, width: float, height: float) -> str:
    """Work is a box, a value has round ends, what people do has a double line."""
    size = f'width="{width:.1f}" height="{height:.1f}"'
    if step.kind == "value":
        return f'<rect class="box" {size} rx="{height / 2:.1f}"/>'
    shape = f'<rect class="box" {size} rx="4"/>'
    if step.kind == "manual":
        shape += f'<rect class="box" x="3.5" y="3.5" width="{width - 7:.1f}" height="{height - 7:.1f}" rx="2"/>'
    if step.stands_for > 1:
        shape = f'<rect class="box" x="4" y="4" {size} rx="4"/>' + shape
    return shape


def _bar(step: DrawnStep, width: float, height: float) -> str:
    # Round ends leave no room for one, and a value is there or not.
    if not step.total or step.kind == "value":
        return ""
    done = (width - 12) * step.done / step.total
    return f'<rect class="bar" x="6" y="{height - 5:.1f}" width="{done:.1f}" height="2.5"/>'


def _counted(step: DrawnStep) -> str:
    return ", ".join(f"{count:,} {state}" for state, count in step.counts.items() if count)


def _at(x: float, y: float, content: str) -> str:
    return f'<g transform="translate({x:.1f} {y:.1f})">{content}</g>'


def _cut(text: str) -> str:
    return text if len(text) <= _LABEL_MAX else f"{text[: _LABEL_MAX - 8]}…{text[-7:]}"
