"""Two real journals, joined by nothing but their questions and answers."""

import asyncio
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.core.facts import ResultsStored
from roost.executors.places import Places
from roost.model.errors import Unreachable
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.runtime.far.giving import Giving
from roost.runtime.far.informant import Informant
from roost.wire.content import ChunkOf
from roost.wire.messages import Ask, CallBack, Told
from tests.runtime.driving import RUN, TASK
from tests.runtime.far.bench import ELM, bench, done_by, nothing, ranges
from tests.runtime.journalling import OpenJournal, done, moved, run_added, task_added
from tests.tokens import attempt

CONTENT = b"what is wanted"
NAME = blake2b(CONTENT, digest_size=16).hexdigest()


async def nobody(_: NodeId) -> None:
    raise AssertionError("nobody is to be called")


def test_a_question_is_answered_from_the_other_journal(tmp_path: Path, open_journal: OpenJournal) -> None:
    async def scenario() -> None:
        made = ResultsStored(TASK, attempt(1), ELM, pack(0, [b"one", b"two"]))
        open_journal.write(run_added(), task_added(TASK), made, moved(TASK, done(1, ELM), 0, 2))
        async with bench(tmp_path / "ash") as at:

            def back(_: str, message: Ask | Told) -> None:
                at.reach.heard(ELM, message)

            other = Informant(
                open_journal.journal,
                lambda: None,
                lambda _: None,
                Giving(open_journal.journal, Places(tmp_path, tmp_path, tmp_path), at.reach.contents),
                at.reach.output.bring_from,
                nobody,
                lambda *_: {},
                back,
                offers=lambda: Capacity({"cpus": 1.0}),
            )

            def there(_: str, message: Ask | Told) -> None:
                assert isinstance(message, Ask)
                other.asked(ELM, message)

            at.reach._inquiries._say = there
            at.meet(ELM, lambda _: None)
            at.learn(done_by(ELM, "0-1"))
            assert await at.reach.outcomes.bring_results(TASK, ranges("0-1")) == ranges("0-1")
            assert at.values("0-1") == [b"one", b"two"]
            await other.close()

    (tmp_path / "ash").mkdir()
    asyncio.run(scenario())


def test_a_node_that_cannot_be_called_is_asked_to_call(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing, CONTENT)
            at.walled.add(ELM)
            path = await at.reach.output.file(NAME, len(CONTENT), RUN, [ELM])
            assert path.read_bytes() == CONTENT
            assert (ELM, CallBack()) in at.asked

    asyncio.run(scenario())


def test_a_node_that_cannot_be_called_and_does_not_call_gives_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing)
            at.walled.add(ELM)
            with pytest.raises(Unreachable):
                await at.reach.carry(ELM, ChunkOf(NAME, 0))

    asyncio.run(scenario())
