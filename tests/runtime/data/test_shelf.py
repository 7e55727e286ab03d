"""What is known of a task, and which of its outcomes are here: the same whether it is in memory or on disk only."""

import asyncio
from pathlib import Path

from roost.core.facts import ResultsStored, RunMerged, StatesMerged
from roost.model.elements import Elements
from roost.model.ranges import EMPTY
from roost.model.segments import pack
from roost.model.task import Failure
from roost.runtime.data.shelf import Shelf
from roost.wire.messages import Facts
from tests.runtime.driving import TASK
from tests.runtime.far.bench import ELM, OAK, bench, done_by, failed_on, ranges
from tests.runtime.journalling import OpenJournal, run_record, task_added
from tests.tokens import attempt


def test_results_are_here_only_with_the_token_and_the_maker_that_the_state_names(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.learn(done_by(ELM, "0-3", token=2), done_by(OAK, "4-5", token=3))
            made = [(TASK, attempt(2), ELM, pack(1, [b"", b""])), (TASK, attempt(2), OAK, pack(4, [b""]))]
            at.hear(ELM, Facts(results=tuple(made)))
            shelf = at.reach.shelf
            assert shelf.absent_results(TASK, ranges("0-9")) == ranges("0,3-5")
            assert shelf.absent_results(TASK, ranges("1-2,7")) == EMPTY
            assert shelf.spec(TASK).id == TASK
            assert shelf.state(TASK, 4) == done_by(OAK, "4", token=3)[0]
            assert shelf.state(TASK, 9) is None

    asyncio.run(scenario())


def test_what_has_left_memory_is_looked_up_on_disk(tmp_path: Path, open_journal: OpenJournal) -> None:
    async def scenario() -> None:
        async with bench(tmp_path / "other") as at:
            states = Elements(dict([done_by(ELM, "0-3", token=2), failed_on(OAK, "4-5")]))
            open_journal.write(RunMerged(run_record()), task_added(TASK), StatesMerged(TASK, states))
            open_journal.write(ResultsStored(TASK, attempt(2), ELM, pack(0, [b"", b""])))
            open_journal.write(ResultsStored(TASK, attempt(1), ELM, pack(2, [b"", b""])))
            shelf = Shelf(at.node, open_journal.journal)
            assert shelf.absent_results(TASK, ranges("0-9")) == ranges("2-3")
            assert shelf.absent_failures(TASK, ranges("0-4")) == {4: (attempt(1), OAK)}

    (tmp_path / "other").mkdir()
    asyncio.run(scenario())


def test_a_failure_of_an_earlier_attempt_does_not_explain_the_last(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.learn(failed_on(ELM, "0-2", token=4))
            noted = [(TASK, 0, attempt(4), Failure("now")), (TASK, 1, attempt(3), Failure("before"))]
            at.hear(ELM, Facts(failures=tuple(noted)))
            await at.driver.written()
            assert at.reach.shelf.absent_failures(TASK, ranges("0-9")) == {1: (attempt(4), ELM), 2: (attempt(4), ELM)}

    asyncio.run(scenario())
