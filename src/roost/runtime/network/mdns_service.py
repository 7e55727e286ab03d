"""One announcement by mDNS, and an ear for those of others. Everything here happens in one loop (mdns.py)."""

import asyncio
import importlib
import socket
from collections.abc import Callable
from typing import Any

from roost.model.ids import NodeId
from roost.model.limits import MDNS_ASKED_MAX
from roost.runtime.network.interfaces import Endpoint
from roost.wire.trust.cluster_keys import ClusterId

SERVICE = "_roost._udp.local."
#: How long an announced node may take to say where it is.
ASK_MS = 3_000
#: How long the goodbye may take.
CLOSE_S = 2.0

_CLUSTER_PROPERTY = b"cluster"


class MdnsService:
    """``open`` it and ``close`` it, as often as needed. ``found`` gets every address that is announced."""

    def __init__(self, node: NodeId, endpoint: Endpoint, cluster: ClusterId, found: Callable[[Endpoint], None]) -> None:
        self._name = f"{node}-{endpoint[1]}.{SERVICE}"
        self._endpoint = endpoint
        self._cluster = cluster.encode()
        self._found = found
        self._zeroconf: Any = None
        self._browser: Any = None
        self._asking: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Raise ImportError if there is no zeroconf, and whatever that raises if it cannot work."""
        library, plain = importlib.import_module("zeroconf.asyncio"), importlib.import_module("zeroconf")
        self._zeroconf = library.AsyncZeroconf(ip_version=plain.IPVersion.V4Only)
        host, port = self._endpoint
        info = library.AsyncServiceInfo(
            SERVICE,
            self._name,
            port=port,
            addresses=[socket.inet_aton(host)],
            properties={_CLUSTER_PROPERTY: self._cluster},
            server=f"{self._name.removesuffix('.' + SERVICE)}.local.",
        )
        # Asking first whether the name is free takes a second; if it is not, both are announced under it.
        await self._zeroconf.async_register_service(info, cooperating_responders=True)
        self._browser = library.AsyncServiceBrowser(self._zeroconf.zeroconf, SERVICE, handlers=[self._heard_of])

    async def close(self) -> None:
        """Say goodbye, if there is time for it, and close the sockets."""
        asking, self._asking = self._asking, set()
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._browser.async_cancel()
                await self._zeroconf.async_close()
        except TimeoutError:
            engine = self._zeroconf.zeroconf.engine
            for wrapped in (*engine.readers, *engine.senders):
                wrapped.transport.close()

    def _heard_of(self, zeroconf: Any, service_type: str, name: str, state_change: Any) -> None:
        if name != self._name and state_change.name in ("Added", "Updated") and len(self._asking) < MDNS_ASKED_MAX:
            task = asyncio.get_running_loop().create_task(self._ask(zeroconf, service_type, name))
            self._asking.add(task)
            task.add_done_callback(self._asked)

    def _asked(self, task: asyncio.Task[None]) -> None:
        self._asking.discard(task)
        # Names that nobody can look up are somebody else's mistake.
        if not task.cancelled():
            task.exception()

    async def _ask(self, zeroconf: Any, service_type: str, name: str) -> None:
        library = importlib.import_module("zeroconf.asyncio")
        info = library.AsyncServiceInfo(service_type, name)
        if not await info.async_request(zeroconf, ASK_MS) or info.properties.get(_CLUSTER_PROPERTY) != self._cluster:
            return
        for address in info.parsed_addresses():
            if info.port and ":" not in address:
                self._found((address, info.port))
