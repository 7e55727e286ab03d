"""A graph as an SVG picture that stands alone: no scripts, no fonts from elsewhere, light and dark.

Everything that comes from a workflow is escaped. Shapes tell kinds apart and signs tell states apart, besides colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from roost.app.graph.folding import folded
from roost.app.graph.graph import Graph, Step
from roost.app.graph.layers import Item, arranged
from roost.app.graph.nesting import Box, nested
from roost.app.graph.states import LOOKS, UNKNOWN, look_of

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
    rules = f"<style>{style_rules(':root', '')}</style>" if style else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="roost-graph" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{escape(f"Graph of {graph.name}")}">'
        f"{rules}{_ARROW}{_at(_PAD, _PAD, block.content)}</svg>\n"
    )


def style_rules(root: str, dark_root: str) -> str:
    """Return the CSS of the picture; ``dark_root`` is what a page marks as dark itself, besides what the system says."""
    light = "".join(f"--{state}:{look.light};" for state, look in (*LOOKS.items(), ("plain", UNKNOWN)))
    dark = "".join(f"--{state}:{look.dark};" for state, look in (*LOOKS.items(), ("plain", UNKNOWN)))
    light += "--ink:#1d2430;--paper:#ffffff;--fill:#f6f7f9;--faint:#9aa2ad;"
    dark += "--ink:#e8ebf0;--paper:#14181f;--fill:#1e242d;--faint:#6c7683;"
    states = "".join(f".s-{state}{{--c:var(--{state})}}" for state in (*LOOKS, "plain"))
    marked = f"{dark_root}{{{dark}}}" if dark_root else ""
    return (
        f"{root}{{{light}}}@media(prefers-color-scheme:dark){{{root}{{{dark}}}}}{marked}"
        ".roost-graph{background:var(--paper);font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}"
        ".roost-graph text{fill:var(--ink);text-anchor:middle}"
        ".roost-graph .box{fill:var(--fill);stroke:var(--c);stroke-width:1.6}"
        ".roost-graph .pool{fill:none;stroke:var(--faint);stroke-dasharray:5 4}"
        ".roost-graph .sub{fill:var(--c)}.roost-graph .title{text-anchor:start;fill:var(--faint)}"
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
    bare = {(link.source, link.target) for link in box.links if link.bare}
    tops, top = [], 0.0
    heights = [
        max((blocks[item].height for item in row if isinstance(item, str)), default=0.0) for row in layout.layers
    ]
    for height in heights:
        tops.append(top)
        top += height + _CHANNEL
    parts = []
    middles = layout.middle
    bottom = dict(zip((id(row) for row in layout.layers), heights, strict=True))
    for number, row in enumerate(layout.layers):
        for item in row:
            parts += _links(item, layout.down[item], middles, blocks, tops[number], bottom[id(row)], bare)
            if isinstance(item, str):
                block = blocks[item]
                parts.append(_at(middles[item] - block.width / 2, tops[number], block.content))
            else:
                x = middles[item]
                parts.append(
                    f'<path class="link" d="M{x:.1f} {tops[number]:.1f}V{tops[number] + heights[number]:.1f}"/>'
                )
    return _Block(layout.width, max(top - _CHANNEL, 0.0), "".join(parts))


def _links(
    item: Item,
    targets: Sequence[Item],
    middles: dict[Item, float],
    blocks: dict[str, _Block],
    top: float,
    row_height: float,
    bare: set[tuple[str, str]],
) -> list[str]:
    """Draw the curves from an item to the next layer; they leave a box at its own lower edge."""
    source = item if isinstance(item, str) else item[0]
    height = blocks[item].height if isinstance(item, str) else row_height
    x0, y0, y1 = middles[item], top + height, top + row_height + _CHANNEL
    parts = []
    for target in targets:
        x1 = middles[target]
        into_box = isinstance(target, str)
        kind = "link bare" if into_box and (source, target) in bare else "link"
        end = ' marker-end="url(#arrow)"' if into_box else ""
        bend = y1 - _CHANNEL / 2
        path = f"M{x0:.1f} {y0:.1f}C{x0:.1f} {bend:.1f} {x1:.1f} {bend:.1f} {x1:.1f} {y1:.1f}"
        parts.append(f'<path class="{kind}" d="{path}"{end}/>')
    return parts


def _block(child: Step | Box) -> _Block:
    if isinstance(child, Step):
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


def _step_block(step: Step) -> _Block:
    rows = [_cut(step.label)]
    look = look_of(step.state)
    if step.counts:
        rows.append(f"{look.sign} {step.ended:,} of {step.total:,}" if step.total else f"{look.sign} not known yet")
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


def _shape(step: Step, width: float, height: float) -> str:
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


def _bar(step: Step, width: float, height: float) -> str:
    if not step.total:
        return ""
    done = (width - 12) * step.ended / step.total
    return f'<rect class="bar" x="6" y="{height - 5:.1f}" width="{done:.1f}" height="2.5"/>'


def _counted(step: Step) -> str:
    return ", ".join(f"{count:,} {state}" for state, count in step.counts.items() if count)


def _at(x: float, y: float, content: str) -> str:
    return f'<g transform="translate({x:.1f} {y:.1f})">{content}</g>'


def _cut(text: str) -> str:
    return text if len(text) <= _LABEL_MAX else f"{text[: _LABEL_MAX - 8]}…{text[-7:]}"
