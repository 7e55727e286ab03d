"""What other nodes get of the files on this disk, and what they do not."""

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.executors.places import Places
from roost.model.errors import Unavailable
from roost.model.ids import NodeId, TaskId
from roost.model.limits import CONTENT_CHUNK_BYTES
from roost.runtime.data.contents import Contents
from roost.runtime.far.giving import Giving
from roost.wire.content import NOT_HERE, ChunkOf, ContentQuestion, Given, LogPart
from roost.wire.messages import HaveContent, HaveLog
from tests.runtime.journalling import TASK, OpenJournal, run_added, task_added

ELM, LOST = NodeId("elm"), "cd" * 16
CONTENT = bytes(CONTENT_CHUNK_BYTES) + b"the rest"
NAME = blake2b(CONTENT, digest_size=16).hexdigest()


async def nobody(node: NodeId, question: ContentQuestion) -> Given:
    raise Unavailable(f"{node} is away")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places(tmp_path / "logs", tmp_path / "blobs", tmp_path / "scratch")
    made.blobs.mkdir()
    made.logs.mkdir()
    return made


def with_giving(journal: OpenJournal, places: Places, act: Callable[[Giving], Awaitable[None]]) -> None:
    journal.write(run_added(), task_added())

    async def scenario() -> None:
        contents = Contents(places, nobody)
        await act(Giving(journal.journal, places, contents))
        await contents.close()

    asyncio.run(scenario())


def test_contents_and_logs_are_given_in_parts(open_journal: OpenJournal, places: Places) -> None:
    places.blob_path(NAME).write_bytes(CONTENT)
    path = places.log_path(TASK, 3, "stderr")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"a warning")

    async def act(giving: Giving) -> None:
        assert await giving.give(ELM, ChunkOf(NAME, 1)) == Given(len(CONTENT), b"the rest")
        assert await giving.give(ELM, LogPart(TASK, 3, "stderr", 2)) == Given(9, b"warning")
        assert await giving.give(ELM, LogPart(TASK, 3, "stderr", 2**40)) == Given(9, b"")
        assert await giving.size_of(HaveContent(NAME)) == len(CONTENT)
        assert await giving.size_of(HaveLog(TASK, 3, "stderr")) == 9
        assert await giving.size_of(HaveContent(NAME, look=True)) == len(CONTENT)
        places.blob_path(LOST).write_bytes(CONTENT)
        assert await giving.size_of(HaveContent(LOST)) == len(CONTENT), "nobody has looked at it"
        assert await giving.size_of(HaveContent(LOST, look=True)) is None
        assert await giving.give(ELM, ChunkOf(LOST, 0)) == NOT_HERE, "it was damaged, and is not here any more"

    with_giving(open_journal, places, act)


def test_what_is_not_here_is_not_given(open_journal: OpenJournal, places: Places) -> None:
    async def act(giving: Giving) -> None:
        assert await giving.give(ELM, ChunkOf(NAME, 0)) == NOT_HERE
        assert await giving.give(ELM, LogPart(TASK, 3, "stderr", 0)) == NOT_HERE
        assert await giving.size_of(HaveContent(NAME)) is None
        assert await giving.size_of(HaveLog(TASK, 3, "stderr")) is None
        places.log_path(TASK, 4, "stdout").mkdir(parents=True)
        assert await giving.give(ELM, LogPart(TASK, 4, "stdout", 0)) == NOT_HERE, "a folder cannot be read"

    with_giving(open_journal, places, act)


@pytest.mark.parametrize("task", ["../..", "..//", "9-bababa/x"])
def test_a_name_that_leads_out_of_the_folder_or_is_not_known_leads_nowhere(
    open_journal: OpenJournal, places: Places, task: str
) -> None:
    (places.home / "0.stdout").write_bytes(b"secret")
    unknown = places.log_path(TaskId("9-bababa/x"), 0, "stdout")
    unknown.parent.mkdir(parents=True)
    unknown.write_bytes(b"of a run that was forgotten")

    async def act(giving: Giving) -> None:
        assert await giving.give(ELM, LogPart(TaskId(task), 0, "stdout", 0)) == NOT_HERE
        assert await giving.size_of(HaveLog(TaskId(task), 0, "stdout")) is None

    with_giving(open_journal, places, act)
