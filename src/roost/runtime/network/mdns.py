"""mDNS, the third way to find others: nodes announce themselves where printers do.

It helps where a network lets nothing else pass to all. It is no failure detector: a machine that is cut off says no
goodbye. Where it cannot start, the node does without, and ``trouble`` says why.

Rules
- It lives in a thread of its own. Anybody on the network may send answers, forged ones too, as many as it likes; the
  node's loop, which has to hear its neighbours in time, never reads them.
- It may take SHARE_MAX of a processor. Who floods it with more makes it rest: its sockets are closed, and what it had
  learnt is forgotten, since forged names would fill the memory. It comes back after a pause that doubles.
- Of the addresses that it finds, so many are told at a time: each of them is greeted.
"""

import asyncio
import threading
import time
from collections.abc import Callable

from roost.model.ids import NodeId
from roost.model.limits import MDNS_FOUND_MAX
from roost.runtime.network.interfaces import Endpoint
from roost.runtime.network.mdns_service import MdnsService
from roost.wire.trust.cluster_keys import ClusterId

#: How long the quicker ways have for themselves; a node that lives shorter never needs this one.
BEGIN_AFTER_S = 3.0
#: How often it is looked at how much was done, and what share of a processor that may have taken.
LOOK_S = 0.5
SHARE_MAX = 0.25
#: So many looks in a row make a flood: to begin takes some work, too.
LOOKS = 2
#: How long it rests after a flood: at first, and at most.
REST_MIN_S = 30.0
REST_MAX_S = 600.0
#: How long the end of the thread is waited for.
CLOSE_S = 3.0


class Mdns:
    """Make one, ``start`` it inside a running loop, ``close`` it."""

    def __init__(self, node: NodeId, endpoint: Endpoint, cluster: ClusterId, found: Callable[[Endpoint], None]) -> None:
        """``found`` gets the address of every node that is announced with this cluster, as often as it is."""
        self._service = MdnsService(node, endpoint, cluster, self._tell)
        self._found = found
        self._told = 0
        self._thread: threading.Thread | None = None
        #: In the thread's own loop; set once it runs.
        self._ending: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._closed = False
        #: Why it does not work, if it does not.
        self.trouble = ""

    def start(self, after_s: float = BEGIN_AFTER_S) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live(after_s)), name="mdns", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """Say goodbye, if anything was said."""
        self._closed = True
        if self._ending is not None:
            loop, ending = self._ending
            try:
                loop.call_soon_threadsafe(ending.set)
            except RuntimeError:
                return  # It has ended by itself.
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, CLOSE_S)

    def _tell(self, endpoint: Endpoint) -> None:
        """Pass an address on to the node's loop; what is too much comes again."""
        self._told += 1
        if self._told <= MDNS_FOUND_MAX and not self._closed:
            self._loop.call_soon_threadsafe(self._pass_on, endpoint)

    def _pass_on(self, endpoint: Endpoint) -> None:
        if not self._closed:
            self._found(endpoint)

    # In the thread.

    async def _live(self, after_s: float) -> None:
        ending = asyncio.Event()
        self._ending = (asyncio.get_running_loop(), ending)
        rest_s = REST_MIN_S
        if self._closed or await _over(ending, after_s):
            return
        while await self._serve(ending):
            self.trouble = f"it was flooded with answers, and rests for {rest_s:.0f} s; somebody may try to disturb"
            if await _over(ending, rest_s):
                return
            self.trouble, rest_s = "", min(2 * rest_s, REST_MAX_S)

    async def _serve(self, ending: asyncio.Event) -> bool:
        """Announce and listen to the end, or until there is too much; return whether there was."""
        try:
            await self._service.open()
            flooded = await self._watch(ending)
            await self._service.close()
        except ImportError:
            self.trouble = "the package zeroconf is not installed"
        except Exception as error:  # noqa: BLE001 - a border: the package raises errors of many kinds, and is optional
            self.trouble = f"it does not work: {str(error) or type(error).__name__}"
        else:
            return flooded
        return False

    async def _watch(self, ending: asyncio.Event) -> bool:
        looks, at, used_s = 0, time.monotonic(), time.thread_time()
        while not await _over(ending, LOOK_S):
            # The loop may have been too busy to look in time.
            passed_s, work_s = time.monotonic() - at, time.thread_time() - used_s
            at, used_s, self._told = at + passed_s, used_s + work_s, 0
            looks = looks + 1 if work_s > SHARE_MAX * passed_s else 0
            if looks >= LOOKS:
                return True
        return False


async def _over(ending: asyncio.Event, seconds: float) -> bool:
    """Wait for so long; return whether it is to end before."""
    try:
        async with asyncio.timeout(seconds):
            await ending.wait()
    except TimeoutError:
        return False
    return True
