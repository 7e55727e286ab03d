"""Upkeep: what was handed in stays on as many disks as it shall be, for as long as what names it is kept.

Rules
- When a content is handed in, it is brought to other disks at once (copies.py). After that it is looked at again when a
  node has been gone for RECOPY_AFTER_S, as records and results are (core/data/re_replication.py); when this node meets
  another for the first time in its life, for it does not know what is on other disks; when it begins to drain; and when
  a file of it is found damaged here. Nothing is done while nothing happens, and nothing by a node that is alone.
- The journal says what names contents (data/handed_in.py). All of that is looked through, one after the other, a few
  contents at a time, with a pause between them. What is forgotten meanwhile is passed over.
- What is on too few disks, because nobody had room or nobody was there, is tried again when a node comes, and after
  TRY_AGAIN_S. At most LACKING_MAX of these are known by name; if there are more, all is looked through again.
- What was handed in last may not be named by anything yet: RECENT_MAX of it are looked at as if they were.
- A node that drains has something left to do until nodes that stay have all of it, if there are such nodes.
"""

import asyncio
import logging
from contextlib import suppress
from typing import Final

from roost.core.data.re_replication import RECOPY_AFTER_S
from roost.core.node import Node
from roost.model.errors import RoostError
from roost.model.ids import NodeId, RunId
from roost.runtime.data.handed_in import HandedIn, handed_in
from roost.runtime.far.copies import COPIES, Copies
from roost.runtime.journal.journal import Journal

log = logging.getLogger(__name__)

#: Contents that are seen to at a time. More: copies are made sooner. Fewer: work suffers less.
AT_A_TIME: Final = 4
#: The pause after each content, for the same reason, and after each step of reading, of which a run may have very many.
PAUSE_S: Final = 0.02
LOOK_S: Final = 0.001
#: How long after a copy that could not be made it is tried again.
TRY_AGAIN_S: Final = 30.0
#: Contents on too few disks that are known by name.
LACKING_MAX: Final = 4096
#: Contents that are not looked at twice while everything is looked through.
LOOKED_AT_MAX: Final = 65_536
#: Contents that were handed in last. More: programs may take longer between handing in arguments and the call.
RECENT_MAX: Final = 1024


