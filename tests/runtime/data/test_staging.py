import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path

import msgspec

from roost.core.actions import Start
from roost.core.events import Answered, ElementFailed, ElementsDone, ElementsReturned, Event
from roost.core.mesh.mesh import Surroundings
from roost.executors.order import EachPort, Order, SharedInput
from roost.executors.worker.arrivals import GATHERED
from roost.model.ids import BlobHash, CauseId, LeaseId, task_id
from roost.model.pools import POOL_BLOCK, below
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Edge, EdgeKind, Function, Manual, TaskSpec
from roost.runtime.data.staging import stage
from tests.runtime.driving import RUN, TASK, Life, ManualExecutor, spec, submitted, until
from tests.tokens import attempt

SOURCE = task_id(RUN, "source")


def in_a_life(folder: Path, scenario: Callable[[Life], Coroutine[None, None, None]]) -> None:
    async def live() -> None:
        life = Life(folder, at_once=True)
        await scenario(life)
        life.end()

    asyncio.run(live())


def staged(life: Life, task: TaskSpec, ranges: RangeSet) -> tuple[list[Order], list[Event]]:
    """Stage a lease of a task that the node has; return what the executor got and what the core is told instead."""
    executor, events = ManualExecutor(), list[Event]()
    start = Start(LeaseId(7), 2, task, ranges, attempt(3))
    stage(start, life.journal, executor, life.node, events.append)
    return executor.orders, events


def test_a_bare_lease_is_passed_on_as_it_is(tmp_path: Path) -> None:
    async def scenario(life: Life) -> None:
        orders, events = staged(life, spec(), RangeSet.span(1, 3))
        assert orders == [Order(LeaseId(7), 2, spec(), RangeSet.span(1, 3), attempt(3))]
        assert events == []

    in_a_life(tmp_path, scenario)


def test_items_are_those_of_the_leased_elements(tmp_path: Path) -> None:
    async def scenario(life: Life) -> None:
        task = spec(count=4, has_items=True)
        await life.ask(submitted(task, items=((task.id, pack(0, [b"a", b"b", b"c", b"d"])),)))
        (order,), _ = staged(life, task, RangeSet.span(1, 3))
        assert [(segment.start, segment.values()) for segment in order.items] == [(1, [b"b", b"c"])]

    in_a_life(tmp_path, scenario)


def test_results_of_sources_arrive_at_their_ports(tmp_path: Path) -> None:
    edges = (
        Edge(SOURCE, EdgeKind.EACH, "own"),
        Edge(SOURCE, EdgeKind.ALL, "list"),
        Edge(task_id(RUN, "one"), EdgeKind.BROADCAST, "same"),
        Edge(task_id(RUN, "before"), EdgeKind.AFTER),
    )

    async def scenario(life: Life) -> None:
        task = spec(edges=edges)
        await life.ask(submitted(spec("source"), spec("one", count=1), spec("before"), task))
        await until(lambda: TASK in [order.spec.id for order in life.command.orders])
        found = [order for order in life.command.orders if order.spec.id == TASK]
        each = [value for order in found for value in values_of(order.each)]
        assert each == [b"result 0", b"result 1", b"result 2"]
        for order in found:
            assert order.shared == (
                SharedInput("list", EdgeKind.ALL, f"{SOURCE}:all", (b"result 0", b"result 1", b"result 2")),
                SharedInput("same", EdgeKind.BROADCAST, f"{RUN}/one:broadcast", (b"result 0",)),
            )

    in_a_life(tmp_path, scenario)


def test_values_that_were_amended_have_another_key_than_those_before(tmp_path: Path) -> None:
    """Workers keep what all elements share under its key; what lies there must not be out of date."""

    async def scenario(life: Life) -> None:
        task = spec(count=1, edges=(Edge(SOURCE, EdgeKind.ALL, "list"),))
        # What nobody answers keeps the run from ending.
        last = spec("last", count=1, work=Manual("Sign"))
        await life.ask(submitted(spec("source", count=2, work=Manual("Look")), task, last))

        async def answered(index: int, value: bytes) -> None:
            cause = CauseId(f"answer {index} {value!r}")
            await life.ask(Answered(cause, SOURCE, index, pack(index, [value]), "anna"))

        # Element 0 has the largest edition before anything is made of it.
        for value in (b"1", b"2", b"3"):
            await answered(0, value)
        for value in (b"1", b"2", b"3"):
            await answered(1, value)
            await until(lambda: life.command.orders and not life.node.queue.leases.active)
        shared = [order.shared[0] for order in life.command.orders]
        assert shared[-1].values == (b"3", b"3")
        by_key = {one.key: one.values for one in shared}
        assert [by_key[one.key] for one in shared] == [one.values for one in shared]
        assert len(by_key) == len({one.values for one in shared}) == 3

    in_a_life(tmp_path, scenario)


