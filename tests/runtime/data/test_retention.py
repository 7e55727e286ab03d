"""What forgotten runs leave is removed, and old runs are forgotten if the owner wants it."""

import asyncio
import os
from pathlib import Path

import pytest

from roost.core.actions import Accepted, RunChanged
from roost.core.events import ElementsDone, ForgetAsked
from roost.core.telling.views import RunView
from roost.executors.places import Places
from roost.model.clock import Stamp
from roost.model.ids import CauseId, NodeId, RunId
from roost.model.limits import CLOCK_LEAD_MAX_S
from roost.model.record import RunRecord
from roost.model.segments import pack
from roost.model.task import RunKind, RunSpec
from roost.runtime.data.retention import TOGETHER_MAX, Retention, folder_bytes, in_turn, is_dated_ahead, is_older
from roost.runtime.journal.archive import archived_run_view
from roost.runtime.journal.recall import recall
from roost.wire.values import CommandResult, encode_command_result
from tests.runtime.driving import PATIENCE_S, RUN, Life, spec, submitted, until


def view(number: int, *, ended_at: float | None = 5.0, needed_by: tuple[RunId, ...] = ()) -> RunView:
    run = RunSpec(RunId(f"{number}-bababa"), "x", RunKind.FLOW, "ann", "ash", Stamp(number, 0, NodeId("ash")))
    return RunView(RunRecord(run, needed_by=needed_by), "done", {}, 1, ended_at)


def test_a_run_is_old_when_its_end_is_long_ago() -> None:
    assert is_older(view(1), 10.0, now=15.0)
    assert not is_older(view(1), 10.0, now=14.0)
    assert not is_older(view(1, ended_at=None), 10.0, now=1e9)


def test_a_run_that_ends_later_than_clocks_may_differ_is_dated_ahead() -> None:
    assert is_dated_ahead(view(1, ended_at=1e9), now=1e9 - CLOCK_LEAD_MAX_S - 1)
    assert not is_dated_ahead(view(1, ended_at=1e9), now=1e9 - CLOCK_LEAD_MAX_S)
    assert not is_dated_ahead(view(1, ended_at=None), now=0.0)


def test_what_builds_on_another_goes_no_later_and_what_is_needed_stays() -> None:
    one, two, three = view(1, needed_by=(RunId("2-bababa"),)), view(2), view(3, needed_by=(RunId("9-bababa"),))
    four = view(4, needed_by=(RunId("3-bababa"),))
    assert in_turn([one, two], lambda _: True) == [("2-bababa", "1-bababa")]
    assert in_turn([one], lambda _: True) == []
    assert in_turn([one], lambda _: False) == [("1-bababa",)]
    assert in_turn([three, four], lambda _: True) == []
    many = in_turn([view(number) for number in range(1, TOGETHER_MAX + 10)], lambda _: True)
    assert [len(step) for step in many] == [TOGETHER_MAX, 9]


def test_the_size_of_a_folder_is_that_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x").write_bytes(b"12345")
    assert folder_bytes(tmp_path) == 5
    assert folder_bytes(tmp_path / "nothing") == 0


def test_old_runs_of_this_node_go_with_their_logs_and_files(tmp_path: Path) -> None:
    places = Places(tmp_path / "logs", tmp_path / "blobs", tmp_path / "scratch")
    content = "ab" * 16
    (places.logs / RUN / "work").mkdir(parents=True)
    places.blobs.mkdir()
    places.blob_path(content).write_bytes(b"left")
    begun, given_up = (places.blobs / f".partial-{letter * 32}" for letter in "cd")
    begun.write_bytes(b"a part")
    given_up.write_bytes(b"a part")
    os.utime(given_up, (0, 0))

    async def scenario() -> None:
        life = Life(tmp_path, at_once=False)
        await life.ask(submitted(spec(count=1)))
        await until(lambda: life.command.orders)
        value = encode_command_result(CommandResult(files={"f": (content, 4)}))
        life.driver.feed(ElementsDone(life.command.orders[0].lease, (pack(0, [value]),), 0.001))
        await until(lambda: RunChanged(RUN, "done") in life.changes)
        await life.driver.written()

        def ask(request: ForgetAsked) -> "asyncio.Future[Accepted]":
            life.driver.feed(recall(life.journal, life.node.queue.replica, request.runs, ()))
            return asyncio.ensure_future(answered(request))

        async def answered(request: ForgetAsked) -> Accepted:
            outcome = await life.ask(request)
            assert isinstance(outcome, Accepted)
            for change in life.changes:
                retention.hear(change)
            return outcome

        retention = Retention(
            life.node,
            life.journal,
            places,
            ask,
            lambda run: archived_run_view(life.journal, run),
            lambda word: CauseId(f"{word}-1"),
            keep_s=1e-9,
            file_age_s=0.0,
        )
        retention.start()
        await until(lambda: life.journal.forgotten_ids() == [RUN])
        await until(lambda: not (places.logs / RUN).exists() and not places.blob_path(content).exists())
        await until(lambda: not life.journal.free_pages and not life.journal.orphans())
        await until(lambda: not given_up.exists())
        await retention.close()
        life.end()

    asyncio.run(scenario())
    assert list(places.blobs.iterdir()) == [begun]


@pytest.mark.parametrize("turns", range(12))
def test_it_ends_when_it_is_told_to_whatever_it_hears_at_that_moment(tmp_path: Path, turns: int) -> None:
    places = Places(tmp_path / "logs", tmp_path / "blobs", tmp_path / "scratch")

    async def scenario() -> None:
        life = Life(tmp_path, at_once=False)
        retention = Retention(
            life.node,
            life.journal,
            places,
            lambda _: asyncio.get_running_loop().create_future(),
            lambda run: archived_run_view(life.journal, run),
            lambda word: CauseId(f"{word}-1"),
        )
        retention.start()
        await asyncio.sleep(0.05)
        retention.hear(RunChanged(RUN, "forgotten"))
        for _ in range(turns):
            await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE_S):
            await retention.close()
        life.end()

    asyncio.run(scenario())
