import asyncio
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from roost.api.python_session import Ended, Failures, FromNode, Named, Results, Together, decode_from_node
from roost.app.web.outcomes import Outcomes
from roost.core.actions import RunChanged, TaskChanged
from roost.core.events import Submitted
from roost.model.errors import Damaged
from roost.model.ids import BlobHash, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.task import Failure, Function, RunKind, RunSpec, TaskSpec
from tests.client.small_node import SmallService

RUN, TASK = RunId("1-bababa"), TaskId("1-bababa/f")


class SlowSocket:
    """Takes a message only when it is let; remembers what it took."""

    def __init__(self) -> None:
        self.taken: list[FromNode] = []
        self.changed = asyncio.Condition()
        self.gate = asyncio.Event()
        self.gate.set()

    async def send_bytes(self, data: bytes) -> None:
        await self.gate.wait()
        async with self.changed:
            message = decode_from_node(data)
            parts = message.messages if isinstance(message, Together) else (data,)
            self.taken += [decode_from_node(part) for part in parts]
            self.changed.notify_all()


class Scene:
    def __init__(self, count: int) -> None:
        self.service = SmallService()
        self.service.holding = True
        self.socket = SlowSocket()
        self.outcomes = Outcomes(self.service, self.socket)  # type: ignore[arg-type]
        self.count = count

    async def begin(self) -> "asyncio.Task[None]":
        stamp = self.service.stamp()
        run = RunSpec(RUN, "test", RunKind.SESSION, "me", "here", stamp)
        spec = TaskSpec(TASK, RUN, Function(BlobHash("ab"), "3.11"), RangeSet.span(0, self.count), stamp)
        await self.service.ask(Submitted(self.service.new_cause("submit"), run, (spec,), open=True))
        self.service.listen(self.outcomes.hear)
        return asyncio.create_task(self.outcomes.write())

    def finish(self, *indices: int) -> None:
        for index in indices:
            self.service.values[TASK][index] = pickle.dumps(index)
        self.service._move(TASK, "done", RangeSet.of(indices))

    async def until_taken(self, count: int) -> list[FromNode]:
        async with asyncio.timeout(10), self.socket.changed:
            await self.socket.changed.wait_for(lambda: len(self.socket.taken) >= count)
        return self.socket.taken


def play(scene: Scene, act: Any) -> None:
    async def playing() -> None:
        writer = await scene.begin()
        await act()
        writer.cancel()
        await asyncio.wait([writer])

    asyncio.run(playing())


def test_changes_that_come_while_the_client_is_slow_are_sent_together() -> None:
    scene = Scene(100)

    async def act() -> None:
        scene.outcomes.watch(TASK, RangeSet.span(0, 100))
        scene.socket.gate.clear()
        scene.finish(0)
        await asyncio.sleep(0)
        for index in range(1, 100):
            scene.finish(index)
        scene.socket.gate.set()
        taken = await scene.until_taken(2)
        counts = [sum(part.count for part in message.segments) for message in taken if isinstance(message, Results)]
        assert counts == [1, 99]

    play(scene, act)


def test_only_what_is_watched_is_sent_and_each_element_once() -> None:
    scene = Scene(10)

    async def act() -> None:
        scene.outcomes.watch(TASK, RangeSet.span(0, 3))
        scene.finish(1, 7)
        await scene.until_taken(1)
        scene.outcomes.hear(TaskChanged(TASK, "done", RangeSet.of([1, 7])))
        scene.finish(2)
        taken = await scene.until_taken(2)
        assert taken == [
            Results(TASK, (pack(1, [pickle.dumps(1)]),)),
            Results(TASK, (pack(2, [pickle.dumps(2)]),)),
        ]

    play(scene, act)


def test_answers_go_before_outcomes() -> None:
    scene = Scene(1)

    async def act() -> None:
        scene.outcomes.watch(TASK, RangeSet.span(0, 1))
        scene.finish(0)
        scene.outcomes.answer(Named(7, RUN))
        taken = await scene.until_taken(2)
        assert [type(message) for message in taken] == [Named, Results]

    play(scene, act)