def values_of(each: tuple[EachPort, ...]) -> list[bytes]:
    (only,) = each
    assert only.port == "own"
    return [value for segment in only.segments for value in segment.values()]


def test_the_blobs_that_a_function_names_come_with_it(tmp_path: Path) -> None:
    names = [BlobHash(name) for name in ("code", "arguments", "initializer")]
    blobs = tuple((name, name.encode()) for name in names)

    async def scenario(life: Life) -> None:
        task = spec(work=Function(names[0], "3.11", arguments=names[1], initializer=names[2]))
        await life.ask(submitted(task, blobs=blobs))
        (order,), _ = staged(life, task, RangeSet.span(0, 1))
        assert order.blobs == blobs

    in_a_life(tmp_path, scenario)


def test_what_cannot_be_read_fails_every_element_for_good(tmp_path: Path) -> None:
    async def scenario(life: Life) -> None:
        task = spec(work=Function(BlobHash("gone"), "3.11"))
        orders, events = staged(life, task, RangeSet.span(0, 2))
        assert orders == []
        assert [event.index for event in events if isinstance(event, ElementFailed)] == [0, 1]
        for event in events:
            assert isinstance(event, ElementFailed)
            assert event.lease == LeaseId(7)
            assert event.failure.permanent
            assert "gone" in event.failure.reason

    in_a_life(tmp_path, scenario)


def test_what_a_full_disk_refused_in_the_last_moment_is_given_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path, medium=Surroundings())
        task = spec(work=Function(BlobHash("gone"), "3.11"))
        orders, events = staged(life, task, RangeSet.span(0, 2))
        assert (orders, events) == ([], [ElementsReturned(LeaseId(7), RangeSet.span(0, 2))])
        life.end()

    asyncio.run(scenario())


# Pools.


async def with_pool(life: Life) -> tuple[TaskSpec, TaskSpec]:
    """Submit two lists that are mapped into a pool, and what gathers it; the lists are done."""
    lists = spec("lists", count=2, is_mapped=True)
    spread, outer = Edge(lists.id, EdgeKind.SPREAD, "item"), Edge(lists.id, EdgeKind.EACH, "list")
    place = {"elements": below(lists.elements), "mapper": lists.id, "depth": 1}
    pool = msgspec.structs.replace(spec("pool", edges=(spread, outer)), **place)
    gather = spec("gather", count=2, edges=(Edge(pool.id, EdgeKind.GATHER, "all", pick="x"),))
    await life.ask(submitted(lists, pool, gather))
    results, lengths = [b"[1,2]", b"[3]"], [2, 1]
    for index in range(2):
        await until(lambda index=index: any(index in order.ranges for order in life.command.orders))
        (order,) = [order for order in life.command.orders if index in order.ranges]
        life.driver.feed(ElementsDone(order.lease, (pack(index, [results[index]]),), 0.1, ((index, lengths[index]),)))
    return pool, gather


def test_items_and_outer_results_come_once_for_all_in_their_blocks(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        pool, _ = await with_pool(life)
        await until(lambda: len(life.node.queue.replica.tasks[pool.id].present) == 3)
        (order,), _ = staged(life, pool, RangeSet.span(0, 2) | RangeSet.of([POOL_BLOCK]))
        assert [(port.port, port.kind, port.values, port.levels, str(port.parents)) for port in order.shared] == [
            ("item", EdgeKind.SPREAD, (b"[1,2]", b"[3]"), 1, "0-1"),
            ("list", EdgeKind.EACH, (b"[1,2]", b"[3]"), 1, "0-1"),
        ]
        (part,), _ = staged(life, pool, RangeSet.of([POOL_BLOCK]))
        assert part.shared[0].values == (b"[3]",)
        assert part.shared[0].key != order.shared[0].key
        life.end()

    asyncio.run(scenario())


def test_what_lies_below_each_element_is_packed_for_it_in_order(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path, cpus=8.0)
        pool, gather = await with_pool(life)
        await until(lambda: len(life.node.queue.replica.tasks[pool.id].present) == 3)
        while not life.node.queue.dataflow.is_whole(pool.id):
            for order in life.command.orders:
                if order.spec.id == pool.id and order.lease in life.node.queue.leases.active:
                    values = [b"%d" % index for index in order.ranges]
                    life.driver.feed(ElementsDone(order.lease, (pack(order.ranges.first, values),), 0.1))
            await asyncio.sleep(0.001)
        (order,), _ = staged(life, gather, RangeSet.span(0, 2))
        (each,) = order.each
        values = [value for segment in each.segments for value in segment.values()]
        assert (each.port, each.kind, each.pick) == ("all", EdgeKind.GATHER, "x")
        assert [GATHERED.decode(value) for value in values] == [[b"0", b"1"], [b"%d" % POOL_BLOCK]]
        life.end()

    asyncio.run(scenario())
