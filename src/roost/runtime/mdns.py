"""mDNS, the third way to find others: nodes announce themselves where printers do.

It helps where a network lets nothing else pass to all. It is no failure detector: a machine that is cut off says no
goodbye. Where it cannot start, the node does without, and ``trouble`` says why.
"""

import asyncio
import importlib
import socket
from collections.abc import Callable
from typing import Any

from roost.model.ids import NodeId
from roost.model.keys import ClusterId
from roost.runtime.interfaces import Endpoint

SERVICE = "_roost._udp.local."
#: How long the quicker ways have for themselves; a node that lives shorter never needs this one.
BEGIN_AFTER_S = 3.0
#: How long an announced node may take to say where it is.
ASK_MS = 3_000
#: Announcements that are looked into at a time; further ones come again.
ASKED_MAX = 64

_CLUSTER_PROPERTY = b"cluster"


class Mdns:
    """Make one, ``start`` it inside a running loop, ``close`` it."""

    def __init__(self, node: NodeId, endpoint: Endpoint, cluster: ClusterId, found: Callable[[Endpoint], None]) -> None:
        """``found`` gets the address of every node that is announced with this cluster, as often as it is."""
        self._name = f"{node}-{endpoint[1]}.{SERVICE}"
        self._endpoint = endpoint
        self._cluster = cluster.encode()
        self._found = found
        self._zeroconf: Any = None
        self._browser: Any = None
        self._asking: set[asyncio.Task[None]] = set()
        self._beginning: asyncio.Task[None] | None = None
        #: Why it does not work, if it does not.
        self.trouble = ""

    def start(self, after_s: float = BEGIN_AFTER_S) -> None:
        self._beginning = asyncio.get_running_loop().create_task(self._begin(after_s))

    async def close(self) -> None:
        """Say goodbye, if anything was said."""
        begun = [task for task in (self._beginning, *self._asking) if task is not None]
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        try:
            if self._browser is not None:
                await self._browser.async_cancel()
            if self._zeroconf is not None:
                await self._zeroconf.async_close()
        except Exception as error:  # noqa: BLE001 - a border: whatever the package raises, the node ends all the same
            self.trouble = f"it cannot say goodbye: {error}"

    async def _begin(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        try:
            # Loading it takes a tenth of a second, for which the node's loop must not stand still.
            library = await asyncio.to_thread(importlib.import_module, "zeroconf.asyncio")
            await self._announce(library)
        except ImportError:
            self.trouble = "the package zeroconf is not installed"
        except Exception as error:  # noqa: BLE001 - a border: the package raises errors of many kinds, and is optional
            self.trouble = f"it cannot start: {str(error) or type(error).__name__}"

    async def _announce(self, library: Any) -> None:
        plain = importlib.import_module("zeroconf")
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

    def _heard_of(self, zeroconf: Any, service_type: str, name: str, state_change: Any) -> None:
        if name != self._name and state_change.name in ("Added", "Updated") and len(self._asking) < ASKED_MAX:
            task = asyncio.get_running_loop().create_task(self._ask(zeroconf, service_type, name))
            self._asking.add(task)
            task.add_done_callback(self._asked)

    def _asked(self, task: asyncio.Task[None]) -> None:
        self._asking.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.trouble = f"an announced node could not be looked up: {str(error) or type(error).__name__}"

    async def _ask(self, zeroconf: Any, service_type: str, name: str) -> None:
        library = importlib.import_module("zeroconf.asyncio")
        info = library.AsyncServiceInfo(service_type, name)
        if not await info.async_request(zeroconf, ASK_MS) or info.properties.get(_CLUSTER_PROPERTY) != self._cluster:
            return
        for address in info.parsed_addresses():
            if info.port and ":" not in address:
                self._found((address, info.port))
