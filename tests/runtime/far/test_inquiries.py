"""Questions to other nodes: each has its answer, or none in time."""

import asyncio

import pytest

from roost.model.errors import Unavailable
from roost.model.ids import NodeId, TaskId
from roost.model.limits import INQUIRIES_MAX
from roost.runtime.far.inquiries import Inquiries
from roost.wire.messages import Ask, StoryOf, Told

ELM, OAK = NodeId("elm"), NodeId("oak")
QUESTION = StoryOf((TaskId("1-bababa/a"),))


class Said:
    """Remembers what was said."""

    def __init__(self) -> None:
        self.messages: list[tuple[NodeId, Ask | Told]] = []
        self.inquiries = Inquiries(lambda node, message: self.messages.append((node, message)))

    async def begin(self, node: NodeId = ELM, patience_s: float = 5.0) -> "asyncio.Task[Told | None]":
        asking = asyncio.create_task(self.inquiries.ask(node, QUESTION, patience_s))
        await asyncio.sleep(0)
        return asking


def test_the_answer_of_the_asked_node_is_returned() -> None:
    async def scenario() -> None:
        said = Said()
        first, second = await said.begin(ELM), await said.begin(OAK)
        assert said.messages == [(ELM, Ask(1, QUESTION)), (OAK, Ask(2, QUESTION))]
        said.inquiries.told(OAK, Told(2, size=2))
        said.inquiries.told(ELM, Told(1, size=1))
        said.inquiries.told(ELM, Told(1, size=9))
        assert [await first, await second] == [Told(1, size=1), Told(2, size=2)]
        assert len(said.inquiries) == 0

    asyncio.run(scenario())


def test_who_was_not_asked_is_not_heard() -> None:
    async def scenario() -> None:
        said = Said()
        asking = await said.begin(ELM)
        said.inquiries.told(OAK, Told(1, size=1))
        said.inquiries.told(ELM, Told(7, size=7))
        said.inquiries.told(ELM, Told(1, size=3))
        assert await asking == Told(1, size=3)

    asyncio.run(scenario())


def test_silence_is_no_answer_and_what_comes_late_is_dropped() -> None:
    async def scenario() -> None:
        said = Said()
        assert await said.inquiries.ask(ELM, QUESTION, 0.001) is None
        said.inquiries.told(ELM, Told(1))
        assert len(said.inquiries) == 0

    asyncio.run(scenario())


def test_too_many_open_questions_are_refused() -> None:
    async def scenario() -> None:
        said = Said()
        asking = [await said.begin() for _ in range(INQUIRIES_MAX)]
        with pytest.raises(Unavailable, match="answers of other nodes"):
            await said.inquiries.ask(ELM, QUESTION)
        for one in asking:
            one.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        assert len(said.inquiries) == 0

    asyncio.run(scenario())
