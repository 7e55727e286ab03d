"""What a node tells others of what their people ask for."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from roost.core.facts import FailureNoted
from roost.executors.places import Places
from roost.executors.reuse.entries import digest
from roost.model.errors import Unavailable, Unreachable
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.limits import (
    ANSWER_BYTES_MAX,
    ANSWER_FAILURES_MAX,
    ANSWERS_AT_A_TIME_MAX,
    EXCEPTION_BYTES_MAX,
    EXPLAINED_TASKS_MAX,
)
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.task import Failure
from roost.runtime.data.contents import Contents
from roost.runtime.far.giving import Giving
from roost.runtime.far.informant import Answerable, Informant
from roost.runtime.reuse.index import Found
from roost.wire.content import ContentQuestion, Given
from roost.wire.messages import (
    Ask,
    CallBack,
    FailuresOf,
    HaveContent,
    HaveLog,
    KeepContent,
    KeptUnder,
    OffersOf,
    ReasonsOf,
    ResultsOf,
    StoryOf,
    TimelineOf,
    Told,
)
from tests.runtime.driving import until
from tests.runtime.journalling import (
    DONE,
    RUN,
    TASK,
    OpenJournal,
    done,
    moved,
    results,
    run_added,
    task_added,
    told,
    worked,
)
from tests.tokens import attempt

ELM = NodeId("elm")
OFFERS = Capacity({"cpus": 2.0}, {"os": "linux"})
NAME, LOST = "ab" * 16, "cd" * 16


async def nobody(node: NodeId, question: ContentQuestion) -> Given:
    raise Unavailable(f"{node} is away")


class Scene:
    def __init__(self, journal: OpenJournal, folder: Path) -> None:
        self.places = Places(folder / "logs", folder / "blobs", folder / "scratch")
        self.places.blobs.mkdir()
        self.flushed = 0
        self.brought: list[tuple[object, ...]] = []
        self.said: list[tuple[NodeId, Ask | Told]] = []
        self.informant = Informant(
            journal.journal,
            self._settle,
            {TASK: ["no room", "it drains"]}.get,
            Giving(journal.journal, self.places, Contents(self.places, nobody)),
            self._bring,
            self._call,
            self._find,
            lambda node, message: self.said.append((node, message)),
            offers=lambda: OFFERS,
        )

    async def _call(self, node: NodeId) -> None:
        if node != ELM:
            raise Unreachable(f"{node} cannot be called")

    def _find(self, keys: Mapping[int, bytes], run: RunId) -> dict[int, Found]:
        """Every element that asks finds what the one of the same number made."""
        assert run == RUN
        return {index: Found(TASK, index, key, 3, ("stderr",), attempt(2), ELM) for index, key in keys.items()}

    async def _bring(self, content: str, size: int, node: NodeId) -> None:
        self.brought.append((content, size, node))
        if content == LOST:
            raise Unavailable("nobody has it")

    def _settle(self) -> None:
        self.flushed += 1

    def tell(self, question: Answerable) -> Told:
        return asyncio.run(self.informant.tell(7, question))


@pytest.fixture
def scene(open_journal: OpenJournal, tmp_path: Path) -> Scene:
    open_journal.write(run_added(), task_added(), results(TASK, 0, 4), moved(TASK, done(), 0, 4))
    open_journal.write(told(TASK, 3), worked(TASK, 1.0, elements=4))
    open_journal.write(*(FailureNoted(TASK, index, attempt(1), Failure("no")) for index in range(100)))
    return Scene(open_journal, tmp_path)


def test_results_failures_and_stories_are_told_after_they_are_flushed(scene: Scene) -> None:
    found = scene.tell(ResultsOf(TASK, RangeSet.span(2, 9))).results
    assert [(task, token, node, segment.ranges) for task, token, node, segment in found] == [
        (TASK, attempt(1), "ash", RangeSet.span(2, 4))
    ]
    failures = scene.tell(FailuresOf(TASK, RangeSet.span(5, 200))).failures
    assert failures[0] == (TASK, 5, attempt(1), Failure("no"))
    assert len(failures) == ANSWER_FAILURES_MAX
    (line,) = scene.tell(StoryOf((TASK, TaskId("9-bababa/x")))).story
    assert (line.task, line.what) == (TASK, DONE)
    (span,) = scene.tell(TimelineOf(RUN)).spans
    assert (span.task, span.node, span.elements) == (TASK, "ash", 4)
    assert scene.flushed == 4


def test_an_answer_holds_as_many_failures_as_there_is_room_for(open_journal: OpenJournal, tmp_path: Path) -> None:
    large = Failure("no", raised=bytes(EXCEPTION_BYTES_MAX))
    open_journal.write(run_added(), task_added())
    open_journal.write(*(FailureNoted(TASK, index, attempt(1), large) for index in range(60)))
    failures = Scene(open_journal, tmp_path).tell(FailuresOf(TASK, RangeSet.span(0, 60))).failures
    assert 0 < sum(failure.size for _, _, _, failure in failures) <= ANSWER_BYTES_MAX


def test_what_this_node_says_of_itself_is_told(scene: Scene) -> None:
    assert scene.tell(OffersOf()) == Told(7, offers=OFFERS)


def test_this_node_s_reasons_are_told_of_the_tasks_that_it_knows(scene: Scene) -> None:
    told = scene.tell(ReasonsOf((TASK, TaskId("9-bababa/x"))))
    assert told.reasons == ((TASK, ("no room", "it drains")),)
    many = tuple(TaskId(f"{number}-bababa/x") for number in range(EXPLAINED_TASKS_MAX))
    assert scene.tell(ReasonsOf((*many, TASK))).reasons == ()


def test_results_to_take_over_are_told_with_their_hashes_as_many_as_there_is_room_for(scene: Scene) -> None:
    (first, second) = scene.tell(KeptUnder(RUN, ((4, b"small"), (7, b"too")))).kept
    assert (first.index, first.task, first.element, first.token, first.node) == (4, TASK, 4, attempt(2), ELM)
    assert (first.value, first.content, first.length, first.logs) == (b"small", digest(b"small").hex(), 3, ("stderr",))
    assert second.index == 7
    assert scene.flushed == 1
    large = bytes(ANSWER_BYTES_MAX // 2)
    told = scene.tell(KeptUnder(RUN, ((1, large), (2, large), (3, large))))
    assert [one.index for one in told.kept] == [1]
    assert told.more


def test_who_has_nothing_says_so(scene: Scene) -> None:
    unknown = TaskId("9-bababa/x")
    questions: tuple[Answerable, ...] = (
        ResultsOf(unknown, RangeSet.span(0, 9)),
        FailuresOf(unknown, RangeSet.span(0, 9)),
        StoryOf((unknown,)),
        HaveLog(TASK, 0, "stdout"),
        HaveContent(NAME),
    )
    for question in questions:
        assert scene.tell(question) == Told(7)


def test_a_file_that_is_to_be_kept_is_brought_from_who_asks(scene: Scene) -> None:
    async def scenario() -> None:
        scene.informant.asked(ELM, Ask(1, KeepContent(NAME, 5)))
        scene.informant.asked(ELM, Ask(2, KeepContent(LOST, 5)))
        await until(lambda: len(scene.said) == 2)
        assert scene.said == [(ELM, Told(1, size=5)), (ELM, Told(2))]
        assert scene.brought == [(NAME, 5, ELM), (LOST, 5, ELM)]

    asyncio.run(scenario())


def test_a_node_that_cannot_call_is_called(scene: Scene) -> None:
    async def scenario() -> None:
        scene.informant.asked(ELM, Ask(1, CallBack()))
        scene.informant.asked(NodeId("oak"), Ask(2, CallBack()))
        await until(lambda: len(scene.said) == 2)
        assert scene.said == [(ELM, Told(1, size=0)), ("oak", Told(2))]

    asyncio.run(scenario())


def test_answers_carry_their_number_and_too_many_questions_at_a_time_are_dropped(scene: Scene) -> None:
    async def scenario() -> None:
        for number in range(ANSWERS_AT_A_TIME_MAX + 10):
            scene.informant.asked(ELM, Ask(number, StoryOf(())))
        await until(lambda: len(scene.said) == ANSWERS_AT_A_TIME_MAX)
        await scene.informant.close()
        assert scene.said[:2] == [(ELM, Told(0)), (ELM, Told(1))]
        assert len(scene.said) == ANSWERS_AT_A_TIME_MAX
        scene.places.blobs.rmdir()
        scene.places.blobs.write_bytes(b"no folder")
        scene.informant.asked(ELM, Ask(99, HaveContent(NAME)))
        await until(lambda: scene.said[-1] == (ELM, Told(99)))

    asyncio.run(scenario())
