"""Plots as plain values: what is drawn, and nothing of how. A report draws them; JSON has them as they are."""

from typing import Literal

import msgspec

#: What a series looks like. Stacked bars stand on those of the series before them at the same place; a box has in ``y``
#: the values of one sample, at one place ``x`` for all; a surface has a value of ``z`` for each y and x.
Kind = Literal["line", "points", "line and points", "bars", "stacked bars", "box", "surface"]


class Axis(msgspec.Struct, frozen=True, omit_defaults=True):
    title: str
    is_log: bool = False
    #: Where it begins and ends; as the values need it if nothing is said.
    span: tuple[float, float] | None = None


class Series(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    kind: Kind
    x: tuple[float | str, ...]
    y: tuple[float, ...]
    #: Half of an interval around each y.
    error: tuple[float, ...] = ()
    z: tuple[tuple[float, ...], ...] = ()
    #: Drawn in a quiet colour and dashed: what is given to compare with, such as a published curve or a floor.
    is_reference: bool = False


class Panel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One system of coordinates."""

    title: str = ""
    x: Axis
    y: Axis
    z: Axis | None = None
    series: tuple[Series, ...]


class Figure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Panels as the document has them. Series of one name have one colour in all panels."""

    title: str
    panels: tuple[Panel, ...]
    #: How many panels stand beside each other.
    columns: int = 1
