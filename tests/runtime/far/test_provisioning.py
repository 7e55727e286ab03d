"""Files that the next step names are here before it starts."""

import asyncio
import errno
import itertools
import os
from collections.abc import Callable, Coroutine, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import cast

import msgspec
import pytest

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsReturned, Progressed
from roost.executors.order import EachPort, Order, SharedInput, restricted
from roost.model.elements import Elements
from roost.model.errors import Unavailable
from roost.model.ids import BlobHash, LeaseId, TaskId, task_id
from roost.model.pools import POOL_BLOCK
from roost.model.segments import pack
from roost.model.states import Done
from roost.model.task import Command, Edge, EdgeKind, Field, FieldType, Function, Manual, TaskSpec
from roost.runtime.data.partial import Partial
from roost.runtime.data.shelf import Shelf
from roost.runtime.far import provisioning
from roost.runtime.far.output import FarOutput
from roost.runtime.far.provisioning import NeededFile, Provisioning, needed_files
from roost.wire.stored import Stored, reference_to
from roost.wire.values import CommandResult, encode_command_result, encode_item
from tests.runtime.driving import RUN, TASK, ManualExecutor, spec, until
from tests.runtime.far.bench import ELM, Bench, bench, done_by, nothing, ranges
from tests.tokens import attempt

NEXT = task_id(RUN, "next")
CONTENTS = [b"content %d" % index for index in range(4)]
NAMES = [blake2b(content, digest_size=16).hexdigest() for content in CONTENTS]
RESULTS = [
    encode_command_result(CommandResult(files={"out": (name, len(content)), "other": ("ff" * 16, 1)}))
    for name, content in zip(NAMES, CONTENTS, strict=True)
]


def reader(word: str = "{needs.made.out}", kind: EdgeKind = EdgeKind.EACH) -> TaskSpec:
    return spec("next", 4, Command(("cat", word)), edges=(Edge(TASK, kind, "made"),))


def order(lease: int = 1, lane: int = 0, elements: str = "0-3", task: TaskSpec | None = None) -> Order:
    wanted = ranges(elements)
    each = EachPort("made", tuple(pack(index, [RESULTS[index]]) for index in wanted))
    return Order(LeaseId(lease), lane, task or reader(), wanted, attempt(1), each=(each,))


class Scene:
    def __init__(self, at: Bench, *, wait_s: float = 0.0) -> None:
        self.inner = ManualExecutor()
        self.reports: list[object] = []
        self.inner.report = self.reports.append
        at.learn(done_by(ELM, "0-3"), count=4)
        self.executor = Provisioning(self.inner, self.reports.append, at.reach.output, at.reach.shelf, wait_s=wait_s)

    def started(self) -> list[tuple[int, str]]:
        return [(order.lease, str(order.ranges)) for order in self.inner.orders]


Act = Callable[[Bench, Scene], Coroutine[None, None, None]]


def play(folder: Path, act: Act, *, wait_s: float = 0.0, files: Sequence[bytes] = CONTENTS) -> None:
    async def scenario() -> None:
        async with bench(folder) as at:
            at.meet(ELM, nothing, *files)
            scene = Scene(at, wait_s=wait_s)
            await act(at, scene)
            await scene.executor.close()

    asyncio.run(scenario())


# What is needed.


def test_the_files_that_placeholders_name_are_needed_and_no_others(tmp_path: Path) -> None:
    async def act(at: Bench, _: Scene) -> None:
        shelf = at.reach.shelf
        assert list(needed_files(order(elements="1-2"), shelf)) == [
            NeededFile(NAMES[1], 9, TASK, 1),
            NeededFile(NAMES[2], 9, TASK, 2),
        ]
        assert list(needed_files(order(task=reader("{needs.made}")), shelf)) == []
        shared = SharedInput("made", EdgeKind.ALL, "key", tuple(RESULTS))
        all_of_them = Order(LeaseId(1), 0, reader(kind=EdgeKind.ALL), ranges("0"), attempt(1), shared=(shared,))
        assert [(needed.content, needed.element) for needed in needed_files(all_of_them, shelf)] == [
            (NAMES[index], index) for index in range(4)
        ]

    play(tmp_path, act)


def test_a_file_that_a_port_picks_from_an_answer_is_needed(tmp_path: Path) -> None:
    answer = encode_item({"scan": {"file": "x", "content": NAMES[0], "bytes": 9}, "good": True})
    asking = spec("made", 4, Manual("Scan it", fields=(Field("scan", FieldType.FILE),)))

    class Answers:
        def spec(self, task: TaskId) -> TaskSpec:
            return asking

        def elements(self, task: TaskId) -> Elements:
            return Elements({Done(attempt(1), ELM): ranges("0-3")})

    def needed(pick: str, word: str) -> list[NeededFile]:
        task = spec("next", 4, Command(("cat", word)), edges=(Edge(TASK, EdgeKind.EACH, "made", pick),))
        each = EachPort("made", (pack(2, [answer]),))
        asked = Order(LeaseId(1), 0, task, ranges("2"), attempt(1), each=(each,))
        return list(needed_files(asked, cast(Shelf, Answers())))

    assert needed("scan", "{needs.made}") == needed("", "{needs.made.scan}") == [NeededFile(NAMES[0], 9, TASK, 2)]
    assert needed("good", "{needs.made}") == needed("", "{needs.made}") == []


