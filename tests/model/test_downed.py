"""The nodes that have gone down with an element: which word of them counts, and what people are told."""

from hypothesis import given

from roost.model.downed import Downed, has_failed, in_words, is_suspect, joined, weight, why_failed
from roost.model.ids import NodeId
from roost.model.limits import DOWNED_MAX
from tests.strategies import downed

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")


def test_more_names_weigh_more_and_innocence_the_most() -> None:
    lists: list[Downed] = [(), (OAK,), (ASH, ELM), (ASH, OAK), (ASH, ELM, OAK), None]
    assert sorted(lists, key=weight) == lists


@given(downed, downed)
def test_both_lists_are_in_what_is_joined_whoever_is_first(one: Downed, other: Downed) -> None:
    both = joined(one, other)
    assert both == joined(other, one)
    assert both is None or both == tuple(sorted({*(one or ()), *(other or ())}))
    assert (both is None) == (one is None or other is None)


def test_what_is_joined_is_bounded() -> None:
    many = tuple(NodeId(f"n{at:03}") for at in range(DOWNED_MAX))
    assert len(joined(many, (NodeId("zed"),)) or ()) == DOWNED_MAX


def test_the_last_but_one_makes_a_suspect_and_the_last_a_failure() -> None:
    assert [is_suspect(names) for names in ((), (ASH,), (ASH, ELM), (ASH, ELM, OAK), None)] == [
        *(False, False, True, True, False)
    ]
    assert [has_failed(names) for names in ((ASH, ELM), (ASH, ELM, OAK), None)] == [False, True, False]


def test_people_read_which_nodes_and_what_to_do() -> None:
    assert why_failed((ASH, ELM, OAK)) == ("it has taken down ash, elm and oak within 30 s of its start")
    assert in_words((ASH,)) == "its node died when it had just begun: ash; 2 more and it has failed"
    assert in_words((ASH, ELM)) == "its nodes died when it had just begun: ash, elm; one more and it has failed"
