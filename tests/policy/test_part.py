"""What a policy that wraps others shows to them."""

from typing import Any

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import ONE
from roost.policy.choose import Neighbour, View
from roost.policy.part import Part
from tests.policy.plain_view import PlainCandidate, PlainUnderway, PlainView

ELM = NodeId("elm")
A = TaskId("5-kedova/a")


def asked(view: View) -> dict[str, Any]:
    names = (name for name in dir(View) if not name.startswith("_"))
    return {name: getattr(view, name) for name in names}


def test_it_is_the_whole_view() -> None:
    """Every value differs from what a view says if nothing is known, so that none is forgotten."""
    whole = PlainView(
        queue=[PlainCandidate(A, ONE)],
        node=ELM,
        now=5.0,
        online_since=1.0,
        finished=3,
        aborted=2,
        others=(ELM,),
        alone=True,
        is_settled=False,
        window_s=0.2,
        rank=4,
        abstained=6,
        performance=7,
        neighbours=[Neighbour(ELM, 8, 0.5)],
        handed=[PlainCandidate(A, ONE)],
        policies=("ec",),
        may_bid=False,
        elsewhere=[PlainUnderway(A, ONE)],
        lacking=[PlainUnderway(A, ONE)],
    )
    assert asked(Part(whole)) == asked(whole)
    assert asked(whole).keys() >= {"queue", "neighbours", "lacking"}