def test_a_part_of_an_order_has_the_inputs_of_its_elements() -> None:
    part = restricted(order(), ranges("0,2-3"))
    assert part.ranges == ranges("0,2-3")
    assert [segment.start for segment in part.each[0].segments] == [0, 2, 3]
    assert restricted(part, part.ranges) is part


# What happens.


def test_what_is_here_starts_at_once(tmp_path: Path) -> None:
    async def act(at: Bench, scene: Scene) -> None:
        for name, content in zip(NAMES, CONTENTS, strict=True):
            (at.places.blobs / name).write_bytes(content)
        scene.executor.start(order())
        scene.executor.start(Order(LeaseId(2), 0, spec(), ranges("0"), attempt(1)))
        assert scene.started() == [(1, "0-3"), (2, "0")]
        assert at.asked == []

    play(tmp_path, act)


def test_a_lease_starts_when_its_files_are_here_and_those_behind_it_in_its_lane_after_it(tmp_path: Path) -> None:
    async def act(at: Bench, scene: Scene) -> None:
        scene.executor.start(order(1))
        scene.executor.start(Order(LeaseId(2), 0, spec(), ranges("0"), attempt(1)))
        scene.executor.start(Order(LeaseId(3), 1, spec(), ranges("1"), attempt(1)))
        scene.executor.pause(LeaseId(1))
        assert scene.started() == [(3, "1")]
        await until(lambda: len(scene.inner.orders) == 3)
        assert scene.started() == [(3, "1"), (1, "0-3"), (2, "0")]
        assert scene.inner.told == [("pause", 1)]
        assert [(at.places.blobs / name).read_bytes() for name in NAMES] == CONTENTS
        scene.executor.resume(LeaseId(1))
        scene.executor.start(order(4))
        assert scene.started()[-1] == (4, "0-3"), "nothing is held any more"
        assert scene.inner.told[-1] == ("resume", 1)

    play(tmp_path, act)


def test_what_is_stopped_before_it_began_is_given_back_and_not_started(tmp_path: Path) -> None:
    async def act(_: Bench, scene: Scene) -> None:
        scene.executor.start(order(1))
        scene.executor.start(order(2, elements="0"))
        scene.executor.stop(LeaseId(1), ranges("1-2,7"), StopMode.UNSTARTED)
        scene.executor.stop(LeaseId(2), ranges("0"), StopMode.KILL)
        assert scene.reports == [ElementsReturned(LeaseId(1), ranges("1-2")), ElementsReturned(LeaseId(2), ranges("0"))]
        await until(lambda: scene.inner.orders)
        await until(lambda: not scene.executor._held)
        assert scene.started() == [(1, "0,3")]
        scene.executor.stop(LeaseId(1), ranges("3"), StopMode.KILL)
        assert scene.inner.told == [("stop kill", 1)]

    play(tmp_path, act)


def test_those_behind_a_lease_that_was_stopped_do_not_wait_for_its_files(tmp_path: Path) -> None:
    async def act(at: Bench, scene: Scene) -> None:
        scene.executor.start(order(1))
        scene.executor.start(Order(LeaseId(2), 0, spec(), ranges("0"), attempt(1)))
        await until(lambda: at.asked)
        scene.executor.stop(LeaseId(1), ranges("0-3"), StopMode.KILL)
        await until(lambda: scene.started() == [(2, "0")])

    play(tmp_path, act, wait_s=60.0, files=())


def test_elements_fail_with_a_sentence_when_nobody_has_their_files(tmp_path: Path) -> None:
    async def act(_: Bench, scene: Scene) -> None:
        scene.executor.start(order(1, elements="2-3"))
        await until(lambda: len(scene.reports) == 2)
        for index, report in zip((2, 3), scene.reports, strict=True):
            assert isinstance(report, ElementFailed)
            assert report.index == index
            assert report.failure.reason.startswith(f"it cannot have its inputs: the file with the content {NAMES[2]}")
            assert not report.failure.permanent
        assert scene.started() == []

    play(tmp_path, act, files=())


def test_elements_whose_files_find_no_room_here_are_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bool:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def act(_: Bench, scene: Scene) -> None:
        monkeypatch.setattr(Partial, "write", refuse)
        scene.executor.start(order(1, elements="2-3"))
        await until(lambda: bool(scene.reports))
        (report,) = scene.reports
        assert isinstance(report, ElementsReturned)
        assert str(report.ranges) == "2-3"
        assert report.no_room.endswith("cannot be kept here: No space left on device")

    play(tmp_path, act, wait_s=60.0)


