"""Every kind of mistake has its sentence, whatever language the workflow is written in."""

import pytest

from roost.languages.checking import check_outline
from roost.languages.outline import Outline, OutlineLink, OutlineNode, OutlinePort
from roost.languages.problems import Problems
from roost.model.errors import InvalidInput
from tests.growth import assert_linear


def node(name: str, line: int, *ports: str, gives: str = "", kind: str = "job") -> OutlineNode:
    """Make a node whose ports are written as ``a`` or ``a:Number``."""
    parts = [port.partition(":") for port in ports]
    return OutlineNode(name, kind, line, "", tuple(OutlinePort(port, of) for port, _, of in parts), gives)


def link(source: str, target: str, line: int, port: str = "", *, kind: str = "each", pick: str = "") -> OutlineLink:
    return OutlineLink(source, target, port, kind, line, pick)


def outline(nodes: list[OutlineNode], links: list[OutlineLink], *final: str) -> Outline:
    return Outline("w", tuple(nodes), tuple(links), final, final_line=99)


def found(checked: Outline) -> tuple[list[str], list[str]]:
    """Return the problems and the warnings."""
    problems = Problems("w")
    check_outline(checked, problems)
    try:
        problems.stop_if_any()
    except InvalidInput as error:
        return str(error).splitlines(), problems.warnings
    return [], problems.warnings


ONE, TWO = node("one", 1, gives="Number"), node("two", 2, "a:Number", "b:Number", gives="String")


def test_a_sound_workflow_has_neither_problems_nor_warnings() -> None:
    links = [link("one", "two", 3, "a"), link("one", "two", 4, "b")]
    assert found(outline([ONE, TWO], links, "two")) == ([], [])


def test_an_edge_to_the_only_port_need_not_name_it() -> None:
    assert found(outline([ONE, node("two", 2, "a:Number")], [link("one", "two", 3)], "two")) == ([], [])


def test_an_edge_that_only_waits_needs_no_port() -> None:
    assert found(outline([ONE, node("two", 2)], [link("one", "two", 3, kind="after")], "two")) == ([], [])


@pytest.mark.parametrize(
    ("links", "sentence"),
    [
        (
            [link("onne", "two", 3, "a"), link("one", "two", 4, "b")],
            "w:3: the edge to 'two' names 'onne', which is not in this file; did you mean 'one'?",
        ),
        (
            [link("one", "two", 3, "a"), link("one", "two", 4, "b"), link("one", "elsewhere", 5)],
            "w:5: the edge from 'one' names 'elsewhere', which is not in this file; add it, or name one that is",
        ),
        ([link("one", "two", 3, "a")], "w:2: port 'b' of 'two' gets nothing; add an edge to it"),
        (
            [link("one", "two", 3, "a"), link("one", "two", 4)],
            "w:4: the edge from 'one' does not say which port of 'two' it leads to; name one of 'a', 'b'",
        ),
        (
            [link("one", "two", 3, "a"), link("one", "two", 4, "c")],
            "w:4: the edge from 'one' leads to port 'c', which 'two' does not have; it has 'a', 'b'",
        ),
        (
            [link("one", "two", 3, "a"), link("one", "two", 4, "b"), link("two", "one", 5)],
            "w:5: the edge from 'two' leads to 'one', which takes nothing; remove the edge, or give it a port",
        ),
    ],
)
def test_an_edge_that_leads_nowhere_or_twice_is_told(links: list[OutlineLink], sentence: str) -> None:
    assert sentence in found(outline([ONE, TWO], links, "two"))[0]


def test_a_port_that_is_filled_twice_is_told_with_both_edges() -> None:
    links = [link("one", "two", 3, "a"), link("one", "two", 4, "b"), link("one", "two", 5, "b")]
    assert found(outline([ONE, TWO], links, "two"))[0] == [
        (
            "w:5: port 'b' of 'two' gets the result of 'one', but line 4 fills it already with that of 'one'; "
            "remove one of the edges"
        )
    ]


def test_a_misspelt_port_is_told_once_and_the_right_one_offered() -> None:
    target = node("two", 2, "first", "second")
    links = [link("one", "two", 3, "first"), link("one", "two", 4, "secnd")]
    assert found(outline([ONE, target], links, "two"))[0] == [
        "w:4: the edge from 'one' leads to port 'secnd', which 'two' does not have; did you mean 'second'?"
    ]


