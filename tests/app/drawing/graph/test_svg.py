"""Graphs as SVG."""

import time
from xml.etree import ElementTree as ET

from roost.app.drawing.graph.graph import DrawnStep, Graph, Link
from roost.app.drawing.graph.svg import svg_of
from tests.app.drawing.graph.shapes import fan_of_chains, graph, random_graph

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "</text><script>alert('x')</script>&\"<b>"


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)


def test_every_step_is_a_box_and_every_link_a_path() -> None:
    root = parsed(svg_of(graph("a > b > d", "a > c > d")))
    names = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "name"]
    assert sorted(names) == ["a", "b", "c", "d"]
    assert len([path for path in root.iter(f"{SVG}path") if (path.get("class") or "").startswith("link")]) == 4


def test_states_have_classes_signs_and_words() -> None:
    root = parsed(svg_of(Graph("run", [DrawnStep("a", "make", counts={"done": 2, "failed": 1})], [])))
    (group,) = (one for one in root.iter(f"{SVG}g") if one.get("class") == "s-failed")
    text = "".join(group.itertext())
    assert "✗ 2 of 3" in text
    assert "2 done, 1 failed" in text


def test_shapes_tell_kinds_apart() -> None:
    def boxes(kind: str) -> int:
        root = parsed(svg_of(Graph("one", [DrawnStep("a", "a", kind, "1")], [])))
        return len([rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "box"])

    assert (boxes("command"), boxes("manual")) == (1, 2)
    assert "= 1" in svg_of(Graph("one", [DrawnStep("a", "a", "value", "1")], []))
    pools = svg_of(graph("list > fit", steps=[DrawnStep("list", "list"), DrawnStep("fit", "fit", pool="list")]))
    assert 'class="pool"' in pools


def test_what_is_only_waited_for_is_a_broken_line_all_the_way() -> None:
    links = [Link("a", "b"), Link("b", "c"), Link("x", "c", bare=True)]
    picture = svg_of(Graph("run", [DrawnStep(name, name) for name in "abcx"], links))
    assert picture.count('class="link bare"') == 3
    assert picture.count('class="link"') == 2


def test_text_from_people_cannot_become_markup() -> None:
    steps = [DrawnStep("a", NASTY, "value", NASTY, NASTY), DrawnStep("b", NASTY, counts={"done": 1})]
    root = parsed(svg_of(Graph(NASTY, steps, [Link("a", "b")])))
    assert [one for one in root.iter() if one.tag.endswith("script")] == []
    assert NASTY in "".join(root.itertext())


def test_it_stands_alone() -> None:
    picture = svg_of(random_graph(1, 20))
    assert "prefers-color-scheme:dark" in picture
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
    assert "<style>" not in svg_of(random_graph(1, 20), style=False)


def test_large_graphs_are_folded_and_drawn_soon() -> None:
    begin = time.process_time()
    pictures = [svg_of(random_graph(3, 5_000, (1, 2, 3))), svg_of(fan_of_chains(1_600))]
    assert time.process_time() - begin < 8.0
    assert max(map(len, pictures)) < 200_000


def test_nothing_is_a_picture_too() -> None:
    assert parsed(svg_of(Graph("empty", [], []))).tag == f"{SVG}svg"
