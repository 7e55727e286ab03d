"""Results and failures of elements that ran elsewhere are checked, brought, and here for good."""

import asyncio
from pathlib import Path

import pytest

from roost.model.errors import Unavailable
from roost.model.ids import NodeId, TaskId
from roost.model.segments import Segment, pack
from roost.model.task import Failure
from roost.model.token import Token
from roost.runtime.far import inquiries
from roost.wire.messages import Facts, FailuresOf, Question, ResultsOf, Told
from tests.runtime.driving import TASK, until
from tests.runtime.far.bench import (
    ELM,
    FIR,
    OAK,
    Answer,
    bench,
    done_by,
    failed_on,
    having,
    nothing,
    ranges,
    silence,
)
from tests.tokens import attempt


def test_what_is_here_is_not_asked_for(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, having("0-9"))
            at.learn(done_by(ELM, "0-4"))
            assert await at.reach.outcomes.bring_results(TASK, ranges("0-4")) == ranges("0-4")
            assert at.asked == [(ELM, ResultsOf(TASK, ranges("0-4")))]
            assert await at.reach.outcomes.bring_results(TASK, ranges("0-4")) == ranges("0-4")
            assert len(at.asked) == 1
            assert at.values("0-4") == [b"value %d" % index for index in range(5)]

    asyncio.run(scenario())


@pytest.mark.parametrize("wanted", ["bring_results", "bring_any"])
def test_what_came_by_itself_and_is_not_written_yet_is_written_before_it_is_read(tmp_path: Path, wanted: str) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing)
            at.learn(done_by(ELM, "0-1"))
            at.hear(ELM, Facts(results=((TASK, attempt(1), ELM, pack(0, [b"a", b"b"])),)))
            assert await getattr(at.reach.outcomes, wanted)(TASK, ranges("0-1")) == ranges("0-1")
            assert at.values("0-1") == [b"a", b"b"]
            assert at.asked == []

    asyncio.run(scenario())


def test_the_maker_is_asked_first_then_the_submitter_then_the_others(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing)
            at.meet(FIR, having("0", maker=OAK))
            at.meet(OAK, nothing)
            at.learn(done_by(OAK, "0"))
            await at.reach.outcomes.bring_results(TASK, ranges("0"))
            assert at.whom() == [OAK, ELM, FIR]

    asyncio.run(scenario())


def test_who_has_more_than_one_answer_holds_is_asked_when_the_rest_is_wanted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, having("0-9", at_a_time=4))
            at.learn(done_by(ELM, "0-9"))
            left, parts = ranges("0-9"), []
            while left:
                here = await at.reach.outcomes.bring_results(TASK, left)
                parts.append(str(here))
                left -= here
            assert parts == ["0-3", "4-7", "8-9"]
            assert len(at.asked) == 3

    asyncio.run(scenario())


def test_the_first_is_what_counts_for_a_page_and_anything_for_a_session(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, having("5-9"))
            at.learn(done_by(ELM, "0-9"))
            with pytest.raises(Unavailable, match="element 0 of task 'work' of run 1-bababa was made on elm"):
                await at.reach.outcomes.bring_results(TASK, ranges("0-9"))
            assert await at.reach.outcomes.bring_any(TASK, ranges("0-9")) == ranges("5-9")
            with pytest.raises(Unavailable):
                await at.reach.outcomes.bring_any(TASK, ranges("0-4"))
            at.meet(OAK, having("2"))
            assert await at.reach.outcomes.bring_any(TASK, ranges("0-4")) == ranges("2")

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "wrong",
    [
        (TaskId("1-bababa/other"), attempt(1), ELM, pack(0, [b"x"])),
        (TASK, attempt(2), ELM, pack(0, [b"x"])),
        (TASK, attempt(1), OAK, pack(0, [b"x"])),
        (TASK, attempt(1), ELM, pack(0, [b"x"] * 2)),
        (TASK, attempt(1), ELM, Segment(0, 1, b"not a list")),
        (TASK, attempt(1), ELM, Segment(0, 0, pack(0, []).payload)),
    ],
    ids=["task", "token", "maker", "unasked", "payload", "empty"],
)
def test_what_does_not_fit_the_question_and_the_state_is_not_taken(
    tmp_path: Path, wrong: tuple[TaskId, Token, NodeId, Segment]
) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, lambda _: Told(0, results=(wrong,)))
            at.learn(done_by(ELM, "0"))
            with pytest.raises(Unavailable):
                await at.reach.outcomes.bring_results(TASK, ranges("0"))
            assert at.journal.holdings(TASK).results == ()

    asyncio.run(scenario())