def test_an_unknown_final_node_is_told_where_it_is_named() -> None:
    assert found(outline([ONE], [], "oen"))[0] == [
        "w:99: the final node 'oen' is not in this file; did you mean 'one'?"
    ]


def test_a_name_that_is_taken_is_told_with_both_lines() -> None:
    assert found(outline([ONE, node("one", 7)], [], "one"))[0] == [
        "w:7: the name 'one' is taken on line 1; rename one of the two"
    ]


@pytest.mark.parametrize(
    ("gives", "port", "kind", "pick", "sentence"),
    [
        ("Number", "a:Number", "each", "", ""),
        ("", "a:Number", "each", "", ""),
        ("String", "a", "broadcast", "", ""),
        ("Object", "a:Number", "each", "size", ""),
        ("Number", "a:Array", "all", "", ""),
        ("Array", "a:Number", "spread", "", ""),
        (
            "String",
            "a:Number",
            "each",
            "",
            "w:3: 's' gives String, but port 'a' of 't' takes Number; make the two types the same",
        ),
        (
            "Number",
            "a:Number",
            "all",
            "",
            "w:3: 's' gives Array, but port 'a' of 't' takes Number; make the two types the same",
        ),
        (
            "Number",
            "a:Number",
            "spread",
            "",
            "w:3: 't' takes the items of what 's' gives, but that is Number; only an Array has items",
        ),
    ],
)
def test_what_arrives_must_be_what_the_port_takes(gives: str, port: str, kind: str, pick: str, sentence: str) -> None:
    nodes = [node("s", 1, gives=gives), node("t", 2, port)]
    told = found(outline(nodes, [link("s", "t", 3, "a", kind=kind, pick=pick)], "t"))[0]
    assert told == ([sentence] if sentence else [])


def test_a_circle_is_told_with_its_names_in_the_order_of_the_edges() -> None:
    nodes = [node(name, line, "a") for line, name in enumerate("abcd", start=1)]
    links = [link("a", "b", 11), link("b", "c", 12), link("c", "a", 13), link("c", "d", 14)]
    assert found(outline(nodes, links, "d"))[0] == [
        "w:11: these nodes wait for each other in a circle: a -> b -> c -> a; remove one of these edges"
    ]


def test_each_circle_is_told_and_a_long_one_is_cut() -> None:
    names = [f"n{number}" for number in range(20)]
    nodes = [node(name, 1, "a") for name in [*names, "self"]]
    links = [link(source, target, 5) for source, target in zip(names, [*names[1:], names[0]], strict=True)]
    told = found(outline(nodes, [*links, link("self", "self", 6)], "n0", "self"))[0]
    assert len(told) == 2
    assert "n0 -> n1" in told[0]
    assert "13 more" in told[0]
    assert "circle: self -> self;" in told[1]


def test_nodes_that_lead_to_no_result_are_untidy() -> None:
    nodes = [ONE, node("two", 2, "a"), node("lost", 5), node("more", 6, "a")]
    checked = outline(nodes, [link("one", "two", 3), link("lost", "more", 7)], "two")
    assert found(checked) == (
        [],
        [
            "w:5: no result of this workflow depends on 'lost', 'more'; connect or remove them",
        ],
    )


def test_without_a_final_node_nothing_is_in_vain() -> None:
    assert found(outline([ONE, node("lost", 5)], [])) == ([], [])


def test_a_hundred_thousand_nodes_are_checked_in_linear_time_right_or_wrong() -> None:
    def check(count: int) -> None:
        nodes = [node(f"node{number}", number, *(["a"] if number else [])) for number in range(count)]
        chain = [link(f"node{number}", f"node{number + 1}", number) for number in range(count - 1)]
        wrong = [link(f"nod{number}", f"node{number + 1}", number) for number in range(count - 1)]
        assert found(outline(nodes, chain, f"node{count - 1}")) == ([], [])
        assert len(found(outline(nodes, wrong, "node1"))[0]) == 6

    assert_linear(check, 100_000)
