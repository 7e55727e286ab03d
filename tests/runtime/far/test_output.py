"""Logs are read where they are; files are brought in pieces, and count when their hash is right."""

import asyncio
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.model.errors import NotFound, Unavailable
from roost.model.limits import ANSWER_BYTES_MAX
from roost.model.states import Cancelled, Leased
from roost.runtime.far.output import Piece, read_piece
from roost.wire.messages import FileOf, FileToKeep, LogOf, Question, Told
from tests.runtime.driving import NODE, RUN, TASK
from tests.runtime.far.bench import ELM, OAK, Answer, Bench, bench, done_by, nothing, ranges
from tests.tokens import attempt

CONTENT = bytes(range(256)) * 5_000
NAME = blake2b(CONTENT, digest_size=16).hexdigest()


def keeping(content: bytes, at_a_time: int = 500_000) -> Answer:
    """Have a file, or a log, and tell it piece by piece."""

    def answer(question: Question) -> Told:
        assert isinstance(question, FileOf | LogOf)
        piece = content[question.offset : question.offset + at_a_time]
        return Told(0, content=piece, size=len(content))

    return answer


def write_log(at: Bench, text: bytes, index: int = 0) -> None:
    path = at.places.log_path(TASK, index, "stdout")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)


def test_a_piece_is_as_much_as_one_answer_holds(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(bytes(ANSWER_BYTES_MAX + 7))
    assert read_piece(path, 0) == Piece(bytes(ANSWER_BYTES_MAX), ANSWER_BYTES_MAX + 7)
    assert read_piece(path, ANSWER_BYTES_MAX) == Piece(bytes(7), ANSWER_BYTES_MAX + 7)
    assert read_piece(path, 2**40) == Piece(b"", ANSWER_BYTES_MAX + 7)
    assert read_piece(tmp_path / "nothing", 0) is None


# Logs.


def test_the_log_is_where_the_element_ran_last(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, keeping(b"written there"))
            at.meet(OAK, nothing)
            running = Leased(0, attempt(1), ELM, 0), ranges("1")
            at.learn(done_by(NODE, "0"), running, done_by(OAK, "2"))
            write_log(at, b"written here")
            write_log(at, b"of an earlier attempt", 1)
            log = at.reach.output.log
            assert await log(TASK, 0, "stdout", 8) == Piece(b"here", 12)
            assert await log(TASK, 1, "stdout", 8) == Piece(b"there", 13)
            assert await log(TASK, 2, "stdout", 0) is None
            assert await log(TASK, 9, "stdout", 0) is None, "it has never run"
            assert at.whom() == [ELM, OAK]

    asyncio.run(scenario())


def test_the_log_of_what_was_cancelled_is_looked_for_everywhere(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing)
            at.meet(OAK, keeping(b"as far as it came"))
            at.learn((Cancelled(attempt(1)), ranges("0-1")))
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

    asyncio.run(scenario())


# Files.


def test_a_file_comes_piece_by_piece_and_is_here_from_then_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, keeping(CONTENT))
            path = await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM])
            assert path.read_bytes() == CONTENT
            assert [question for _, question in at.asked] == [FileOf(NAME, at) for at in (0, 500_000, 1_000_000)]
            assert await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM]) == path
            assert len(at.asked) == 3
            assert at.reach.output.has_file(NAME)

    asyncio.run(scenario())


def test_several_who_want_a_file_have_it_brought_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, keeping(CONTENT, len(CONTENT)))
            await asyncio.gather(*(at.reach.output.file(NAME, len(CONTENT), RUN, [ELM]) for _ in range(3)))
            assert len(at.asked) == 1

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "liar",
    [
        nothing,
        keeping(CONTENT[:-1]),
        keeping(CONTENT[:-1] + b"x"),
        lambda _: Told(0, content=CONTENT + b"more", size=len(CONTENT)),
        lambda _: Told(0, size=len(CONTENT)),
    ],
    ids=["nothing", "shorter", "different", "longer", "empty"],
)
def test_what_is_not_the_file_is_thrown_away_and_the_next_is_asked(tmp_path: Path, liar: Answer) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, liar)
            with pytest.raises(Unavailable, match="was made on elm"):
                await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM])
            assert list(at.places.blobs.iterdir()) == []
            at.meet(OAK, keeping(CONTENT))
            assert (await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM])).read_bytes() == CONTENT
            assert len(list(at.places.blobs.iterdir())) == 1

    asyncio.run(scenario())


def test_a_file_that_nobody_is_known_to_have_is_not_found(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            with pytest.raises(NotFound, match="no file with the content"):
                await at.reach.output.file(NAME, 3, RUN, [])

    asyncio.run(scenario())


def test_a_folder_that_cannot_be_written_is_said_to_be_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, keeping(CONTENT))
            at.places.blobs.rmdir()
            with pytest.raises(Unavailable, match="cannot be kept here: No such file or directory"):
                await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM])

    asyncio.run(scenario())


def test_another_node_is_asked_to_keep_a_copy_until_one_does(tmp_path: Path) -> None:
    def keeps(question: Question) -> Told:
        assert question == FileToKeep(NAME, len(CONTENT), RUN)
        return Told(0, size=len(CONTENT))

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            assert not await at.reach.output.keep_elsewhere(NAME, len(CONTENT), RUN), "nobody is there"
            at.meet(ELM, nothing)
            assert not await at.reach.output.keep_elsewhere(NAME, len(CONTENT), RUN)
            at.meet(OAK, keeps)
            assert await at.reach.output.keep_elsewhere(NAME, len(CONTENT), RUN)

    asyncio.run(scenario())
