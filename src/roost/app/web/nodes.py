"""The nodes of the cluster: how they find each other, how one of them leaves, and the key that they share."""

import msgspec

from roost.api.answers import Draining, Fitting, NewKey, NodeList, Stopping
from roost.api.requests import DrainAsked, FittingAsked, KeyAsked, LeaveAsked, NodesQuery, Nothing
from roost.app.intake.submission import condition_of
from roost.app.web.calls import Call, retold
from roost.core.queue.draining import Remaining
from roost.model.errors import Unavailable
from roost.model.ids import NodeId
from roost.model.task import Needs


async def list_nodes(call: Call[NodesQuery, Nothing]) -> NodeList:
    nodes = call.service.nodes()
    if call.query.attributes:
        whole = await call.service.attributes()
        nodes = [msgspec.structs.replace(node, attributes=whole.get(node.node, node.attributes)) for node in nodes]
    return NodeList(nodes, call.service.network())


async def fit(call: Call[Nothing, FittingAsked]) -> Fitting:
    """Say of each of the needs whether a node that is here can run what has them, and else what the nearest lack."""
    needs = [Needs.of(one.cpus, one.memory_bytes, None, condition_of(one)) for one in call.body.needs]
    return Fitting([await call.service.why_nobody(one) for one in needs])


async def drain(call: Call[Nothing, DrainAsked]) -> Draining:
    return retold(call.service.drain(on=call.body.on, at_once=call.body.at_once), Draining)


async def draining(call: Call[Nothing, Nothing]) -> Draining:
    return retold(call.service.remaining(), Draining)


async def leave(call: Call[Nothing, LeaveAsked]) -> Stopping:
    remaining = call.service.remaining()
    if not call.body.force and (not remaining.may_stop or not remaining.others):
        raise Unavailable(f"this node cannot leave yet: {why_not(remaining)}; --force leaves all the same")
    call.service.leave()
    return Stopping()


async def change_key(call: Call[Nothing, KeyAsked]) -> NewKey:
    without = call.body.without
    return retold(await call.service.change_key(None if without is None else NodeId(without)), NewKey)


def why_not(remaining: Remaining) -> str:
    """Say what keeps a node from leaving without loss."""
    if not remaining.draining:
        return "it still takes work ('roost drain' ends that)"
    if remaining.running:
        return f"it still works on {remaining.running:,} leases"
    if remaining.only_here or remaining.unwritten:
        return f"{remaining.only_here + remaining.unwritten:,} things are on no other disk yet"
    return "no other node is there that stays and could go on with its work"
