"""Figures as Plotly's data and layout."""

import pytest

from roost.lab.figure import Axis, Figure, Kind, Panel, Series
from roost.lab.reporting.plots import COLOURS, plot_of

X, Y, Z = Axis("time"), Axis("speed"), Axis("height", is_log=True, span=(1.0, 1000.0))


def line(name: str, kind: Kind = "line", **more: bool) -> Series:
    return Series(name=name, kind=kind, x=(1.0, 2.0), y=(3.0, 4.0), **more)  # type: ignore[arg-type]


def panel(*series: Series, title: str = "") -> Panel:
    return Panel(title=title, x=X, y=Y, series=series)


def test_panels_stand_in_a_grid_from_the_top_left_and_do_not_overlap() -> None:
    figure = Figure(title="f", columns=2, panels=tuple(panel(line("a"), title=str(at)) for at in range(3)))
    layout = plot_of(figure)["layout"]
    boxes = [(layout[f"xaxis{n}"]["domain"], layout[f"yaxis{n}"]["domain"]) for n in ("", "2", "3")]
    (first_x, first_y), (second_x, second_y), (third_x, third_y) = boxes
    assert first_x[1] < second_x[0]
    assert first_y == second_y
    assert third_y[1] < first_y[0]
    assert third_x == first_x
    assert first_y[1] == second_x[1] == 1.0
    assert [note["text"] for note in layout["annotations"]] == ["0", "1", "2"]


def test_what_all_axes_are_called_stands_at_the_left_and_at_the_bottom_only() -> None:
    figure = Figure(title="f", columns=2, panels=tuple(panel(line("a")) for _ in range(4)))
    layout = plot_of(figure)["layout"]
    titles = [(layout[f"xaxis{n}"]["title"]["text"], layout[f"yaxis{n}"]["title"]["text"]) for n in ("", "2", "3", "4")]
    assert titles == [("", "speed"), ("", ""), ("time", "speed"), ("time", "")]


def test_axes_of_different_names_keep_them() -> None:
    other = Panel(x=X, y=Axis("weight"), series=(line("a"),))
    layout = plot_of(Figure(title="f", columns=2, panels=(panel(line("a")), other)))["layout"]
    assert [layout[f"yaxis{n}"]["title"]["text"] for n in ("", "2")] == ["speed", "weight"]


def test_a_name_has_one_colour_and_stands_in_the_legend_once() -> None:
    figure = Figure(title="f", panels=(panel(line("a"), line("b")), panel(line("b"), line("c"))))
    drawn = plot_of(figure)
    told = [(trace["name"], trace["line"]["color"], trace["showlegend"]) for trace in drawn["data"]]
    assert told == [
        ("a", COLOURS[0], True),
        ("b", COLOURS[1], True),
        ("b", COLOURS[1], False),
        ("c", COLOURS[2], True),
    ]
    assert drawn["layout"]["showlegend"]


def test_what_is_given_to_compare_with_is_dashed_and_takes_no_colour() -> None:
    figure = Figure(title="f", panels=(panel(line("ideal", is_reference=True), line("a")),))
    ideal, own = plot_of(figure)["data"]
    assert ideal["line"]["dash"] == "dash"
    assert ideal["line"]["color"] not in COLOURS
    assert own["line"]["color"] == COLOURS[0]


@pytest.mark.parametrize(
    ("kind", "type_of", "mode"),
    [
        ("line", "scatter", "lines"),
        ("points", "scatter", "markers"),
        ("line and points", "scatter", "lines+markers"),
        ("bars", "bar", None),
        ("stacked bars", "bar", None),
    ],
)
def test_kinds_are_drawn_as_what_they_are(kind: Kind, type_of: str, mode: str | None) -> None:
    drawn = plot_of(Figure(title="f", panels=(panel(line("a", kind)),)))
    assert (drawn["data"][0]["type"], drawn["data"][0].get("mode")) == (type_of, mode)
    assert drawn["layout"]["barmode"] == ("stack" if kind == "stacked bars" else "group")


def test_a_box_has_its_whole_sample_at_one_place() -> None:
    box = Series(name="a", kind="box", x=(0.5,), y=(1.0, 2.0, 9.0))
    (drawn,) = plot_of(Figure(title="f", panels=(panel(box),)))["data"]
    assert (drawn["type"], drawn["x"], drawn["y"]) == ("box", (0.5, 0.5, 0.5), (1.0, 2.0, 9.0))


def test_a_surface_has_three_axes_of_its_own() -> None:
    surface = Series(name="a", kind="surface", x=(1.0, 2.0), y=(1.0, 2.0), z=((1.0, 2.0), (3.0, 4.0)))
    solid = Panel(x=X, y=Y, z=Z, series=(surface,))
    drawn = plot_of(Figure(title="f", panels=(solid, solid), columns=2))
    assert [trace["scene"] for trace in drawn["data"]] == ["scene", "scene2"]
    assert drawn["layout"]["scene"]["zaxis"] == {"title": {"text": "height"}, "type": "log", "range": [0.0, 3.0]}
    assert drawn["layout"]["scene"]["domain"]["x"][1] < drawn["layout"]["scene2"]["domain"]["x"][0]


def test_errors_are_drawn_around_their_points() -> None:
    series = Series(name="a", kind="line", x=(1.0,), y=(2.0,), error=(0.5,))
    (drawn,) = plot_of(Figure(title="f", panels=(panel(series),)))["data"]
    assert drawn["error_y"]["array"] == (0.5,)
