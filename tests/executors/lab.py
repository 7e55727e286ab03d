"""A place to try executors in: a home folder, orders, and the answers that came back."""

import asyncio
import pickle
import sys
import time
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import cloudpickle
from msgspec.structs import replace

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.order import EachPort, Order, SharedInput
from roost.executors.places import Places
from roost.executors.port import Executor
from roost.executors.worker.raised import PYTHON
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, LeaseId, NodeId, RunId, TaskId
from roost.model.limits import OUTPUT_QUOTA_BYTES
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Failure, Function, Needs, Script, TaskSpec, Work
from roost.wire.values import CommandResult, decode_command_result, decode_item, encode_item
from tests.tokens import attempt

RUN = RunId("7-kedova")
TASK = TaskId("7-kedova/work")
WAIT_S = 30.0

Answer = ElementsDone | ElementFailed | ElementsReturned | Progressed


def make_places(root: Path) -> Places:
    places = Places(root / "logs", root / "blobs", root / "scratch")
    for folder in (places.logs, places.blobs, places.scratch):
        folder.mkdir(parents=True)
    return places


def function_of(
    call: Callable[..., Any], *, initializer: Callable[[], Any] | None = None, arguments: bytes | None = None
) -> tuple[Function, tuple[tuple[BlobHash, bytes], ...]]:
    """Pickle a function as a client does; return the work and the blobs that it names."""
    blobs: list[tuple[BlobHash, bytes]] = []

    def named(data: bytes) -> BlobHash:
        name = BlobHash(blake2b(data, digest_size=16).hexdigest())
        blobs.append((name, data))
        return name

    # As if it stood in a script: workers cannot import the tests.
    if call.__module__.startswith("tests."):
        cloudpickle.register_pickle_by_value(sys.modules[call.__module__])
    work = Function(
        named(cloudpickle.dumps(call)),
        PYTHON,
        arguments=None if arguments is None else named(arguments),
        initializer=None if initializer is None else named(cloudpickle.dumps(initializer)),
    )
    return work, tuple(blobs)


def arguments(*args: Any, **kwargs: Any) -> bytes:
    return pickle.dumps((args, kwargs))


