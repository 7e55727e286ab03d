"""How nodes fit together, with the ids as they stand in the document. The sentences in general are the checker's."""

import pytest

from tests.languages.weevil.documents import SOUND, Folder, changed

E1 = '<edge id="e1" source="one" dest="sum" paramdest="a" />'
E3 = '<edge id="e3" source="list" dest="pool" paramdest="items" />'


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (E1, "", "w.xml:8: port 'a' of 'sum' gets nothing; add an edge to it"),
        (
            E1,
            E1.replace("one", "none"),
            "w.xml:29: the edge to 'sum' names 'none', which is not in this file; did you mean 'one'?",
        ),
        (
            E1,
            E1.replace(' paramdest="a"', ""),
            "w.xml:29: the edge from 'one' does not say which port of 'sum' it leads to; name one of 'a', 'b'",
        ),
        (
            E1,
            E1.replace('"a"', '"c"'),
            "w.xml:29: the edge from 'one' leads to port 'c', which 'sum' does not have; it has 'a', 'b'",
        ),
        (
            E1,
            E1 + E1,
            (
                "w.xml:29: port 'a' of 'sum' gets the result of 'one', but line 29 fills it already with that of "
                "'one'; remove one of the edges"
            ),
        ),
        (
            E1,
            E1.replace("one", "list"),
            "w.xml:29: 'list' gives Array, but port 'a' of 'sum' takes Number; make the two types the same",
        ),
        (E1, E1.replace('source="one"', 'source="sum"'), "circle"),
        (
            E3,
            E3.replace("list", "one"),
            "w.xml:31: 'one' gives Number, but port 'items' of 'pool' takes Array; make the two types the same",
        ),
        (E3, E3.replace('"pool"', '"square"'), "w.xml:31: 'square' is inside the pool 'pool'; name the pool instead"),
        (E1, E1.replace("one", "total"), "w.xml:29: 'total' is inside the pool 'pool'; name the pool instead"),
        (
            '<finalnode id="pool" />',
            '<finalnode id="total" />',
            "w.xml:34: 'total' is inside the pool 'pool'; name the pool instead",
        ),
        (
            '<finalnode id="pool" />',
            '<finalnode id="pol" />',
            "w.xml:34: the final node 'pol' is not in this file; did you mean 'pool'?",
        ),
        ('<value id="two"', '<value id="one"', "w.xml:4: the name 'one' is taken on line 3; rename one of the two"),
        (
            E3,
            '<edge source="list" dest="pool"/><edge source="pool" dest="two"/>',
            "w.xml:31: the edge from 'pool' leads to 'two', which takes nothing; remove the edge, or give it a port",
        ),
        (
            "[1, 2, 3]",
            "[1, 'two', 3]",
            (
                "w.xml:31: item 2 of 'list' is of type String, but the processor of 'pool' takes Number; "
                "correct the item, or change the paramtype"
            ),
        ),
    ],
)
def test_what_does_not_fit_is_told(folder: Folder, old: str, new: str, sentence: str) -> None:
    told = folder.told(changed(old, new))
    if sentence == "circle":
        assert told == ["w.xml:29: these nodes wait for each other in a circle: sum -> sum; remove one of these edges"]
    else:
        assert sentence in told


def test_a_circle_is_told_with_the_ids_of_the_document(folder: Folder) -> None:
    job = '<job id="{}" src="square"><parameters><parameter id="x"/></parameters></job>'
    nodes = "".join(job.format(name) for name in "abc")
    edges = "\n".join(f'<edge source="{one}" dest="{other}"/>' for one, other in ("ab", "bc", "ca"))
    told = folder.told(f"<workflow><nodes>{nodes}</nodes>\n<edges>\n{edges}\n</edges><finalnode id='c'/></workflow>")
    assert told == ["w.xml:3: these nodes wait for each other in a circle: a -> b -> c -> a; remove one of these edges"]


def test_nodes_that_lead_to_no_final_node_are_a_warning(folder: Folder) -> None:
    assert folder.warned(changed('<finalnode id="pool" />', "")) == [
        "w.xml:5: no result of this workflow depends on 'list', 'pool'; connect or remove them"
    ]


def test_the_id_of_a_node_may_also_be_that_of_something_inside_a_pool(folder: Folder) -> None:
    document = SOUND.replace('"total"', '"sum"').replace('src="sum"', 'src="total"')
    assert folder.read(document).submission == folder.read(SOUND).submission
