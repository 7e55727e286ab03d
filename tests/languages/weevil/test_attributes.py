import pytest

from roost.languages.outline import TYPES
from roost.languages.problems import Problems
from roost.languages.weevil.attributes import Attributes
from roost.languages.xml_tree import Element
from roost.model.errors import InvalidInput

KNOWN = dict.fromkeys(("id", "source", "dest", "paramdest", "paramtype"))


class Edge:
    """The attributes of one edge, and what is told of them."""

    def __init__(self, **texts: str) -> None:
        self.problems = Problems("w")
        self.said = Attributes(Element("edge", texts, 7), KNOWN, self.problems)

    def told(self) -> str:
        with pytest.raises(InvalidInput) as caught:
            self.problems.stop_if_any()
        return str(caught.value)


def test_blanks_around_a_value_are_forgiven_and_kept_where_they_matter() -> None:
    edge = Edge(id=" e1 ", source="\n a\t")
    assert (edge.said.text("id"), edge.said.required("source"), edge.said.raw("id")) == ("e1", "a", " e1 ")
    assert "dest" not in edge.said
    assert not edge.problems


def test_what_is_missing_or_empty_is_told() -> None:
    edge = Edge(id="e1", dest=" ")
    assert (edge.said.required("source"), edge.said.required("dest")) == ("", "")
    assert edge.told() == (
        "w:7: <edge> 'e1' has an empty 'dest'; write dest=\"...\"\n"
        "w:7: <edge> 'e1' has no 'source'; write source=\"...\""
    )


def test_an_element_without_an_id_is_named_by_its_tag() -> None:
    edge = Edge(dest="b")
    edge.said.required("source")
    assert edge.told() == "w:7: <edge> has no 'source'; write source=\"...\""


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("target", "dest"),
        ("from", "source"),
        ("port", "paramdest"),
        ("sorce", "source"),
        ("dset", "dest"),
        ("dests", "dest"),
    ],
)
def test_a_misspelt_attribute_is_told_once_with_what_was_meant(wrong: str, meant: str) -> None:
    edge = Edge(id="e1", **{wrong: "x"})
    assert edge.said.required(meant) == ""
    assert edge.told() == f"w:7: <edge> 'e1' has '{wrong}', which is not known there; write '{meant}'"


def test_capital_letters_are_forgiven_with_a_warning() -> None:
    edge = Edge(id="e1", paramDest="a")
    assert edge.said.text("paramdest") == "a"
    assert edge.problems.warnings == ["w:7: 'paramDest' of <edge> 'e1' is taken for 'paramdest'; write 'paramdest'"]


def test_an_attribute_of_another_world_is_ignored_with_a_warning() -> None:
    edge = Edge(id="e1", colour="red")
    assert edge.problems.warnings == ["w:7: 'colour' of <edge> 'e1' means nothing here and is ignored"]
    assert not edge.problems


@pytest.mark.parametrize("kind", TYPES)
def test_all_types_are_known_also_in_other_letters(kind: str) -> None:
    assert Edge(paramtype=f" {kind} ").said.type("paramtype") == kind
    edge = Edge(id="e1", paramtype=kind.upper())
    assert edge.said.type("paramtype") == kind
    assert edge.problems.warnings == [f"w:7: '{kind.upper()}' of <edge> 'e1' is taken for {kind}; write '{kind}'"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [("int", "write 'Number'"), ("list", "write 'Array'"), ("Thing", f"use one of {', '.join(TYPES)}")],
)
def test_a_type_that_is_none_is_told(text: str, hint: str) -> None:
    edge = Edge(id="e1", paramtype=text)
    assert edge.said.type("paramtype") == ""
    assert edge.told() == f"w:7: '{text}' of <edge> 'e1' is not a type; {hint}"


def test_a_type_that_is_missing_is_a_warning() -> None:
    edge = Edge(id="e1")
    assert edge.said.type("paramtype") == ""
    assert edge.problems.warnings == ["w:7: <edge> 'e1' has no 'paramtype', so that its type cannot be checked; add it"]
