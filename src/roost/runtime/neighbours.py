"""The nodes of the cluster as one of them sees them, for people."""

from collections.abc import Mapping

from roost.core.mesh.membership.members import Member
from roost.core.mesh.mesh import Mesh
from roost.core.node import Node
from roost.core.staying import reliability_told
from roost.core.telling.network_views import NodeView, Offered, ReliabilityView
from roost.model.ids import NodeId
from roost.model.limits import PERFORMANCE_MAX
from roost.model.vitals import SOUND, role_of
from roost.policy.node_state import why_so
from roost.runtime.network.network import Network
from roost.wire.messages import Standing


def node_views(node: Node, network: Network | None) -> list[NodeView]:
    """Return this node first, then the others by name, those that are gone last."""
    mesh = node.medium
    if not isinstance(mesh, Mesh) or network is None:
        return [_own_view(node, "", None, coordinator=False)]
    claim = mesh.election.claim
    coordinator = None if claim is None else claim.node
    known = sorted(mesh.members.members(), key=lambda member: not member.lives)
    gossip = mesh.performance_gossip
    others = [_view(member, network, gossip.known, coordinator=member.node == coordinator) for member in known]
    return [_own_view(node, network.address, gossip.own, coordinator=node.name == coordinator), *others]


def _own_view(node: Node, address: str, performance: int | None, *, coordinator: bool) -> NodeView:
    lanes, leases = node.queue.lanes, len(node.queue.leases.in_hand())
    return NodeView(
        node.name,
        address,
        Standing.ALIVE,
        0.0 if node.draining.on else lanes.free.cpus,
        Offered.of(lanes.capacity),
        leases,
        0.0,
        coordinator=coordinator,
        draining=node.draining.on,
        reliability=ReliabilityView.of(node.staying.reliability),
        performance=_share(performance),
        state=node.condition.state.label,
        role=role_of(node.condition.state),
        why=why_so(node.condition),
        attributes=lanes.capacity.attributes,
    )


def _view(member: Member, network: Network, performances: Mapping[NodeId, int], *, coordinator: bool) -> NodeView:
    """What is finished and only waits to be accepted is in a heartbeat, too; it is no work any more."""
    beat = member.heartbeat
    told = None if beat is None or beat.stay is None else reliability_told(beat.stay)
    condition = None if beat is None else beat.condition or SOUND
    return NodeView(
        member.node,
        network.address_of(member.node),
        member.standing,
        0.0 if beat is None else beat.free_cpus,
        None if beat is None else Offered.of(beat.offers),
        0 if beat is None or not member.lives else sum(lease.fraction < 1 for lease in beat.leases),
        network.seen_s_ago(member.node),
        coordinator=coordinator,
        draining=member.lives and beat is not None and beat.draining,
        reliability=None if told is None else ReliabilityView.of(told),
        performance=_share(performances.get(member.node)) if member.lives else None,
        state=None if condition is None else condition.state.label,
        role=None if condition is None else role_of(condition.state),
        why=None if condition is None else why_so(condition),
        attributes={} if beat is None else beat.offers.attributes,
    )


def _share(performance: int | None) -> float | None:
    return None if performance is None else performance / PERFORMANCE_MAX