def test_how_much_of_a_large_file_has_come_is_said_and_patience_lasts_while_it_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provisioning, "TELL_S", 0.01)
    monkeypatch.setattr(provisioning, "ASK_AGAIN_S", 0.01)
    monkeypatch.setattr(FarOutput, "bytes_here", lambda *_: next(growing))
    growing = itertools.count(1_000_000, 1_000_000)
    asked = 0

    async def breaks_off_twice(*_: object) -> Path:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0.5)
        if asked < 3:
            raise Unavailable("it broke off")
        return Path()

    async def act(at: Bench, scene: Scene) -> None:
        monkeypatch.setattr(at.reach.output, "file", breaks_off_twice)
        scene.executor.start(order(1, elements="2-3"))
        await until(lambda: scene.started() == [(1, "2-3")])
        told = [report for report in scene.reports if isinstance(report, Progressed)]
        assert told[0] == Progressed(LeaseId(1), 2, 0.0, "its input comes: 976.6 KiB of 9 B")
        assert len(told) > 2
        assert told == scene.reports, "nothing failed, though it took longer than anybody waits for nothing"

    play(tmp_path, act, wait_s=0.4)


class PoolShelf:
    """Knows where the makers lie, and which of them are done."""

    def __init__(self, depth: int, done: str) -> None:
        self._spec = msgspec.structs.replace(spec("work", 1), depth=depth)
        self._elements = Elements({Done(attempt(1), ELM): ranges(done)})

    def spec(self, task: TaskId) -> TaskSpec:
        return self._spec

    def elements(self, task: TaskId) -> Elements:
        return self._elements


def in_pool(task: TaskSpec) -> TaskSpec:
    return msgspec.structs.replace(task, depth=1)


def test_files_of_all_that_lies_below_are_needed_with_the_elements_that_left_them() -> None:
    packed = [msgspec.msgpack.encode(RESULTS[:2]), msgspec.msgpack.encode(RESULTS[2:3])]
    each = EachPort("made", (pack(0, packed),), EdgeKind.GATHER)
    gathering = Order(LeaseId(1), 0, reader(kind=EdgeKind.GATHER), ranges("0-1"), attempt(1), each=(each,))
    shelf = cast(Shelf, PoolShelf(1, f"0-1,{POOL_BLOCK}"))
    assert [(needed.content, needed.element) for needed in needed_files(gathering, shelf)] == [
        (NAMES[0], 0),
        (NAMES[1], 1),
        (NAMES[2], POOL_BLOCK),
    ]


def test_files_of_the_element_outside_are_needed_in_its_block() -> None:
    parents = ranges("1,3")
    shared = SharedInput("made", EdgeKind.EACH, "key", (RESULTS[1], RESULTS[3]), levels=1, parents=parents)
    task = in_pool(reader())
    inside = Order(LeaseId(1), 0, task, ranges(f"{POOL_BLOCK},{3 * POOL_BLOCK}"), attempt(1), shared=(shared,))
    shelf = cast(Shelf, PoolShelf(0, "0-3"))
    assert [(needed.content, needed.element) for needed in needed_files(inside, shelf)] == [
        (NAMES[1], 1),
        (NAMES[3], 3),
    ]


# Values that are too large to travel with their records.


def value_order(lease: int = 1) -> Order:
    """A function that takes large values of its own and one that all share."""
    references = [reference_to(Stored(name, len(content))) for name, content in zip(NAMES, CONTENTS, strict=True)]
    each = EachPort("made", (pack(0, [references[0]]),))
    shared = SharedInput("all", EdgeKind.ALL, "key", (references[2], b"x"))
    work = Function(BlobHash("ab" * 16), "3.11")
    edges = (Edge(TASK, EdgeKind.EACH, "made"), Edge(TASK, EdgeKind.ALL, "all"))
    items = (pack(0, [references[1]]),)
    task = spec("next", 1, work, edges=edges)
    return Order(LeaseId(lease), 0, task, ranges("0"), attempt(1), items=items, each=(each,), shared=(shared,))


def test_large_values_are_brought_before_a_function_that_takes_them_starts(tmp_path: Path) -> None:
    async def act(at: Bench, scene: Scene) -> None:
        scene.executor.start(value_order())
        assert scene.started() == []
        await until(lambda: scene.started() == [(1, "0")])
        assert all(at.reach.output.has_file(name) for name in NAMES[:3])
        scene.executor.start(value_order(2))
        assert scene.started() == [(1, "0"), (2, "0")]

    play(tmp_path, act, wait_s=5.0)


def test_a_value_that_nobody_has_is_left_for_the_element_to_tell(tmp_path: Path) -> None:
    async def act(at: Bench, scene: Scene) -> None:
        scene.executor.start(value_order())
        await until(lambda: scene.started() == [(1, "0")])
        assert scene.reports == []

    play(tmp_path, act, files=())
