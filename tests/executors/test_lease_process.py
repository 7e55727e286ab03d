"""What launchers and workers have in common, seen from the node."""

import asyncio
from pathlib import Path

import pytest

from roost.executors import lease_process
from roost.executors.lease_process import LeaseProcess
from roost.executors.process import Child, Ending
from roost.executors.worker.messages import Keep, ToChild
from roost.model.task import Command
from tests.executors.lab import Answers, Orders, arguments, function_of, make_places


class Passing(LeaseProcess):
    """A process of no kind in particular, all of whose elements come back."""

    name = "it"

    def _judge(self, ending: Ending) -> None:
        pass


def test_a_process_that_cannot_be_started_fails_its_leases_and_leaves_no_notes(tmp_path: Path) -> None:
    async def play() -> None:
        answers, places = Answers(), make_places(tmp_path)
        places.life.mkdir()
        process = Passing("roost.no.such.module", "passing-1", places, answers.report, ())
        order = Orders().make(Command(("true",)), 2)
        process.start(order)
        assert order.lease in process
        await answers.of(order)
        assert answers.failure(order, 1).reason == "it could not be started: it exited with code 1"
        assert process.ended.is_set()
        assert list(places.life.iterdir()) == []

    asyncio.run(play())


def test_one_that_is_silenced_reports_nothing(tmp_path: Path) -> None:
    async def play() -> None:
        answers = Answers()
        process = Passing("roost.no.such.module", "passing-2", make_places(tmp_path), answers.report, ())
        process.start(Orders().make(Command(("true",))))
        process.silence()
        await process.ended.wait()
        assert answers.all == []

    asyncio.run(play())


def test_small_blobs_travel_with_the_first_lease_that_names_them_and_large_ones_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[ToChild, ...]] = []
    monkeypatch.setattr(Child, "send", lambda _, *messages: sent.append(messages))
    work, blobs = function_of(abs)

    async def play() -> None:
        process = Passing("roost.no.such.module", "passing-3", make_places(tmp_path), lambda _: None, ())
        orders = Orders()
        for _ in range(2):
            process.start(orders.make(work, items=[arguments(1)], blobs=blobs))
        monkeypatch.setattr(lease_process, "_TOGETHER_BYTES", 0)
        other, others = function_of(len)
        process.start(orders.make(other, items=[arguments("x")], blobs=others))
        await process.ended.wait()

    asyncio.run(play())
    assert [[type(message).__name__ for message in together] for together in sent] == [
        ["Keep", "Order"],
        ["Order"],
        ["Keep"],
        ["Order"],
    ]
    ((name, data),) = blobs
    assert sent[0][0] == Keep(name, (data,))
