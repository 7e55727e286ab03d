"""A plan as one page that needs nothing else: sentences, tables, and plots as drawings in the page.

A plot has an axis of numbers each way, either of them with equal steps or with equal factors. A point without a place,
such as zero on an axis of factors, is left out.
"""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from roost.lab.experiment import Table
from roost.lab.figure import Axis, Figure, Panel, Series

_WIDTH, _HEIGHT = 700, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 180, 34, 48
_COLOURS: Final = ("#1764ab", "#d1495b", "#2a9d5c", "#8e44ad", "#e08e0b", "#0b8a8f", "#7a5c3e", "#555555", "#c2185b")
_QUIET: Final = "#888888"
_STYLE: Final = """\
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}
th{border-bottom:1px solid #8888}tr.chosen{font-weight:bold}svg{max-width:100%;height:auto}
svg text{font:12px system-ui,sans-serif;fill:currentColor}figure{margin:1.5rem 0}figcaption{font-weight:bold}
"""


def page(title: str, sentences: Sequence[str], tables: Sequence[Table], figures: Sequence[Figure]) -> str:
    """Return the HTML of a page."""
    body = [f"<h1>{escape(title)}</h1>", *(f"<p>{escape(sentence)}</p>" for sentence in sentences)]
    body += [_figure(figure) for figure in figures]
    body += [_table(table) for table in tables]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    head += f"<style>{_STYLE}</style>"
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(body)}</body></html>\n'


def _table(table: Table) -> str:
    heads = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(_cell(cell))}</td>' for cell in row)}</tr>" for row in table.rows)
    return f"<h2>{escape(table.title)}</h2><table><tr>{heads}</tr>{rows}</table>"


def _cell(cell: float | str) -> str:
    return cell if isinstance(cell, str) else f"{cell:g}"


def _figure(figure: Figure) -> str:
    panels = "".join(_panel(panel) for panel in figure.panels)
    return f"<figure><figcaption>{escape(figure.title)}</figcaption>{panels}</figure>"


class _Scale:
    """Where on the page a value of an axis is."""

    def __init__(self, axis: Axis, values: Iterable[float], begin: float, end: float) -> None:
        self._is_log = axis.is_log
        values = list(values)
        self._least_step = 1.0 if all(value == int(value) for value in values) else 0.0
        span = axis.span or _bounds([value for value in values if value > 0 or not axis.is_log])
        self._low, self._high = self._position(span[0]), self._position(span[1])
        if self._low == self._high:
            self._low, self._high = self._low - 0.5, self._high + 0.5
        self._begin, self._end = begin, end

    def _position(self, value: float) -> float:
        return math.log10(value) if self._is_log else value

    def at(self, value: float) -> float | None:
        if self._is_log and value <= 0:
            return None
        part = (self._position(value) - self._low) / (self._high - self._low)
        return self._begin + part * (self._end - self._begin)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        if self._is_log:
            every = max(1, math.ceil((self._high - self._low) / 8))
            powers = range(math.ceil(self._low - 1e-9), math.floor(self._high + 1e-9) + 1, every)
            return [(10.0**power, f"1e{power}") for power in powers]
        step = max(self._least_step, _round_step((self._high - self._low) / 5))
        first = math.ceil(self._low / step - 1e-9)
        return [(at * step, f"{at * step:.10g}") for at in range(first, math.floor(self._high / step + 1e-9) + 1)]


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (1.0, 10.0)


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return min((1, 2, 5, 10), key=lambda one: abs(one * power - step)) * power


def _panel(panel: Panel) -> str:
    across = _Scale(panel.x, [float(x) for one in panel.series for x in one.x], _LEFT, _WIDTH - _RIGHT)
    up = _Scale(panel.y, [y for one in panel.series for y in one.y], _HEIGHT - _BOTTOM, _TOP)
    parts = [_text(_LEFT, _TOP - 14, panel.title), *_grid(across, up)]
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 8, panel.x.title, "middle"))
    parts.append(f'<g transform="translate(14 {_HEIGHT / 2}) rotate(-90)">{_text(0, 0, panel.y.title, "middle")}</g>')
    for at, series in enumerate(panel.series):
        colour = _QUIET if series.is_reference else _COLOURS[at % len(_COLOURS)]
        parts.append(_line(series, across, up, colour))
        parts.append(_text(_WIDTH - _RIGHT + 10, _TOP + 10 + 18 * at, series.name, colour=colour))
    inner = "".join(parts)
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}"'
    return f'<svg {size} role="img" aria-label="{escape(panel.y.title)}">{inner}</svg>'


def _grid(across: _Scale, up: _Scale) -> list[str]:
    parts = []
    for value, label in across.ticks:
        x = across.at(value)
        parts.append(f'<path d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#8884"/>')
        parts.append(_text(x or 0, _HEIGHT - _BOTTOM + 16, label, "middle"))
    for value, label in up.ticks:
        y = up.at(value)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#8884"/>')
        parts.append(_text(_LEFT - 6, (y or 0) + 4, label, "end"))
    return parts


def _line(series: Series, across: _Scale, up: _Scale, colour: str) -> str:
    places = [(across.at(float(x)), up.at(y)) for x, y in zip(series.x, series.y, strict=True)]
    drawn = [f"{x:.1f},{y:.1f}" for x, y in places if x is not None and y is not None]
    dash = ' stroke-dasharray="5 4"' if series.is_reference else ""
    line = f'<polyline points="{" ".join(drawn)}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
    if series.kind == "line":
        return line
    dots = "".join(
        f'<circle cx="{one.split(",")[0]}" cy="{one.split(",")[1]}" r="3" fill="{colour}"/>' for one in drawn
    )
    return dots if series.kind == "points" else line + dots


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = "") -> str:
    style = f' style="fill:{colour}"' if colour else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'
