"""Scripts: real worker processes, what comes back of them, and how they fail."""

import os
import pickle
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roost.core.events import Progressed
from roost.executors.order import EachPort, Order, SharedInput
from roost.executors.script import ScriptExecutor, has_engine
from roost.executors.worker_process import WorkerProcess
from roost.model.limits import MIB
from roost.model.segments import pack
from roost.model.task import EdgeKind, PortType
from roost.wire.values import CommandResult, encode_command_result
from tests.executors.lab import TASK, Shop, json_items, open_shop, script_of

Scene = Callable[[Shop], Awaitable[None]]
ITEM = {"item": True}


@pytest.fixture
def play(tmp_path: Path) -> Callable[[Scene], None]:
    return lambda scene: open_shop(tmp_path, ScriptExecutor, scene)


def call(shop: Shop, code: str, *items: Any, **options: Any) -> Order:
    """Start one element for each item."""
    work, blobs = script_of(code, ITEM)
    return shop.start(work, len(items), items=json_items(*items), blobs=blobs, **options)


def worker_of(shop: Shop) -> WorkerProcess:
    assert isinstance(shop.executor, ScriptExecutor)
    (worker,) = shop.executor._workers
    return worker


def test_the_engine_is_here() -> None:
    assert has_engine()


def test_what_is_not_of_the_type_that_a_script_is_said_to_return_fails(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        work, blobs = script_of("function weevil_main(x) { return x }", ITEM)
        typed = msgspec.structs.replace(work, returns=PortType.NUMBER)
        order = shop.start(typed, 3, items=json_items(1, "two", None), blobs=blobs)
        await shop.answers.of(order)
        assert shop.answers.json(order) == {0: 1}
        reasons = [shop.answers.failure(order, index).reason for index in (1, 2)]
        assert "it is said to return Number, and it returned String ('two')" in reasons[0]
        assert "it is said to return Number, and it returned null (None)" in reasons[1]

    play(scene)


def test_results_come_back_in_few_segments(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = call(shop, "function weevil_main(x) { return 2 * x }", *range(300), start=100)
        await shop.answers.of(order)
        assert shop.answers.json(order) == {100 + x: 2 * x for x in range(300)}
        assert len(shop.answers.all) < 300

    play(scene)


def test_elements_see_nothing_of_each_other_in_one_lease_or_in_two(play: Callable[[Scene], None]) -> None:
    counting = (
        "var count = 0; globalThis.total ??= 0; function weevil_main() { total++; count++; return [total, count] }"
    )

    async def scene(shop: Shop) -> None:
        first, second = call(shop, counting, 0, 0, 0), call(shop, counting, 0)
        await shop.answers.of(first, second)
        assert list(shop.answers.json(first).values()) == [[1, 1]] * 3
        assert list(shop.answers.json(second).values()) == [[1, 1]]

    play(scene)


def test_results_of_functions_commands_and_scripts_arrive_at_ports(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        work, blobs = script_of(
            "function weevil_main(...all) { return all }", *[{"port": port} for port in ("f", "c", "s", "all", "one")]
        )
        command = encode_command_result(CommandResult(stdout=b"text\n"))
        order = await shop.run(
            work,
            2,
            blobs=blobs,
            each=(
                EachPort("f", (pack(0, [pickle.dumps((1, 2)), pickle.dumps({3})]),)),
                EachPort("c", (pack(0, [command, command]),)),
                EachPort("s", (pack(0, [b'{"a":1}', b"null"]),)),
            ),
            shared=(
                SharedInput("all", EdgeKind.ALL, "k1", (b"1", b"2")),
                SharedInput("one", EdgeKind.BROADCAST, "k2", (b'"x"',)),
            ),
        )
        assert shop.answers.json(order) == {
            0: [[1, 2], "text", {"a": 1}, [1, 2], "x"],
            1: [[3], "text", None, [1, 2], "x"],
        }

    play(scene)


def test_a_value_without_json_form_fails_its_element_only(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        work, blobs = script_of("function weevil_main(x) { return x }", {"port": "x"})
        values = pack(0, [pickle.dumps(1j), pickle.dumps(1)])
        order = await shop.run(work, 2, blobs=blobs, each=(EachPort("x", (values,)),))
        assert shop.answers.json(order) == {1: 1}
        failure = shop.answers.failure(order, 0)
        assert failure.reason.startswith("what arrives at the port 'x' has no JSON form")
        assert failure.permanent

    play(scene)


def test_what_takes_for_ever_is_ended_by_its_time_limit(play: Callable[[Scene], None]) -> None:
    endless = [
        "function weevil_main() { while (true); }",
        "function weevil_main() { return /^(a+)+$/.test('a'.repeat(60) + 'b') }",
        "async function weevil_main() { while (true) await null }",
        "function weevil_main() { let n = 3n; while (true) n = n * n % (1n << 500000n) }",
        "while (true);",
    ]

    async def scene(shop: Shop) -> None:
        orders = [call(shop, code, 0, lane=lane, limit_s=0.2) for lane, code in enumerate(endless)]
        await shop.answers.of(*orders)
        for order in orders:
            assert shop.answers.failure(order).reason == "took longer than 0.2 s"

    play(scene)


def test_what_takes_too_much_memory_fails_alone_and_its_worker_lives_on(play: Callable[[Scene], None]) -> None:
    code = "function weevil_main(x) { const all = []; while (x) all.push(new Uint8Array(1 << 20).fill(1)); return x }"

    async def scene(shop: Shop) -> None:
        order = call(shop, code, 0, 1, 0)
        worker = worker_of(shop)
        await shop.answers.of(order)
        assert shop.answers.json(order) == {0: 0, 2: 0}
        assert shop.answers.failure(order, 1).reason.startswith("took more than the 256.0 MiB of memory")
        assert worker_of(shop) is worker

    play(scene)


def test_a_task_that_names_its_memory_gets_that(play: Callable[[Scene], None]) -> None:
    code = "function weevil_main(x) { return new Uint8Array(x).length }"

    async def scene(shop: Shop) -> None:
        order = call(shop, code, 1, 8 * MIB, memory_bytes=4 * MIB)
        await shop.answers.of(order)
        assert shop.answers.json(order) == {0: 1}
        assert shop.answers.failure(order, 1).reason.startswith("took more than the 4.0 MiB of memory")

    play(scene)


def test_a_crash_of_the_engine_fails_its_own_element_only(play: Callable[[Scene], None]) -> None:
    code = "function weevil_main(x) { if (x) weevil_progress(0.5); while (x); return x }"

    async def scene(shop: Shop) -> None:
        order = call(shop, code, 0, 1, 0)
        await shop.answers.until(lambda: bool(shop.answers.progress))
        assert shop.answers.progress == [Progressed(order.lease, 1, 0.5, "")]
        os.kill(worker_of(shop)._child.pid, signal.SIGSEGV)
        await shop.answers.of(order)
        failure = shop.answers.failure(order, 1)
        assert failure.signal == signal.SIGSEGV
        assert failure.reason == "the worker process was killed by SIGSEGV while running this element"
        assert (order.lease, 2) in shop.answers.returned

    play(scene)


def test_output_goes_to_the_logs(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = call(shop, "function weevil_main(x) { console.log('saw', x); console.error('!') }", 7)
        await shop.answers.of(order)
        assert shop.places.log_path(TASK, 0, "stdout").read_text() == "saw 7\n"
        assert shop.places.log_path(TASK, 0, "stderr").read_text() == "!\n"

    play(scene)