def test_catching_up_tells_what_ended_before() -> None:
    scene = Scene(4)

    async def act() -> None:
        scene.finish(0)
        scene.service.faults[TASK][1] = Failure("exit code 3")
        scene.service._move(TASK, "failed", RangeSet.of([1]))
        scene.service._move(TASK, "cancelled", RangeSet.of([2]))
        scene.outcomes.catch_up(TASK, RangeSet.span(0, 4))
        taken = await scene.until_taken(3)
        assert taken == [
            Results(TASK, (pack(0, [pickle.dumps(0)]),)),
            Failures(TASK, ((1, Failure("exit code 3")),)),
            Ended(TASK, "cancelled", RangeSet.of([2])),
        ]

    play(scene, act)


def test_a_failed_attempt_is_no_news_if_another_follows() -> None:
    scene = Scene(1)

    async def act() -> None:
        scene.outcomes.watch(TASK, RangeSet.span(0, 1))
        scene.service.faults[TASK][0] = Failure("exit code 3")
        scene.outcomes.hear(TaskChanged(TASK, "failed", RangeSet.span(0, 1)))
        scene.finish(0)
        taken = await scene.until_taken(1)
        assert isinstance(taken[0], Results)

    play(scene, act)


def test_what_was_aborted_is_told_when_the_run_has_finished() -> None:
    scene = Scene(1)

    async def act() -> None:
        scene.outcomes.watch(TASK, RangeSet.span(0, 1))
        scene.service.ranges[TASK] = {"aborted": RangeSet.span(0, 1)}
        scene.outcomes.hear(RunChanged(RUN, "failed"))
        assert await scene.until_taken(1) == [Ended(TASK, "aborted", RangeSet.span(0, 1))]

    play(scene, act)


def test_large_results_travel_in_several_messages() -> None:
    scene = Scene(3000)

    async def act() -> None:
        scene.outcomes.watch(TASK, RangeSet.span(0, 3000))
        scene.service.values[TASK] = {index: bytes(1000) for index in range(3000)}
        scene.service._move(TASK, "done", RangeSet.span(0, 3000))
        taken = await scene.until_taken(3)
        assert [sum(part.count for part in message.segments) for message in taken if isinstance(message, Results)] == [
            1000,
            1000,
            1000,
        ]

    play(scene, act)


def test_results_on_other_nodes_are_told_when_they_are_here_and_others_do_not_wait() -> None:
    scene = Scene(3)

    async def act() -> None:
        scene.outcomes.watch(TASK, RangeSet.span(0, 3))
        scene.service.far[TASK] = RangeSet.span(1, 2)
        scene.finish(0, 1, 2)
        first, second = await scene.until_taken(2)
        assert isinstance(first, Results)
        assert [segment.start for segment in first.segments] == [0, 2]
        assert second == Results(TASK, (pack(1, [pickle.dumps(1)]),))

    play(scene, act)


def _damaged_once(results: Callable[[TaskId, RangeSet], Iterator[Segment]], index: int) -> Any:
    """Read results one by one; this one is damaged when it is read first."""
    damaged = [index]

    def read(task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        for at in ranges:
            if at in damaged:
                damaged.clear()
                raise Damaged("it was damaged")
            yield from results(task, RangeSet.span(at, at + 1))

    return read


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_result_that_turns_out_to_be_damaged_is_told_when_it_is_there_again(
    index: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(3)

    async def act() -> None:
        scene.outcomes.watch(TASK, RangeSet.span(0, 3))
        monkeypatch.setattr(scene.service, "results", _damaged_once(scene.service.results, index))
        scene.finish(0, 1, 2)
        taken = await scene.until_taken(1 if index == 0 else 2)
        told = [part.start for message in taken if isinstance(message, Results) for part in message.segments]
        assert told == [0, 1, 2]

    play(scene, act)


def test_a_failure_that_nobody_here_can_explain_is_asked_for_and_told() -> None:
    scene = Scene(1)

    async def act() -> None:
        scene.outcomes.watch(TASK, RangeSet.span(0, 1))
        scene.service.faults[TASK][0] = Failure("exit code 3")
        scene.service.unknown[TASK] = RangeSet.span(0, 1)
        scene.service._move(TASK, "failed", RangeSet.span(0, 1))
        assert await scene.until_taken(1) == [Failures(TASK, ((0, Failure("exit code 3")),))]

    play(scene, act)
