"""Pages with plots."""

import re
from xml.etree import ElementTree as ET

from roost.lab.experiment import Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.planning.page import page


def drawn(*series: Series, is_log: bool = False) -> str:
    panel = Panel(title="panel", x=Axis("copies"), y=Axis("fails", is_log=is_log), series=series)
    table = Table(title="numbers", columns=("a", "b"), rows=((1.0, "<x>"),))
    return page("A <plan>", ["take 3"], [table], [Figure(title="figure", panels=(panel,))])


def line(*y: float, **more: object) -> Series:
    return Series(name="n & m", kind="line and points", x=tuple(float(at) for at in range(len(y))), y=y, **more)  # type: ignore[arg-type] - any field


def svg_of(html: str) -> ET.Element:
    found = re.search(r"<svg.*?</svg>", html, re.DOTALL)
    assert found is not None
    return ET.fromstring(found[0])


def test_a_page_needs_nothing_else_and_text_stays_text() -> None:
    html = drawn(line(1.0, 2.0))
    assert "http" not in html
    assert "A &lt;plan&gt;" in html
    assert "<td>&lt;x&gt;</td>" in html
    assert "take 3" in html


def test_each_point_has_its_place() -> None:
    circles = svg_of(drawn(line(0.0, 5.0, 10.0))).iter("circle")
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in circles]
    assert len(dots) == 3
    assert dots[0][0] < dots[1][0] < dots[2][0]
    assert dots[0][1] > dots[1][1] > dots[2][1]
    assert dots[0][1] - dots[1][1] == dots[1][1] - dots[2][1]


def test_on_an_axis_of_factors_equal_factors_are_equal_steps_and_nothing_has_no_place() -> None:
    dots = [float(dot.attrib["cy"]) for dot in svg_of(drawn(line(1e-9, 1e-6, 1e-3, 0.0), is_log=True)).iter("circle")]
    assert len(dots) == 3
    assert abs((dots[0] - dots[1]) - (dots[1] - dots[2])) < 0.2


def test_a_flat_curve_and_a_lonely_point_are_drawn() -> None:
    assert len(list(svg_of(drawn(line(3.0, 3.0))).iter("circle"))) == 2
    assert len(list(svg_of(drawn(line(3.0), is_log=True)).iter("circle"))) == 1


def test_what_is_compared_with_is_dashed() -> None:
    (curve,) = svg_of(drawn(line(1.0, 2.0, is_reference=True))).iter("polyline")
    assert "stroke-dasharray" in curve.attrib
