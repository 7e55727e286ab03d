"""A view that shows what another one shows."""

from roost.model.ids import TaskId
from roost.model.online import OnlineLog, Stretch
from roost.model.ranges import RangeSet
from roost.model.vitals import Condition, NodeState, Sign
from roost.policy.choose import Neighbour, View
from roost.policy.company import Ability
from roost.policy.reliability import UNKNOWN
from roost.policy.view_of import ViewOf
from tests.policy.plain_view import ASH, OAK, PlainCandidate, PlainUnderway, PlainView

A = TaskId("5-kedova/a")
ONE = RangeSet.span(0, 1)


def test_all_that_a_view_shows_is_shown() -> None:
    shown = PlainView(
        queue=[PlainCandidate(A, ONE)],
        node=OAK,
        now=7.0,
        online=OnlineLog((Stretch(1.0, 2.0),)),
        online_since=3.0,
        speed=2.0,
        abilities={ASH: Ability(UNKNOWN, 3.0)},
        finished=4,
        aborted=5,
        others=(ASH,),
        alone=True,
        condition=Condition(NodeState.STABLE, Sign.LINK, 45),
        supers=(ASH,),
        states={ASH: NodeState.UNSTABLE},
        attempting=2,
        is_settled=False,
        window_s=0.5,
        rank=6,
        abstained=7,
        performance=8,
        neighbours=[Neighbour(ASH, 9, 0.5)],
        handed=[PlainCandidate(A, ONE)],
        policies=("ec",),
        may_bid=False,
        elsewhere=[PlainUnderway(A, ONE, running_s=1.0)],
        lacking=[PlainUnderway(A, ONE, wanted=1)],
    )
    same = ViewOf(shown)
    names = [name for name in dir(View) if not name.startswith("_") and name != "state_of"]
    assert len(names) >= 22
    plain = PlainView(queue=())
    for name in names:
        assert getattr(same, name) == getattr(shown, name), name
        assert getattr(shown, name) != getattr(plain, name), f"{name} says nothing if it is as in every view"
    assert [same.state_of(node) for node in (ASH, OAK)] == [NodeState.UNSTABLE, NodeState.VERY_STABLE]
