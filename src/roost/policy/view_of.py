"""A view of a view: what another one shows, for policies that show a part of it to those that they wrap."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from roost.model.ids import NodeId
from roost.model.online import OnlineLog
from roost.model.vitals import Condition, NodeState
from roost.policy.choose import Candidate, Neighbour, Queue, Underway, View
from roost.policy.company import Ability, Company


class ViewOf:
    """Shows all that ``view`` shows; whoever shows less overrides that."""

    def __init__(self, view: View) -> None:
        self._view = view

    @property
    def node(self) -> NodeId:
        return self._view.node

    @property
    def now(self) -> float:
        return self._view.now

    @property
    def online(self) -> OnlineLog:
        return self._view.online

    @property
    def online_since(self) -> float:
        return self._view.online_since

    @property
    def speed(self) -> float:
        return self._view.speed

    @property
    def abilities(self) -> Mapping[NodeId, Ability]:
        return self._view.abilities

    @property
    def company(self) -> Company:
        return self._view.company

    @property
    def finished(self) -> int:
        return self._view.finished

    @property
    def aborted(self) -> int:
        return self._view.aborted

    @property
    def others(self) -> Sequence[NodeId]:
        return self._view.others

    @property
    def alone(self) -> bool:
        return self._view.alone

    @property
    def is_settled(self) -> bool:
        return self._view.is_settled

    @property
    def window_s(self) -> float:
        return self._view.window_s

    @property
    def rank(self) -> int:
        return self._view.rank

    @property
    def abstained(self) -> int:
        return self._view.abstained

    @property
    def condition(self) -> Condition:
        return self._view.condition

    @property
    def supers(self) -> Sequence[NodeId]:
        return self._view.supers

    @property
    def any_unstable(self) -> bool:
        return self._view.any_unstable

    def state_of(self, node: NodeId) -> NodeState:
        return self._view.state_of(node)

    @property
    def attempting(self) -> int:
        return self._view.attempting

    @property
    def performance(self) -> int:
        return self._view.performance

    @property
    def neighbours(self) -> Sequence[Neighbour]:
        return self._view.neighbours

    @property
    def policies(self) -> Collection[str]:
        return self._view.policies

    @property
    def queue(self) -> Queue:
        return self._view.queue

    @property
    def handed(self) -> Sequence[Candidate]:
        return self._view.handed

    @property
    def elsewhere(self) -> Iterable[Underway]:
        return self._view.elsewhere

    @property
    def begun_elsewhere(self) -> Iterable[Underway]:
        return self._view.begun_elsewhere

    @property
    def lacking(self) -> Iterable[Underway]:
        return self._view.lacking

    @property
    def may_bid(self) -> bool:
        return self._view.may_bid
