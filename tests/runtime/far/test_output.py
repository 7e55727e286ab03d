"""Logs are read where they are; files are brought from whoever has them, and count when their hash is right."""

import asyncio
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.model.errors import Damaged, NotFound, Unavailable
from roost.model.ids import NodeId
from roost.model.states import Cancelled, Leased
from roost.runtime.far.output import NoRoomHere, Piece
from roost.wire.content import ChunkOf, ContentQuestion, Given
from roost.wire.messages import HaveContent
from tests.runtime.driving import NODE, RUN, TASK, until
from tests.runtime.far.bench import ELM, OAK, Bench, bench, done_by, nothing, ranges, silence
from tests.tokens import attempt

CONTENT = bytes(range(256)) * 5_000
NAME = blake2b(CONTENT, digest_size=16).hexdigest()


def write_log(at: Bench, text: bytes, index: int = 0) -> None:
    path = at.places.log_path(TASK, index, "stdout")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)


# Logs.


def test_the_log_is_where_the_element_ran_last(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing)
            at.meet(OAK, nothing)
            at.disks[ELM] = {"stdout": b"written there"}
            running = Leased(0, attempt(1), ELM, 0), ranges("1")
            at.learn(done_by(NODE, "0"), running, done_by(OAK, "2"))
            write_log(at, b"written here")
            write_log(at, b"of an earlier attempt", 1)
            at.log_bytes = 100
            log = at.reach.output.log
            assert await log(TASK, 0, "stdout", 8) == Piece(b"here", 12)
            assert await log(TASK, 1, "stdout", 8) == Piece(b"there", 13)
            assert await log(TASK, 2, "stdout", 0) is None
            assert await log(TASK, 9, "stdout", 0) is None, "it has never run"
            assert [node for node, _ in at.carried] == [ELM, OAK]

    asyncio.run(scenario())


def test_the_log_of_what_was_cancelled_is_the_longest_that_anybody_has(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.learn((Cancelled(attempt(1)), ranges("0-1")))
            assert await at.reach.output.log(TASK, 0, "stdout", 0) is None, "nobody is there"
            at.meet(ELM, nothing)
            at.meet(OAK, nothing)
            assert await at.reach.output.log(TASK, 0, "stdout", 0) is None, "nobody has one"
            at.disks = {ELM: {"stdout": b"as far"}, OAK: {"stdout": b"as far as it came"}}
            at.log_bytes = 100
            assert await at.reach.output.log(TASK, 0, "stdout", 0) == Piece(b"as far as it came", 17)
            write_log(at, b"here", 1)
            assert await at.reach.output.log(TASK, 1, "stdout", 0) == Piece(b"here", 4)

    asyncio.run(scenario())


def test_who_has_a_log_and_is_away_is_named(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.learn(done_by(OAK, "0"))
            with pytest.raises(Unavailable, match=r"what element 0 of task 'work' of run .* is on oak, which is away"):
                await at.reach.output.log(TASK, 0, "stdout", 0)
            at.meet(OAK, silence)
            at.walled.add(OAK)
            at.reach._inquiries.ask = no_answer  # type: ignore[method-assign]
            with pytest.raises(Unavailable, match="which does not answer"):
                await at.reach.output.log(TASK, 0, "stdout", 0)

    asyncio.run(scenario())


async def no_answer(*_: object) -> None:
    return None


# Files.


def test_a_file_comes_from_who_has_it_and_is_here_from_then_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing, CONTENT)
            at.meet(OAK, nothing)
            path = await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM])
            assert path.read_bytes() == CONTENT
            assert {question for _, question in at.asked} == {HaveContent(NAME)}
            assert {node for node, _ in at.carried} == {ELM}
            before = len(at.carried)
            assert await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM]) == path
            assert len(at.carried) == before
            assert at.reach.output.has_file(NAME)

    asyncio.run(scenario())


def test_what_is_not_the_file_is_thrown_away_and_others_are_asked(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing)
            at.disks[ELM] = {NAME: CONTENT[:-1] + b"x"}
            with pytest.raises(Unavailable, match="was made on elm"):
                await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM])
            assert list(at.places.blobs.iterdir()) == []
            at.meet(OAK, nothing, CONTENT)
            assert (await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM])).read_bytes() == CONTENT
            assert len(list(at.places.blobs.iterdir())) == 1

    asyncio.run(scenario())


def test_a_content_is_brought_from_one_node_and_only_else_from_the_others(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing)
            with pytest.raises(Unavailable, match="elm does not give the content"):
                await at.reach.output.bring_from(NAME, len(CONTENT), ELM)
            at.asked.clear()
            at.meet(OAK, nothing, CONTENT)
            await at.reach.output.bring_from(NAME, len(CONTENT), OAK)
            assert at.whom() == [OAK]
            assert at.reach.output.has_file(NAME)
            (at.places.blobs / NAME).unlink()
            await at.reach.output.bring_from(NAME, len(CONTENT), ELM)
            assert at.reach.output.has_file(NAME)
            assert at.reach.output.bytes_here(NAME) == 0, "it is not on its way any more"

    asyncio.run(scenario())


def test_a_file_that_nobody_is_known_to_have_is_not_found(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            with pytest.raises(NotFound, match="no file with the content"):
                await at.reach.output.file(NAME, 3, RUN, [])
            with pytest.raises(Damaged, match="was damaged on this disk"):
                await at.reach.output.file(NAME, 3, RUN, [NODE])

    asyncio.run(scenario())


def test_a_folder_that_cannot_be_written_is_said_to_be_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing, CONTENT)
            with pytest.raises(NoRoomHere, match="cannot be kept here: No space left on device"):
                await at.reach.output.file(NAME, 2**40, RUN, [ELM])
            at.places.blobs.rmdir()
            with pytest.raises(Unavailable, match="cannot be kept here: No such file or directory"):
                await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM])

    asyncio.run(scenario())


def test_who_waits_for_long_is_told_how_much_has_come_and_it_comes_nevertheless(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing, CONTENT)
            gate = asyncio.Event()
            carry = at.reach.contents._carry

            async def slow(node: NodeId, question: ContentQuestion) -> Given:
                if question == ChunkOf(NAME, 1):
                    await gate.wait()
                return await carry(node, question)

            at.reach.contents._carry = slow
            asking = asyncio.create_task(at.reach.output.file(NAME, len(CONTENT), RUN, [ELM]))
            await until(lambda: at.reach.output.bytes_here(NAME) > 0)
            with pytest.raises(Unavailable, match=r"is on its way here, 1.0 MiB of 1.2 MiB have come; ask again"):
                await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM], 0.01)
            gate.set()
            assert (await asking).read_bytes() == CONTENT

    asyncio.run(scenario())
