"""What policies see."""

from collections.abc import Iterator
from typing import get_type_hints

import pytest
from msgspec.structs import replace

from roost.lab.what_if.board import Board
from roost.lab.what_if.lives import Lived
from roost.lab.what_if.nodes import Node
from roost.lab.what_if.views import Learnt, Living, PlainCandidate, PlainView, Running
from roost.model.ids import NodeId
from roost.model.online import NEVER_ONLINE
from roost.model.ranges import RangeSet
from roost.model.task import Needs
from roost.policy import choose
from roost.policy.choose import Candidate, Underway, View
from roost.policy.company import company_of
from tests.lab.what_if.asking import array, machines

ASH, ELM = NodeId("ash"), NodeId("elm")


def view(*, lanes: int = 2, speed: float = 2.0, names: tuple[NodeId, ...] = (ASH, ELM), policy: str = "") -> PlainView:
    (machine,) = machines(f"1 x lanes={lanes} speed={speed}")
    node = Node(0, machine, Lived(NEVER_ONLINE, 0.0, iter(())))
    node.name = ASH
    board = Board([array("a", *[8.0] * 10), array("b", 1.0)])
    for entry in board.entries:
        board.add(entry.at, entry.elements, 0.0)
    living = Living(names, {}, company_of([], len(names)), lambda _, needs: needs.cpus <= 1.0)

    def elsewhere(own: PlainView) -> Iterator[Underway]:
        yield Running(own, board.entries[0], 3, ELM, 4.0, 1)

    return PlainView(
        node.own,
        7.0,
        board.first(0.0),
        living,
        policy=policy,
        window_s=0.1,
        maker_of=lambda _: ELM,
        elsewhere=elsewhere,
    )


@pytest.mark.parametrize(
    ("port", "value"),
    [(View, view()), (Candidate, next(iter(view().queue))), (Underway, next(view().elsewhere))],
)
def test_everything_that_the_port_names_is_there(port: type, value: object) -> None:
    names = [name for name in vars(port) if not name.startswith("_")]
    assert len(names) > 5
    assert [name for name in names if not hasattr(value, name)] == []
    assert get_type_hints(choose.View.node.fget)["return"] is NodeId


def test_a_candidate_is_as_long_as_was_learnt_there_else_as_was_stated() -> None:
    learnt, task = Learnt(2.0), array("a", 8.0)
    unstated, stated = Board([task, replace(task, stated_s=8.0)]).entries
    assert (learnt.length_s(unstated), learnt.length_s(stated)) == (None, 4.0)
    learnt.learn(stated.at, 5.0)
    assert (learnt.length_s(stated), learnt.seen(stated.at)) == (5.0, 1)


def test_lanes_are_those_that_are_free_for_what_a_task_needs() -> None:
    one = view(lanes=4)
    candidate = next(iter(one.queue))
    assert (candidate.free_lanes, candidate.hungry_lanes, candidate.size) == (4, 4, 4)
    assert one.lanes_for(Needs.of(3.0)) == 1
    assert one.lanes_for(Needs.of(5.0)) == 0


def test_who_is_the_only_one_that_lives_is_alone() -> None:
    assert (view().alone, view().others) == (False, [ELM])
    assert view(names=(ASH,)).alone


def test_a_policy_that_people_name_is_that_of_all_tasks() -> None:
    assert (view().policies, next(iter(view().queue)).policy) == ((), "")
    named = view(policy="bfgc")
    assert (named.policies, next(iter(named.queue)).policy) == (("bfgc",), "bfgc")


def test_whether_others_could_run_it_is_seen_by_what_they_offer() -> None:
    candidate = next(iter(view().queue))
    assert isinstance(candidate, PlainCandidate)
    assert candidate.fits(ELM)
    assert not candidate.only_here
    assert candidate.maker == ELM
    assert candidate.ready == RangeSet.span(0, 10)
