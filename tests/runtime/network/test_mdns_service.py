"""One announcement by real mDNS on this machine, in one loop."""

import asyncio

from roost.model.ids import NodeId
from roost.runtime.network.interfaces import Endpoint
from roost.runtime.network.mdns_service import MdnsService
from roost.wire.trust.cluster_keys import ClusterId
from tests.runtime.driving import until
from tests.runtime.networking import run, some_port

OURS = ClusterId("abcd")


def test_it_finds_another_and_can_be_opened_again_after_it_was_closed() -> None:
    async def scenario() -> None:
        found: list[Endpoint] = []
        port = some_port()
        ash = MdnsService(NodeId("ash"), ("127.0.0.1", port), OURS, found.append)
        elm = MdnsService(NodeId("elm"), ("127.0.0.1", port + 1), OURS, lambda _: None)
        await asyncio.gather(ash.open(), elm.open())
        await until(lambda: found == [("127.0.0.1", port + 1)])
        await ash.close()
        found.clear()
        await ash.open()
        await until(lambda: found == [("127.0.0.1", port + 1)])
        await asyncio.gather(ash.close(), elm.close())

    run(scenario())