def test_a_silent_node_is_passed_over_and_one_that_is_away_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inquiries.Inquiries.ask, "__defaults__", (0.01,))

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, silence)
            at.meet(FIR, having("0", maker=OAK))
            at.learn(done_by(OAK, "0-1"))
            assert await at.reach.outcomes.bring_results(TASK, ranges("0-1")) == ranges("0")
            with pytest.raises(Unavailable, match="is on oak, which is away"):
                await at.reach.outcomes.bring_results(TASK, ranges("1"))

    asyncio.run(scenario())


def test_what_left_memory_is_brought_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, having("0-9"))
            at.learn(done_by(ELM, "0-9"), sealed=True)
            await until(lambda: TASK not in at.node.queue.replica.tasks)
            assert await at.reach.outcomes.bring_results(TASK, ranges("0-9")) == ranges("0-9")
            assert len(at.values("0-9")) == 10

    asyncio.run(scenario())


def test_two_who_want_the_same_ask_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, having("0-9"))
            at.learn(done_by(ELM, "0-9"))
            both = [at.reach.outcomes.bring_results(TASK, ranges("0-9")) for _ in range(2)]
            assert await asyncio.gather(*both) == [ranges("0-9")] * 2
            assert len(at.asked) == 1

    asyncio.run(scenario())


def test_a_full_disk_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, having("0-9", padding=100_000))
            at.learn(done_by(ELM, "0-9"))
            await at.driver.written()
            at.life.fill_the_disk()
            with pytest.raises(Unavailable, match="cannot write its journal"):
                await at.reach.outcomes.bring_results(TASK, ranges("0-9"))
            assert at.reach.shelf.absent_results(TASK, ranges("0-9")) == ranges("0-9"), "what was refused is not here"
            at.life.make_room()
            await until(lambda: not at.reach.shelf.absent_results(TASK, ranges("0-9")))
            assert len(at.values("0-9")) == 10

    asyncio.run(scenario())


def explaining(elements: str, token: int = 1) -> Answer:
    def answer(question: Question) -> Told:
        assert isinstance(question, FailuresOf)
        known = (question.ranges & ranges(elements)).take(2)
        return Told(0, failures=tuple((TASK, index, attempt(token), Failure(f"exit code {index}")) for index in known))

    return answer


def test_why_elements_failed_is_brought_a_few_at_a_time(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(OAK, explaining("3-4"))
            at.meet(ELM, explaining("0-2"))
            at.learn(failed_on(ELM, "0-4"))
            await at.reach.outcomes.bring_failures(TASK, ranges("0-9"))
            known = dict(at.journal.failures(TASK, ranges("0-9")))
            assert [known[index].reason for index in range(5)] == [f"exit code {index}" for index in range(5)]
            asked = len(at.asked)
            await at.reach.outcomes.bring_failures(TASK, ranges("0-9"))
            assert len(at.asked) == asked

    asyncio.run(scenario())


def test_reasons_of_other_attempts_are_not_taken_and_nobody_waits_for_what_nobody_knows(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, explaining("0-9", token=7))
            at.learn(failed_on(ELM, "0-1"))
            await at.reach.outcomes.bring_failures(TASK, ranges("0-1"))
            assert list(at.journal.failures(TASK, ranges("0-1"))) == []

    asyncio.run(scenario())