class Upkeep:
    """Make one inside a running loop, ``start`` it, ``close`` it; say who is there, and when this node drains."""

    def __init__(
        self,
        node: Node,
        journal: Journal,
        copies: Copies,
        *,
        recopy_after_s: float = RECOPY_AFTER_S,
        try_again_s: float = TRY_AGAIN_S,
    ) -> None:
        self._node = node
        self._journal = journal
        self._copies = copies
        self._recopy_after_s = recopy_after_s
        self._try_again_s = try_again_s
        self._others: tuple[NodeId, ...] = ()
        #: Whether there may be something on this disk only that is in none of the lists below.
        self._knows_little = True
        #: What names contents, and is to be looked through; whether that is everything; and files that were damaged.
        self._due: dict[str, None] = {}
        self._all_due = False
        self._damaged: dict[str, None] = {}
        #: What was met while that goes on: many elements may take the same large value.
        self._looked_at: dict[HandedIn, None] = {}
        #: Contents to see to, and those that are on too few disks, as far as is known.
        self._again: dict[HandedIn, None] = {}
        self._lacking: dict[HandedIn, None] = {}
        self._recent: dict[HandedIn, None] = {}
        self._seen_to: dict[HandedIn, asyncio.Task[None]] = {}
        self._turns = asyncio.Semaphore(AT_A_TIME)
        self._is_reading = False
        self._recopy: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._wake = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._work = self._loop.create_task(self._go_on())

    async def close(self) -> None:
        if self._recopy is not None:
            self._recopy.cancel()
        ending = [*self._seen_to.values(), *([] if self._work is None else [self._work])]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    @property
    def left(self) -> int:
        """How many things a node that drains has to wait for; a node that is gone, after which all is due, is one."""
        if not self._node.peers.staying:
            return 0
        contents = self._again.keys() | self._lacking.keys() | self._seen_to.keys()
        waits = (self._all_due, self._is_reading, self._recopy is not None)
        return len(self._due) + len(self._damaged) + len(contents) + sum(waits)

    # What happens.

    async def take(self, given: HandedIn) -> int:
        """A content is handed in, and is here: have others keep it, too; return how many disks have it."""
        self._recent[given] = None
        if len(self._recent) > RECENT_MAX:
            del self._recent[next(iter(self._recent))]
        disks = await self._copies.keep(given)
        if disks < COPIES:
            self._is_lacking(given)
        return disks

    def company(self, others: tuple[NodeId, ...]) -> None:
        """These are the others that are there now."""
        came, gone = set(others) - set(self._others), set(self._others) - set(others)
        self._others = others
        if gone and self._node.draining.on:
            self._look_through()
        elif gone and self._recopy is None:
            self._recopy = self._loop.call_later(self._recopy_after_s, self._look_through)
        if came and self._knows_little:
            self._look_through()
        elif came:
            self._look_again()

    def drains(self) -> None:
        """This node is about to go: only what is on disks of those that stay is safe."""
        self._look_through()

    def damaged(self, content: str) -> None:
        """A file was damaged here, and is not here any more. Say so in any thread."""
        # Who looked may be the last to end, when nobody listens any more.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._missing, content)

    def _missing(self, content: str) -> None:
        self._damaged[content] = None
        self._wake.set()

    def _look_through(self) -> None:
        """Everything may be on too few disks. Who is alone looks when he meets somebody."""
        if self._recopy is not None:
            self._recopy.cancel()
            self._recopy = None
        self._knows_little = not self._others
        if self._others:
            self._looked_at.clear()
            self._all_due = True
            self._again.update(self._recent)
            self._look_again()

    def _look_again(self) -> None:
        self._again.update(self._lacking)
        self._wake.set()

    def _is_lacking(self, given: HandedIn) -> None:
        self._lacking[given] = None
        if len(self._lacking) > LACKING_MAX:
            del self._lacking[next(iter(self._lacking))]
            self._knows_little = True
        # From now on there is something to try again.
        self._wake.set()

    # Seeing to it.

    async def _go_on(self) -> None:
        while True:
            # Not wait_for: before Python 3.12 it overlooks that it is to end if it is woken at the same moment.
            with suppress(TimeoutError):
                async with asyncio.timeout(self._try_again_s if self._others and self._has_some else None):
                    await self._wake.wait()
            if not self._wake.is_set():
                self._again.update(self._lacking)
            self._wake.clear()
            try:
                await self._see_to_all()
            except RoostError as error:
                log.warning("what was handed in may be on this disk only: %s", error)

    @property
    def _has_some(self) -> bool:
        """Whether there is something to look at, or to try again."""
        return bool(self._again or self._lacking or self._due or self._damaged or self._all_due)

    async def _see_to_all(self) -> None:
        """Do what is due, as long as there is somebody to ask."""
        while self._node.peers.staying:
            if self._all_due:
                self._due.update(dict.fromkeys(self._journal.naming()))
                self._all_due = False
            elif self._damaged:
                content = next(iter(self._damaged))
                self._due.update(dict.fromkeys(self._journal.naming_content(content)))
                del self._damaged[content]
            elif self._again:
                await self._see_to(next(iter(self._again)))
            elif self._due:
                await self._look_at(next(iter(self._due)))
            else:
                self._looked_at.clear()
                return

    async def _look_at(self, name: str) -> None:
        """See to all that a run, or a blob, names."""
        del self._due[name]
        self._is_reading = True
        try:
            for found in handed_in(self._journal, name):
                for given in found:
                    if given not in self._looked_at:
                        self._looked_at[given] = None
                        await self._see_to(given)
                if len(self._looked_at) > LOOKED_AT_MAX:
                    self._looked_at.clear()
                await asyncio.sleep(LOOK_S)
        except RoostError as error:
            # Of what is forgotten meanwhile nothing is kept. What is damaged other nodes tell again.
            if self._journal.has_run(RunId(name)):
                log.warning("what was handed in with %s may be on this disk only: %s", name, error)
        finally:
            self._is_reading = False

    async def _see_to(self, given: HandedIn) -> None:
        if given in self._seen_to:
            # What has changed since that began counts.
            await asyncio.wait((self._seen_to[given],))
        await self._turns.acquire()
        self._again.pop(given, None)
        self._seen_to[given] = self._loop.create_task(self._restore(given))
        await asyncio.sleep(PAUSE_S)

    async def _restore(self, given: HandedIn) -> None:
        try:
            if self._is_forgotten(given) or await self._copies.restore(given):
                self._lacking.pop(given, None)
            else:
                self._is_lacking(given)
        finally:
            del self._seen_to[given]
            self._turns.release()

    def _is_forgotten(self, given: HandedIn) -> bool:
        """Whether nothing names a content any more. What came last may be about to be named."""
        return given not in self._recent and not self._journal.naming_content(given.content)