class Answers:
    """What an executor reported, sorted by element."""

    def __init__(self) -> None:
        self.all: list[Answer] = []
        self.values: dict[tuple[int, int], bytes] = {}
        self.failures: dict[tuple[int, int], Failure] = {}
        self.returned: set[tuple[int, int]] = set()
        self.progress: list[Progressed] = []
        #: Called with every answer while it is being reported, as a node would act on it.
        self.then: Callable[[Answer], None] = lambda _answer: None
        self._counts: dict[tuple[int, int], int] = {}
        self._changed = asyncio.Event()

    def report(self, answer: Answer) -> None:
        self.all.append(answer)
        self._changed.set()
        match answer:
            case ElementsDone(lease, segments):
                for segment in segments:
                    for index, value in enumerate(segment.values(), segment.start):
                        self.values[lease, index] = value
                        self._count(lease, index)
            case ElementFailed(lease, index, failure):
                self.failures[lease, index] = failure
                self._count(lease, index)
            case ElementsReturned(lease, ranges):
                for index in ranges:
                    self.returned.add((lease, index))
                    self._count(lease, index)
            case Progressed():
                self.progress.append(answer)
        self.then(answer)

    def _count(self, lease: int, index: int) -> None:
        self._counts[lease, index] = self._counts.get((lease, index), 0) + 1

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that shows in the answers or in files; fail after a while."""
        give_up = time.monotonic() + WAIT_S
        while not condition():
            assert time.monotonic() < give_up, f"waited in vain; so far: {self.all}"
            try:
                await asyncio.wait_for(self._changed.wait(), 0.01)
            except TimeoutError:
                continue
            self._changed.clear()

    async def of(self, *orders: Order) -> None:
        """Wait until every element of the orders is answered; then each must be so once."""
        wanted = {(order.lease, index) for order in orders for index in order.ranges}
        await self.until(lambda: wanted <= self._counts.keys())
        assert all(count == 1 for count in self._counts.values()), f"answered more than once: {self._counts}"

    def results(self, order: Order) -> dict[int, CommandResult]:
        return {
            index: decode_command_result(data) for (lease, index), data in self.values.items() if lease == order.lease
        }

    def objects(self, order: Order) -> dict[int, Any]:
        return {index: pickle.loads(data) for (lease, index), data in self.values.items() if lease == order.lease}

    def json(self, order: Order) -> dict[int, Any]:
        return {index: decode_item(data) for (lease, index), data in self.values.items() if lease == order.lease}

    def failure(self, order: Order, index: int = 0) -> Failure:
        return self.failures[order.lease, index]


def order_of(work: Work, *bounds: int, lease: int = 1, **parts: Any) -> Order:
    """A plain order, as a process is told of it."""
    spec = TaskSpec(TASK, RUN, work, RangeSet(bounds), Stamp(0, 0, NodeId("here")))
    return Order(**({"lease": lease, "lane": 0, "spec": spec, "ranges": spec.elements, "token": attempt(1)} | parts))


class Orders:
    """Makes orders with leases that are all different."""

    def __init__(self) -> None:
        self._last = 0

    def make(
        self,
        work: Work,
        count: int = 1,
        *,
        start: int = 0,
        lane: int = 1,
        items: list[bytes] | None = None,
        each: tuple[EachPort, ...] = (),
        shared: tuple[SharedInput, ...] = (),
        blobs: tuple[tuple[BlobHash, bytes], ...] = (),
        limit_s: float | None = None,
        memory_bytes: int = 0,
        token: int = 1,
    ) -> Order:
        self._last += 1
        ranges = RangeSet.span(start, start + count)
        stamp = Stamp(0, 0, NodeId("here"))
        needs = Needs.of(memory_bytes=memory_bytes, time_limit_s=limit_s)
        spec = TaskSpec(TASK, RUN, work, ranges, stamp, needs=needs, has_items=items is not None)
        packed = () if items is None else (pack(start, items),)
        return Order(
            LeaseId(self._last),
            lane,
            spec,
            ranges,
            attempt(token),
            again=token > 1,
            items=packed,
            each=each,
            shared=shared,
            blobs=blobs,
        )


def script_of(code: str, *arguments: Any) -> tuple[Script, tuple[tuple[BlobHash, bytes], ...]]:
    """A script as the API makes it, with its blobs."""
    contents = [code.encode(), encode_item(list(arguments))]
    blobs = [(BlobHash(blake2b(content, digest_size=16).hexdigest()), content) for content in contents]
    return Script(blobs[0][0], "job", arguments=blobs[1][0]), tuple(blobs)


def json_items(*items: Any) -> list[bytes]:
    return [encode_item(item) for item in items]


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and merely was not fetched by its parent does not."""
    return process_state(pid) not in ("", "Z", "X")


def process_state(pid: int) -> str:
    """R, S, T (stopped), Z, ... or nothing if there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def read_pid(path: Path) -> int:
    """Read a pid that another process writes; 0 until it is there."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return 0
    return int(text) if text.endswith("\n") else 0


class Shop:
    """An executor in a home of its own, with everything that is needed to try it."""

    def __init__(self, places: Places, make: Callable[[Places, Callable[[Answer], None]], Executor]) -> None:
        self.places = places
        self.answers = Answers()
        self.orders = Orders()
        self.executor = make(places, self.answers.report)

    def start(self, work: Work, count: int = 1, **options: Any) -> Order:
        order = self.orders.make(work, count, **options)
        self.executor.start(order)
        return order

    async def run(self, work: Work, count: int = 1, **options: Any) -> Order:
        """Start an order and wait for its answers."""
        order = self.start(work, count, **options)
        await self.answers.of(order)
        return order


def open_shop(
    root: Path,
    make: Callable[[Places, Callable[[Answer], None]], Executor],
    scene: Callable[[Shop], Awaitable[None]],
    *,
    output_bytes: int = OUTPUT_QUOTA_BYTES,
) -> None:
    """Play a scene in a fresh shop and close it; elements may write ``output_bytes`` to each stream."""

    async def play() -> None:
        places = replace(make_places(root / "home"), output_bytes_max=output_bytes)
        shop = Shop(places, make)
        try:
            await scene(shop)
        finally:
            await shop.executor.close()

    asyncio.run(play())
