"""The timeline of a page: a row for each lane of each node, a bar for each span, a colour for each step.

The bars are plain SVG, so the page shows them without any script; the page's script zooms by moving the view.
"""

from collections.abc import Iterable
from html import escape
from typing import Final

from roost.app.drawing.graph.graph import stem
from roost.app.drawing.report.facts import Facts, Json
from roost.model.resources import format_duration

#: Colours for steps; when there are more steps, colours repeat, and the legend and the tips tell which is which.
COLOURS: Final = 8
#: The length of a row in the picture, in its own units.
WIDTH: Final = 10_000
_ROW, _BAR = 14, 11
#: Steps by their own names in the legend; more are gathered by the stems of their names.
_NAMES_MAX: Final = 24
_LEGEND_MAX: Final = 60
SEVERAL: Final = "several steps"


def timeline_html(facts: Facts) -> str:
    if not facts.spans:
        return '<p class="quiet">Nothing has run yet, or no node that is there remembers.</p>'
    names = _Names(facts)
    nodes: dict[str, list[Json]] = {}
    for span in facts.spans:
        nodes.setdefault(span["node"], []).append(span)
    rows = "".join(_node_html(node, nodes[node], facts, names) for node in sorted(nodes))
    length = format_duration(facts.end - facts.begin)
    keys = "Timeline: arrow keys move, plus and minus zoom, 0 shows all"
    return (
        f'{_legend(names)}<div id="lanes" tabindex="0" role="group" aria-label="{keys}" '
        f'data-length="{facts.end - facts.begin:.3f}">{rows}'
        f'<div id="axis" aria-hidden="true"><span>0</span><span>{escape(length)}</span></div></div>'
    )


class _Names:
    """Which name and colour a span has: its step's, or that of all steps with names like it."""

    def __init__(self, facts: Facts) -> None:
        seen = {span["task"] for span in facts.spans}
        tasks = [step["task"] for step in facts.detail["steps"] if step["task"] in seen]
        self._stems = len(tasks) > _NAMES_MAX
        self._colour: dict[str, int] = {}
        for task in tasks:
            self._colour.setdefault(self._named(task), len(self._colour) % COLOURS)

    def _named(self, task: str) -> str:
        name = task.partition("/")[2]
        return stem(name) if self._stems else name

    def of(self, span: Json) -> tuple[str, str]:
        """Return the name and the class of a span."""
        if span["task"] is None:
            return SEVERAL, "cx"
        name = self._named(span["task"])
        return name, f"c{self._colour[name]}"

    def legend(self) -> Iterable[tuple[str, int]]:
        return self._colour.items()


def _legend(names: _Names) -> str:
    entries = list(names.legend())
    buttons = [
        f'<button class="key c{colour}" aria-pressed="false" data-step="{escape(name)}"><i></i>{escape(name)}</button>'
        for name, colour in entries[:_LEGEND_MAX]
    ]
    more = f'<span class="quiet">and {len(entries) - _LEGEND_MAX:,} more</span>' if len(entries) > _LEGEND_MAX else ""
    return f'<div class="legend" aria-label="Steps; press one to see it alone">{"".join(buttons)}{more}</div>'


def _node_html(node: str, spans: list[Json], facts: Facts, names: _Names) -> str:
    rows = {lane: row for row, lane in enumerate(sorted({span["lane"] for span in spans}))}
    height = len(rows) * _ROW
    bars = "".join(_bar(span, rows[span["lane"]], facts, names) for span in spans)
    return (
        f'<figure><figcaption>{escape(node)}</figcaption><svg class="lane" viewBox="0 0 {WIDTH} {height}" '
        f'preserveAspectRatio="none" style="height:{height}px" role="img" aria-label="{escape(f"what {node} did")}">'
        f"{bars}</svg></figure>"
    )


def _bar(span: Json, row: int, facts: Facts, names: _Names) -> str:
    scale = WIDTH / max(facts.end - facts.begin, 1e-9)
    x = (span["start"] - facts.begin) * scale
    width = max((span["end"] - span["start"]) * scale, 1.0)
    name, colour = names.of(span)
    kind = f"{colour} bad" if span["failed"] else colour
    return (
        f'<rect class="{kind}" data-step="{escape(name)}" x="{x:.1f}" y="{row * _ROW + 1}" width="{width:.1f}" '
        f'height="{_BAR}"><title>{escape(_tip(span, name, facts.begin))}</title></rect>'
    )


def _tip(span: Json, name: str, begin: float) -> str:
    if span["task"] is None:
        which = f"{span['elements']:,} elements"
    elif span["elements"] == 1:
        which = f"element {span['first_path']}"
    else:
        which = f"{span['elements']:,} elements ({span['first_path']} to {span['last_path']})"
    failed = f", {span['failed']:,} failed" if span["failed"] else ""
    when = f"from {format_duration(span['start'] - begin)} to {format_duration(span['end'] - begin)}"
    return f"{name}: {which}{failed}, {when}"
