"""What was handed in stays on two disks when nodes go, one after the other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from roost.core.events import DrainAsked
from roost.model.ids import NodeId
from roost.model.segments import pack
from roost.runtime.data.handed_in import HandedIn, value_handed_in
from roost.runtime.far import upkeep
from roost.runtime.far.upkeep import Upkeep
from roost.wire.messages import HaveContent, Hello, KeepContent, News, Question, Standing, Told
from roost.wire.stored import Stored, reference_to
from tests.runtime.driving import NODE, TASK, spec, submitted, until
from tests.runtime.far.bench import ELM, FIR, OAK, Bench, bench

#: Longer than any test takes.
NEVER_S = 1_000.0


def content_of(number: int) -> bytes:
    return b"argument %d" % number


def given(number: int) -> HandedIn:
    content = content_of(number)
    return value_handed_in(Stored(blake2b(content, digest_size=16).hexdigest(), len(content)), NODE)


class Scene:
    """A node that keeps up what was handed in here, among others whose disks the test sees."""

    def __init__(self, at: Bench, **more: Any) -> None:
        self.at = at
        self.upkeep = Upkeep(at.node, at.journal, at.reach.copies, **{"try_again_s": NEVER_S, **more})
        at.driver.listen_to_company(self.upkeep.company)
        at.reach.contents.on_damage = self.upkeep.damaged
        self.upkeep.start()
        #: What others have, and those that have no room for more.
        self.disks: dict[NodeId, set[str]] = {}
        self.full: set[NodeId] = set()
        self.incarnations: dict[NodeId, int] = {}

    def come(self, *nodes: NodeId) -> None:
        for node in nodes:
            self.disks.setdefault(node, set())
            self.at.meet(node, partial(self._answer, node))

    def _answer(self, node: NodeId, question: Question) -> Told:
        assert isinstance(question, KeepContent | HaveContent)
        disk = self.disks[node]
        if isinstance(question, KeepContent) and node not in self.full:
            disk.add(question.content)
        sizes = {given(number).content: given(number).size for number in range(100)}
        return Told(0, size=sizes[question.content] if question.content in disk else None)

    def go(self, node: NodeId) -> None:
        """A node is gone for good, and its disk with it."""
        del self.disks[node]
        self.at.hear(node, Hello(News(node, 1, 1, Standing.LEFT, node)))
        assert node not in self.at.node.peers.others

    def drain(self) -> None:
        self.at.driver.feed(DrainAsked(on=True))
        self.upkeep.drains()

    async def submit(self, count: int) -> None:
        """Hand in a run whose elements take large arguments, which are on this disk."""
        for number in range(count):
            (self.at.places.blobs / given(number).content).write_bytes(content_of(number))
        arguments = [reference_to(Stored(given(number).content, given(number).size)) for number in range(count)]
        task = spec(count=count, has_items=True)
        await self.at.life.ask(submitted(task, items=((TASK, pack(0, arguments)),)))

    def is_idle(self) -> bool:
        """Whether all is looked at that was to be."""
        kept, lacking = self.upkeep, len(self.upkeep._lacking)
        return not (kept._wake.is_set() or kept._seen_to or kept._is_reading or kept._all_due) and (
            kept.left - (kept._recopy is not None) == lacking
        )

    def has_all(self, count: int) -> set[NodeId]:
        """Return the other nodes that have all of it."""
        wanted = {given(number).content for number in range(count)}
        return {node for node, disk in self.disks.items() if disk >= wanted}


@asynccontextmanager
async def scene(folder: Path, **more: Any) -> AsyncIterator[Scene]:
    async with bench(folder) as at:
        made = Scene(at, **more)
        try:
            yield made
        finally:
            await made.upkeep.close()


def test_what_was_handed_in_alone_is_brought_to_the_first_who_comes_and_to_nobody_else(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            await at.submit(3)
            at.come(ELM)
            await until(lambda: at.has_all(3) == {ELM} and at.is_idle())
            at.at.asked.clear()
            at.come(OAK)
            await until(at.is_idle)
            assert at.at.asked == [], "nothing is lacking, and nobody says so twice"

    asyncio.run(scenario())


def test_when_a_holder_is_gone_for_long_another_gets_it_and_again_when_that_goes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path, recopy_after_s=0.01) as at:
            await at.submit(3)
            at.come(ELM)
            await until(lambda: at.has_all(3) == {ELM})
            at.come(OAK)
            at.go(ELM)
            await until(lambda: at.has_all(3) == {OAK})
            at.come(FIR)
            at.go(OAK)
            await until(lambda: at.has_all(3) == {FIR})
            assert sum(isinstance(question, KeepContent) for _, question in at.at.asked) == 9, "each copy is made once"

    asyncio.run(scenario())


def test_who_has_gone_for_a_moment_costs_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path, recopy_after_s=NEVER_S) as at:
            await at.submit(1)
            at.come(ELM, OAK)
            await until(lambda: at.has_all(1) and at.is_idle())
            at.at.asked.clear()
            at.go(*at.has_all(1))
            for _ in range(10):
                await asyncio.sleep(0)
            assert at.at.asked == []
            assert at.upkeep._recopy is not None
            assert at.upkeep.left == 1, "one that drains would have to wait for it"

    asyncio.run(scenario())


def test_what_a_restart_has_left_on_one_disk_is_found_by_looking_through_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as first:
            alone = Scene(first)
            await alone.submit(upkeep.AT_A_TIME * 3)
            await alone.upkeep.close()
            at = Scene(first)
            at.come(ELM)
            await until(lambda: at.has_all(upkeep.AT_A_TIME * 3) == {ELM})
            await at.upkeep.close()

    asyncio.run(scenario())


def test_what_nobody_had_room_for_is_tried_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path, try_again_s=0.01) as at:
            await at.submit(2)
            at.full = {ELM}
            at.come(ELM)
            await until(lambda: len(at.upkeep._lacking) == 2)
            at.full = set()
            await until(lambda: at.has_all(2) == {ELM})
            await until(lambda: not at.upkeep._lacking)

    asyncio.run(scenario())


def test_a_copy_that_is_lacking_is_tried_when_a_node_comes_and_many_of_them_are_not_known_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "LACKING_MAX", 1)

    async def scenario() -> None:
        async with scene(tmp_path) as at:
            await at.submit(4)
            at.full = {ELM}
            at.come(ELM)
            await until(lambda: at.upkeep._knows_little and at.is_idle())
            assert len(at.upkeep._lacking) == 1
            at.come(OAK)
            await until(lambda: at.has_all(4) == {OAK})

    asyncio.run(scenario())


def test_arguments_that_no_call_has_named_yet_are_looked_at_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path, recopy_after_s=0.01) as at:
            (at.at.places.blobs / given(0).content).write_bytes(content_of(0))
            assert await at.upkeep.take(given(0)) == 1
            at.come(ELM)
            await until(lambda: at.has_all(1) == {ELM})
            at.come(OAK)
            at.go(ELM)
            await until(lambda: at.has_all(1) == {OAK})

    asyncio.run(scenario())


def test_of_a_run_that_is_forgotten_nothing_is_copied_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            await at.submit(2)
            at.full = {ELM}
            at.come(ELM)
            await until(lambda: len(at.upkeep._lacking) == 2)
            monkeypatch.setattr(at.at.journal, "naming_content", lambda content: [])
            at.come(OAK)
            await until(lambda: not at.upkeep._lacking)
            assert not at.disks[OAK]

    asyncio.run(scenario())


def test_what_is_found_damaged_here_comes_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            await at.submit(1)
            at.come(ELM)
            await until(lambda: at.has_all(1) == {ELM} and at.is_idle())
            at.come(OAK)
            path = at.at.places.blobs / given(0).content
            path.write_bytes(b"something else")
            assert await at.at.reach.contents.here(given(0).content) is None
            await until(lambda: at.has_all(1) == {ELM, OAK})

    asyncio.run(scenario())


def test_a_node_that_drains_waits_until_one_that_stays_has_all(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path, recopy_after_s=NEVER_S) as at:
            await at.submit(3)
            at.come(ELM)
            await until(lambda: at.has_all(3) == {ELM} and at.is_idle())
            at.at.node.peers.said(ELM, drains=True)
            at.drain()
            assert at.upkeep.left == 0, "nobody is there to whom it could be given"
            at.full = {OAK}
            at.come(OAK)
            assert at.upkeep.left
            await until(lambda: len(at.upkeep._lacking) == 3 and at.is_idle())
            assert at.upkeep.left == 3
            at.come(FIR)
            await until(lambda: not at.upkeep.left)
            assert at.has_all(3) == {ELM, FIR}
            at.full = set()
            at.go(FIR)
            assert at.upkeep.left, "it may be about to go, and waits for nobody to come back"
            await until(lambda: not at.upkeep.left)
            assert at.has_all(3) == {ELM, OAK}

    asyncio.run(scenario())


def test_what_has_changed_while_a_content_was_seen_to_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            await at.submit(1)
            restore, begun, gate = at.at.reach.copies.restore, asyncio.Event(), asyncio.Event()

            async def slowly(given: HandedIn) -> bool:
                is_safe = await restore(given)
                begun.set()
                await gate.wait()
                return is_safe

            monkeypatch.setattr(at.at.reach.copies, "restore", slowly)
            at.come(ELM)
            await begun.wait()
            at.come(OAK)
            at.at.node.peers.said(ELM, drains=True)
            at.drain()
            await until(lambda: at.upkeep._looked_at and not at.upkeep._due)
            gate.set()
            await until(lambda: not at.upkeep.left)
            assert OAK in at.has_all(1)

    asyncio.run(scenario())
