"""One way to bring a content, however many want it, and to give it to others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from roost.executors.places import Places
from roost.model.ids import NodeId
from roost.model.limits import CONTENT_CHUNK_BYTES, CONTENT_CHUNKS_MAX, CONTENT_TRANSFERS_MAX
from roost.runtime.data.contents import Contents
from roost.runtime.data.partial import Partial
from roost.wire.content import NOT_HERE, ChunkOf, Given, HashesOf
from tests.runtime.data.supply import ELM, OAK, Supply, name_of, slow, some_content, stalls, wrong_hashes
from tests.runtime.driving import until

CONTENT = some_content(20.5)
NAME, SIZE = name_of(CONTENT), len(CONTENT)


class Scene:
    def __init__(self, folder: Path, content: bytes = CONTENT) -> None:
        self.places = Places(folder / "logs", folder / "blobs", folder / "scratch")
        self.places.blobs.mkdir(exist_ok=True)
        self.supply = Supply(folder, content)
        self.contents = Contents(self.places, self.supply.carry)

    async def want(self, *nodes: NodeId) -> Path | None:
        return await self.contents.want(NAME, SIZE, nodes, self.supply.has_it)

    def files(self) -> list[str]:
        return sorted(path.name for path in self.places.blobs.iterdir())


@asynccontextmanager
async def scene(folder: Path, content: bytes = CONTENT) -> AsyncIterator[Scene]:
    made = Scene(folder, content)
    try:
        yield made
    finally:
        await made.contents.close()


def test_a_content_is_brought_once_for_all_who_want_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            at.supply.has(ELM)
            paths = await asyncio.gather(*(at.want(ELM) for _ in range(3)))
            assert paths == 3 * [at.places.blob_path(NAME)]
            assert paths[0] is not None
            assert paths[0].read_bytes() == CONTENT
            assert len(at.supply.chunks_of(ELM)) == 21
            assert at.contents.is_sound_for_sure(NAME), "it was looked at when it came"
            assert await at.want() == paths[0]

    asyncio.run(scenario())


def test_who_loses_patience_does_not_take_it_from_the_others(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            at.supply.has(ELM, slow(0.01))
            hasty, patient = asyncio.create_task(at.want(ELM)), asyncio.create_task(at.want(ELM))
            await until(lambda: at.supply.chunks_of(ELM))
            hasty.cancel()
            assert await patient is not None

    asyncio.run(scenario())


def test_progress_is_told_while_it_comes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            at.supply.has(ELM, slow(0.02))
            coming = asyncio.create_task(at.want(ELM))
            seen: list[int] = []

            def note() -> bool:
                seen.append(at.contents.bytes_here(NAME))
                return coming.done()

            await until(note)
            assert at.contents.bytes_here(NAME) == 0, "it is not on its way any more"
            growing = seen[: seen.index(max(seen)) + 1]
            assert growing == sorted(growing)
            assert len(set(seen)) > 2
            assert max(seen) <= SIZE

    asyncio.run(scenario())


def test_the_next_life_of_the_node_goes_on_with_what_came(tmp_path: Path) -> None:
    async def first() -> None:
        async with scene(tmp_path) as at:
            at.supply.has(ELM, slow(0.01))
            asyncio.get_running_loop().create_task(at.want(ELM)).add_done_callback(lambda ended: ended.cancelled())
            await until(lambda: at.contents.bytes_here(NAME) >= 5 * CONTENT_CHUNK_BYTES)

    async def second() -> None:
        async with scene(tmp_path) as at:
            assert await at.want(OAK) is None, "it is asked for in vain meanwhile"
            at.supply.has(OAK)
            path = await at.want(OAK)
            assert path is not None
            assert path.read_bytes() == CONTENT
            assert len(at.supply.chunks_of(OAK)) <= 21 - 5

    asyncio.run(first())
    asyncio.run(second())


def test_what_nodes_do_not_agree_on_is_brought_from_the_one_that_has_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            at.supply.has(ELM, wrong_hashes)
            assert await at.want(ELM) is None
            assert at.files() == [], "nothing is left of what was something else"
            at.supply.has(OAK)
            path = await at.want(ELM, OAK)
            assert path is not None
            assert path.read_bytes() == CONTENT
            assert at.files() == [NAME]
            assert ELM in at.supply.looked, "it was asked to look at what it has"

    asyncio.run(scenario())


def test_what_nobody_gives_is_not_here_and_leaves_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            assert await at.want() is None
            assert await at.want(ELM, OAK) is None
            assert at.files() == []
            assert at.contents.size_of(NAME) is None

    asyncio.run(scenario())


def test_a_disk_without_room_is_told_of_and_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    async def scenario() -> None:
        async with scene(tmp_path) as at:
            at.supply.has(ELM)
            with pytest.raises(OSError, match="too large"):
                await at.contents.want(NAME, CONTENT_CHUNK_BYTES * CONTENT_CHUNKS_MAX + 1, [ELM], at.supply.has_it)
            monkeypatch.setattr(Partial, "write", refuse)
            with pytest.raises(OSError, match="No space left"):
                await at.want(ELM)
            assert at.files() == []

    asyncio.run(scenario())


def test_few_contents_are_brought_at_a_time(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path, some_content(1.5)) as at:
            at.supply.has(ELM, stalls)
            names = [name_of(bytes([number])) for number in range(CONTENT_TRANSFERS_MAX + 3)]
            size = int(1.5 * CONTENT_CHUNK_BYTES)
            wanting = [asyncio.create_task(at.contents.want(name, size, [ELM], at.supply.has_it)) for name in names]
            await until(lambda: len(at.supply.chunks_of(ELM)) == 2 * CONTENT_TRANSFERS_MAX)
            assert len(at.files()) == CONTENT_TRANSFERS_MAX
            for one in wanting:
                one.cancel()

    asyncio.run(scenario())


def test_a_damaged_content_is_brought_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with scene(tmp_path) as at:
            at.places.blob_path(NAME).write_bytes(CONTENT[:-1] + b"?")
            at.supply.has(ELM)
            path = await at.want(ELM)
            assert path is not None
            assert path.read_bytes() == CONTENT

    asyncio.run(scenario())


def test_others_get_chunks_and_hashes_of_what_is_here_and_sound(tmp_path: Path) -> None:
    small = b"small"

    async def scenario() -> None:
        async with scene(tmp_path) as at:
            give = at.contents.give
            assert await give(ChunkOf(NAME, 0)) == NOT_HERE
            at.places.blob_path(name_of(small)).write_bytes(small)
            assert await give(ChunkOf(name_of(small), 0)) == Given(5, small)
            at.places.blob_path("ab" * 16).write_bytes(small)
            assert await give(ChunkOf("ab" * 16, 0)) == NOT_HERE, "it is not what its name says"
            at.places.blob_path(NAME).write_bytes(CONTENT)
            assert await give(ChunkOf(NAME, 20)) == Given(SIZE, CONTENT[20 * CONTENT_CHUNK_BYTES :])
            assert len((await give(HashesOf(NAME, 16))).body) == 5 * 32

    asyncio.run(scenario())
