"""Figures as Plotly draws them: plain JSON of data and layout, made without loading the library.

Panels are laid out here: a grid of systems of coordinates in one plot, with a legend in which each name stands once and
hides its series in all panels. Colours are of a set that people who see fewer colours can tell apart (Okabe and Ito).
"""

import math
from itertools import count
from typing import Any, Final

from msgspec.structs import replace

from roost.lab.figure import Axis, Figure, Panel, Series

COLOURS: Final = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c613c",
    "#6a51a3", "#b2182b", "#4d4d4d", "#1b9e9e", "#a6a600",
)  # fmt: skip
_QUIET: Final = "#8a8f98"
_MODES: Final = {"line": "lines", "points": "markers", "line and points": "lines+markers"}
#: What is left between panels beside and below each other, as shares of the room that one has.
_GAP_BESIDE: Final = 0.24
_GAP_BELOW: Final = 0.34
_PANEL_HEIGHT: Final = 320
_PANEL_HEIGHT_SMALL: Final = 240
#: What is below the lowest panel: numbers or words of the axis, its title, the legend.
_BELOW: Final = 130

Json = dict[str, Any]


def plot_of(figure: Figure) -> Json:
    """Return the data and the layout of a figure."""
    colours = _colours_of(figure)
    rows = math.ceil(len(figure.panels) / figure.columns)
    drawn_height = (_PANEL_HEIGHT if rows == 1 else _PANEL_HEIGHT_SMALL) * rows
    data: list[Json] = []
    layout: Json = {
        "height": drawn_height + _BELOW,
        "margin": {"l": 64, "r": 12, "t": 34, "b": _BELOW - 34},
        # In shares of what is drawn, below the title of the axis.
        "legend": {"orientation": "h", "yanchor": "top", "y": -84 / drawn_height, "x": 0},
        "barmode": _barmode(figure),
        "annotations": [],
        "hovermode": "closest",
    }
    named: set[str] = set()
    flat = count(1)
    solid = count(1)
    for at, panel in enumerate(_said_once(figure)):
        box = _box(at, figure.columns, rows)
        if panel.z is not None:
            data += _surfaces(panel, box, f"scene{_numbered(next(solid))}", layout)
        else:
            data += _curves(panel, box, next(flat), layout, colours, named)
        if panel.title:
            layout["annotations"].append(_title(panel.title, box))
    layout["showlegend"] = len(named) > 1
    return {"data": data, "layout": layout}


def _said_once(figure: Figure) -> list[Panel]:
    """Return the panels; what all axes are called alike stands at the left and at the bottom of the grid only."""
    panels = list(figure.panels)
    count = len(panels)
    if any(panel.z for panel in panels):
        return panels
    inner_x = range(count - figure.columns) if len({panel.x.title for panel in panels}) == 1 else ()
    inner_y = range(count) if len({panel.y.title for panel in panels}) == 1 else ()
    for at in inner_x:
        panels[at] = replace(panels[at], x=replace(panels[at].x, title=""))
    for at in inner_y:
        if at % figure.columns:
            panels[at] = replace(panels[at], y=replace(panels[at].y, title=""))
    return panels


def _colours_of(figure: Figure) -> dict[str, str]:
    """Give each name a colour of its own, as far as there are any."""
    names = dict.fromkeys(one.name for panel in figure.panels for one in panel.series if not one.is_reference)
    return {name: COLOURS[at % len(COLOURS)] for at, name in enumerate(names)}


def _barmode(figure: Figure) -> str:
    kinds = {one.kind for panel in figure.panels for one in panel.series}
    return "stack" if "stacked bars" in kinds else "group"


def _box(at: int, columns: int, rows: int) -> tuple[float, float, float, float]:
    """Return left, right, bottom and top of a panel, as shares of the plot; the first one is at the top left."""
    row, column = divmod(at, columns)
    left, right = _span(column, columns, _GAP_BESIDE)
    below, above = _span(rows - 1 - row, rows, _GAP_BELOW)
    return left, right, below, above


def _span(at: int, of: int, gap_share: float) -> tuple[float, float]:
    gap = gap_share / of if of > 1 else 0.0
    size = (1 - gap * (of - 1)) / of
    return at * (size + gap), min(at * (size + gap) + size, 1.0)


def _numbered(number: int) -> str:
    """Return the number as Plotly's names end: the first has none."""
    return "" if number == 1 else str(number)


def _title(text: str, box: tuple[float, float, float, float]) -> Json:
    left, right, _, above = box
    place = {"x": (left + right) / 2, "y": above, "xref": "paper", "yref": "paper", "yanchor": "bottom"}
    return {"text": text, "showarrow": False, "font": {"size": 12}} | place


def _axis(axis: Axis, domain: tuple[float, float], anchor: str) -> Json:
    told: Json = {"title": {"text": axis.title, "standoff": 6}, "domain": domain, "anchor": anchor, "automargin": True}
    if axis.is_log:
        # Without minor figures between the powers, which would run into each other.
        told |= {"type": "log", "dtick": 1}
    if axis.span is not None:
        told["range"] = [math.log10(bound) for bound in axis.span] if axis.is_log else list(axis.span)
    return told


def _curves(
    panel: Panel,
    box: tuple[float, float, float, float],
    number: int,
    layout: Json,
    colours: dict[str, str],
    named: set[str],
) -> list[Json]:
    x, y = f"x{_numbered(number)}", f"y{_numbered(number)}"
    layout[x.replace("x", "xaxis")] = _axis(panel.x, box[:2], y)
    layout[y.replace("y", "yaxis")] = _axis(panel.y, box[2:], x)
    drawn = []
    for series in panel.series:
        legend = {"name": series.name, "legendgroup": series.name, "showlegend": series.name not in named}
        named.add(series.name)
        drawn.append(_trace(series, colours.get(series.name, _QUIET)) | legend | {"xaxis": x, "yaxis": y})
    return drawn


def _trace(series: Series, colour: str) -> Json:
    error = {"error_y": {"type": "data", "array": series.error, "thickness": 1}} if series.error else {}
    if series.kind in ("bars", "stacked bars"):
        return {"type": "bar", "x": series.x, "y": series.y, "marker": {"color": colour}} | error
    if series.kind == "box":
        return {"type": "box", "x": series.x * len(series.y), "y": series.y, "marker": {"color": colour}}
    line = {"color": colour, "width": 1.5 if series.is_reference else 2}
    if series.is_reference:
        line["dash"] = "dash"
    marks = {"color": colour, "size": 6}
    return {"type": "scatter", "mode": _MODES[series.kind], "x": series.x, "y": series.y} | {
        "line": line,
        "marker": marks,
        **error,
    }


def _surfaces(panel: Panel, box: tuple[float, float, float, float], scene: str, layout: Json) -> list[Json]:
    assert panel.z is not None
    axes = {f"{name}axis": _scene_axis(axis) for name, axis in (("x", panel.x), ("y", panel.y), ("z", panel.z))}
    layout[scene] = axes | {"aspectmode": "cube", "domain": {"x": box[:2], "y": box[2:]}}
    return [
        {"type": "surface", "name": one.name, "x": one.x, "y": one.y, "z": one.z, "scene": scene, "showscale": False}
        | {"colorscale": "Viridis"}
        for one in panel.series
    ]


def _scene_axis(axis: Axis) -> Json:
    told: Json = {"title": {"text": axis.title}}
    if axis.is_log:
        told["type"] = "log"
    if axis.span is not None:
        told["range"] = [math.log10(bound) for bound in axis.span] if axis.is_log else list(axis.span)
    return told
