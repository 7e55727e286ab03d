"""Looking at the nodes of the cluster, and at how they find each other."""

from roost.app.web.answers import NodeList
from roost.app.web.calls import Call
from roost.app.web.requests import Nothing


async def list_nodes(call: Call[Nothing, Nothing]) -> NodeList:
    return NodeList(call.service.nodes(), call.service.network())
