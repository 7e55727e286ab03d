"""Functions: real worker processes, what comes back of them, and how they fail."""

import ctypes
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from roost.core.actions import StopMode
from roost.core.events import ElementsReturned
from roost.executors import order as order_module
from roost.executors.function import FunctionExecutor
from roost.executors.order import EachPort, Order, SharedInput, restricted
from roost.executors.orphans import living
from roost.executors.worker.by_name import CallByName
from roost.model.ids import BlobHash
from roost.model.limits import VALUE_BYTES_MAX
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import EdgeKind, Function
from roost.wire.stored import Stored, reference_of, reference_to
from roost.wire.values import CommandResult, encode_command_result
from tests.executors.lab import TASK, Shop, arguments, function_of, is_alive, open_shop

Scene = Callable[[Shop], Awaitable[None]]


@pytest.fixture
def play(tmp_path: Path) -> Callable[[Scene], None]:
    return lambda scene: open_shop(tmp_path, FunctionExecutor, scene)


def call(shop: Shop, function: Callable[..., Any], *argument_lists: tuple[Any, ...], **options: Any) -> Order:
    """Start one element for each list of arguments."""
    work, blobs = function_of(function, initializer=options.pop("initializer", None))
    items = [arguments(*args) for args in argument_lists]
    return shop.start(work, len(items), items=items, blobs=blobs, **options)


class Point:
    """A class of a script, which a worker cannot import."""

    def __init__(self, x: int) -> None:
        self.x = x


def test_results_come_back_in_few_segments(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = call(shop, lambda x, y: x * y, *[(x, 2) for x in range(5000)], start=100)
        await shop.answers.of(order)
        assert shop.answers.objects(order) == {100 + x: 2 * x for x in range(5000)}
        assert len(shop.answers.all) < 100

    play(scene)


def test_what_pickle_cannot_take_cloudpickle_can(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = call(shop, lambda x: (lambda: x, Point(x)), (3,))
        await shop.answers.of(order)
        function, point = shop.answers.objects(order)[0]
        assert (function(), point.x) == (3, 3)

    play(scene)


def test_an_exception_fails_its_element_with_its_traceback(play: Callable[[Scene], None]) -> None:
    def fails(x: int) -> int:
        if x == 1:
            raise ValueError("bad")
        if x == 2:
            sys.exit(3)
        return x

    async def scene(shop: Shop) -> None:
        order = call(shop, fails, (0,), (1,), (2,), (3,))
        await shop.answers.of(order)
        assert shop.answers.objects(order) == {0: 0, 3: 3}
        failure = shop.answers.failure(order, 1)
        assert failure.reason == "ValueError: bad"
        assert 'raise ValueError("bad")' in failure.detail
        assert "roost" not in failure.detail.replace(__file__, "")
        assert not failure.permanent
        assert shop.answers.failure(order, 2).reason == "SystemExit: 3"

    play(scene)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (threading.Lock, "its result, a value of type lock, cannot be pickled"),
        (lambda: __import__("no_such_module_here"), "needs the module 'no_such_module_here'"),
    ],
)
def test_what_can_never_work_fails_for_good(
    play: Callable[[Scene], None], function: Callable[[], Any], reason: str
) -> None:
    async def scene(shop: Shop) -> None:
        order = call(shop, function, ())
        await shop.answers.of(order)
        assert reason in shop.answers.failure(order).reason
        assert shop.answers.failure(order).permanent

    play(scene)


def test_a_function_whose_module_is_missing_says_which(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        work, _ = function_of(lambda: None)
        blobs = ((work.code, b"cno_such_module_here\nf\n."),)
        order = await shop.run(work, 2, items=[arguments(), arguments()], blobs=blobs)
        for index in (0, 1):
            failure = shop.answers.failure(order, index)
            assert failure.reason.startswith("needs the module 'no_such_module_here', which the Python of this node")
            assert failure.permanent

    play(scene)


def test_a_function_by_name(play: Callable[[Scene], None], tmp_path: Path) -> None:
    (tmp_path / "a_users_module.py").write_text("def double(x):\n    return 2 * x\n")

    async def scene(shop: Shop) -> None:
        code = pickle.dumps(CallByName("a_users_module:double", (str(tmp_path),)))
        work, _ = function_of(lambda: None)
        order = await shop.run(work, items=[arguments(21)], blobs=((work.code, code),))
        assert shop.answers.objects(order) == {0: 42}

    play(scene)


class PortPickler(pickle.Pickler):
    """Pickles as a client does: references to ports and the index are persistent ids."""

    def persistent_id(self, value: Any) -> Any:
        return value if isinstance(value, tuple) and value[:1] in (("port",), ("index",)) else None


def referring(*args: Any) -> bytes:
    import io  # noqa: PLC0415

    file = io.BytesIO()
    PortPickler(file, 5).dump((args, {}))
    return file.getvalue()


def test_values_of_ports_and_the_index_are_filled_in(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        given = referring(("port", "own"), ("port", "all"), ("port", "one"), ("index",))
        work, blobs = function_of(lambda *args: args, arguments=given)
        own = pack(5, [pickle.dumps("a"), encode_command_result(CommandResult(stdout=b"text\n"))])
        everything = (pickle.dumps(1), pickle.dumps([2]), encode_command_result(CommandResult()))
        order = await shop.run(
            work,
            2,
            start=5,
            each=(EachPort("own", (own,)),),
            shared=(
                SharedInput("all", EdgeKind.ALL, "s:all", everything),
                SharedInput("one", EdgeKind.BROADCAST, "t:broadcast", (pickle.dumps("b"),)),
            ),
            blobs=blobs,
        )
        expected = [1, [2], ""]
        assert shop.answers.objects(order) == {5: ("a", expected, "b", 5), 6: ("text", expected, "b", 6)}

    play(scene)


def test_the_index_can_be_asked_for_without_ports(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        work, blobs = function_of(lambda index: -index, arguments=referring(("index",)))
        order = await shop.run(work, 3, start=7, blobs=blobs)
        assert shop.answers.objects(order) == {7: -7, 8: -8, 9: -9}

    play(scene)


def test_an_element_cannot_spoil_a_shared_input_for_the_next(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        work, blobs = function_of(lambda values: values.append(1) or len(values), arguments=referring(("port", "p")))
        shared = (SharedInput("p", EdgeKind.BROADCAST, "k", (pickle.dumps([0]),)),)
        order = await shop.run(work, 3, shared=shared, blobs=blobs)
        assert set(shop.answers.objects(order).values()) == {2}
        known = (SharedInput("p", EdgeKind.BROADCAST, "k", ()),)
        again = await shop.run(work, 1, shared=known, blobs=blobs)
        assert shop.answers.objects(again) == {0: 2}

    play(scene)


def test_an_initializer_runs_once_in_each_worker(play: Callable[[Scene], None], tmp_path: Path) -> None:
    def initialize() -> None:
        with (tmp_path / "ran").open("a") as file:
            file.write("x")
        os.environ["INITIALIZED"] = "yes"

    async def scene(shop: Shop) -> None:
        for _ in range(2):
            order = call(shop, lambda: os.environ["INITIALIZED"], (), (), initializer=initialize)
            await shop.answers.of(order)
            assert shop.answers.objects(order) == {0: "yes", 1: "yes"}
        assert (tmp_path / "ran").read_text() == "x"

    play(scene)


def test_an_initializer_that_raises_fails_the_elements(play: Callable[[Scene], None]) -> None:
    def initialize() -> None:
        raise RuntimeError("no license")

    async def scene(shop: Shop) -> None:
        order = call(shop, lambda: 1, (), (), initializer=initialize)
        await shop.answers.of(order)
        for index in (0, 1):
            assert shop.answers.failure(order, index).reason == "RuntimeError: no license"
            assert "in initialize" in shop.answers.failure(order, index).detail

    play(scene)


def test_an_element_whose_print_finds_no_room_comes_back_without_a_trace(play: Callable[[Scene], None]) -> None:
    def speaks(x: int) -> int:
        print("hello", x)  # noqa: T201
        return x

    async def scene(shop: Shop) -> None:
        full = shop.places.log_path(TASK, 1, "stdout")
        full.parent.mkdir(parents=True)
        full.symlink_to("/dev/full")
        order = call(shop, speaks, (0,), (1,), (2,))
        await shop.answers.of(order)
        assert shop.answers.objects(order) == {0: 0, 2: 2}
        (returned,) = [answer for answer in shop.answers.all if isinstance(answer, ElementsReturned)]
        assert str(returned.ranges) == "1"
        assert returned.no_room == "what it printed could not be kept: No space left on device"
        assert not full.is_symlink()
        again = call(shop, speaks, (1,), start=1, token=2)
        await shop.answers.of(again)
        assert shop.answers.objects(again) == {1: 1}

    play(scene)


def test_what_is_printed_goes_to_the_log_of_its_element(play: Callable[[Scene], None]) -> None:
    def speaks(x: int) -> None:
        if x == 1:
            print("hello", x)  # noqa: T201
            print("trouble", file=sys.stderr)  # noqa: T201
            subprocess.run(["sh", "-c", "echo from a program; echo its trouble >&2"], check=True)
            os.write(1, b"from C\n")

    async def scene(shop: Shop) -> None:
        order = call(shop, speaks, (0,), (1,), (2,))
        await shop.answers.of(order)
        assert shop.places.log_path(TASK, 1, "stdout").read_text() == "hello 1\nfrom a program\nfrom C\n"
        assert shop.places.log_path(TASK, 1, "stderr").read_text() == "trouble\nits trouble\n"
        assert len(list(shop.places.log_path(TASK, 1, "stdout").parent.iterdir())) == 2
        call(shop, lambda: None, (), start=1, token=2)
        await shop.answers.until(lambda: not shop.places.log_path(TASK, 1, "stdout").exists())

    play(scene)


@pytest.mark.parametrize(
    ("death", "reason"),
    [
        (lambda: ctypes.string_at(0), "the worker process was killed by SIGSEGV while running this element"),
        (lambda: os._exit(4), "the worker process exited with code 4 while running this element"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "was killed by SIGKILL while running this element"),
    ],
)
def test_a_crash_is_told_with_its_cause(play: Callable[[Scene], None], death: Callable[[], None], reason: str) -> None:
    def dies(x: int) -> int:
        if x == 2:
            os.write(2, b"last words\n")
            death()
        return x

    async def scene(shop: Shop) -> None:
        order = call(shop, dies, (0,), (1,), (2,), (3,))
        await shop.answers.of(order)
        failure = shop.answers.failure(order, 2)
        assert reason in failure.reason
        assert failure.detail.startswith("last words")
        assert len(shop.answers.failures) == 1

    play(scene)


def test_results_do_not_wait_for_a_long_element_behind_them(play: Callable[[Scene], None], tmp_path: Path) -> None:
    def waits(x: int) -> int:
        while x and not (tmp_path / "go").exists():
            time.sleep(0.02)
        return x

    async def scene(shop: Shop) -> None:
        order = call(shop, waits, (0,), (1,))
        await shop.answers.until(lambda: (order.lease, 0) in shop.answers.values)
        assert (order.lease, 1) not in shop.answers.values
        (tmp_path / "go").touch()
        await shop.answers.of(order)

    play(scene)


def test_a_function_that_keeps_pythons_lock_can_be_stopped(play: Callable[[Scene], None], tmp_path: Path) -> None:
    def hogs() -> int:
        (tmp_path / "begun").touch()
        return sum(range(10**12))

    async def scene(shop: Shop) -> None:
        order = call(shop, hogs, (), ())
        await shop.answers.until((tmp_path / "begun").exists)
        shop.executor.stop(order.lease, order.ranges, StopMode.KILL)
        await shop.answers.of(order)
        assert len(shop.answers.returned) == 2
        limited = call(shop, hogs, (), limit_s=0.3)
        await shop.answers.of(limited)
        assert shop.answers.failure(limited).reason == "took longer than 0.3 s"

    play(scene)


def test_a_forked_process_cannot_speak_for_the_worker(play: Callable[[Scene], None]) -> None:
    def forks(x: int) -> int:
        return x if os.fork() else -1

    async def scene(shop: Shop) -> None:
        order = call(shop, forks, (1,), (2,), (3,))
        await shop.answers.of(order)
        assert shop.answers.objects(order) == {0: 1, 1: 2, 2: 3}

    play(scene)


def pids_of(shop: Shop) -> list[int]:
    assert isinstance(shop.executor, FunctionExecutor)
    return [worker._child.pid for worker in shop.executor._workers]


def test_workers_are_used_again_by_any_lane(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        seen = set()
        for lane in range(5):
            order = call(shop, os.getpid, (), lane=lane)
            await shop.answers.of(order)
            seen.add(shop.answers.objects(order)[0])
        assert seen == set(pids_of(shop))
        assert len(seen) == 1

    play(scene)


def test_a_lease_that_follows_from_an_answer_gets_the_worker_that_answered(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        followers: list[Order] = []

        def follow(_answer: object) -> None:
            if not followers:
                followers.append(call(shop, os.getpid, (), lane=2))

        shop.answers.then = follow
        first = call(shop, os.getpid, (), lane=1)
        await shop.answers.of(first)
        await shop.answers.of(followers[0])
        assert shop.answers.objects(first) == shop.answers.objects(followers[0])
        assert len(pids_of(shop)) == 1

    play(scene)


def test_workers_can_be_started_ahead_and_end_when_idle(tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        assert isinstance(shop.executor, FunctionExecutor)
        shop.executor.warm(2)
        pids = pids_of(shop)
        assert len(pids) == 2
        order = call(shop, os.getpid, ())
        await shop.answers.of(order)
        assert shop.answers.objects(order)[0] in pids
        await shop.answers.until(lambda: not pids_of(shop))
        assert not [pid for pid in pids if is_alive(pid)]
        again = call(shop, os.getpid, ())
        await shop.answers.of(again)

    open_shop(tmp_path, lambda home, report: FunctionExecutor(home, report, idle_s=0.5), scene)


def test_an_idle_worker_that_is_killed_is_replaced(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = call(shop, os.getpid, ())
        await shop.answers.of(order)
        os.kill(shop.answers.objects(order)[0], signal.SIGKILL)
        again = call(shop, lambda: 1, ())
        await shop.answers.of(again)
        if (again.lease, 0) in shop.answers.returned:
            # It was handed to the worker before its death was known.
            again = call(shop, lambda: 1, ())
            await shop.answers.of(again)
        assert shop.answers.objects(again) == {0: 1}
        assert shop.answers.failures == {}

    play(scene)


def test_a_worker_that_cannot_start_fails_its_elements(
    play: Callable[[Scene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(shop: Shop) -> None:
        monkeypatch.setattr(sys, "executable", "/bin/false")
        order = call(shop, lambda: 1, (), ())
        await shop.answers.of(order)
        assert shop.answers.failure(order, 1).reason == "the worker process could not be started: it exited with code 1"

    play(scene)


def test_large_inputs_travel_in_several_messages(
    play: Callable[[Scene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order_module, "INPUT_BYTES", 1000)

    async def scene(shop: Shop) -> None:
        order = call(shop, lambda x, filler: x + len(filler), *[(x, "f" * 100) for x in range(100)])
        await shop.answers.of(order)
        assert shop.answers.objects(order) == {x: x + 100 for x in range(100)}

    play(scene)


def test_a_lease_of_scattered_elements_gives_segments_that_fit(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        work, blobs = function_of(lambda x: x)
        whole = shop.orders.make(work, 10, items=[arguments(x) for x in range(10)], blobs=blobs)
        scattered = restricted(whole, RangeSet.parse("1,3-4,8-9"))
        shop.executor.start(scattered)
        await shop.answers.of(scattered)
        assert shop.answers.objects(scattered) == {1: 1, 3: 3, 4: 4, 8: 8, 9: 9}

    play(scene)


def test_functions_of_another_python_are_not_taken(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        with pytest.raises(AssertionError, match="another Python"):
            shop.start(Function(BlobHash("00"), "2.7"))

    play(scene)


def test_nothing_is_left_of_a_closed_executor(tmp_path: Path) -> None:
    pids: list[int] = []

    async def scene(shop: Shop) -> None:
        call(shop, lambda: time.sleep(600), ())
        pids.extend(pids_of(shop))

    open_shop(tmp_path, FunctionExecutor, scene)
    assert len(pids) == 1
    assert living("functions-none", session=pids[0]) == []
    assert list((tmp_path / "home" / "scratch").iterdir()) == []


def test_a_function_that_prints_more_than_its_owner_allows_fails_also_if_it_goes_on(tmp_path: Path) -> None:
    def print_much(size: int) -> int:
        try:
            sys.stdout.write("x" * size)
        except Exception:  # noqa: BLE001 -- whatever it is, this function does not mind
            return -1
        return size

    async def scene(shop: Shop) -> None:
        order = call(shop, print_much, (10,), (2_000,), (20,))
        await shop.answers.of(order)
        told = "wrote more than 1.0 KiB to its standard output, which the setting 'output' of this node forbids"
        assert shop.answers.failure(order, 1).reason == told
        assert shop.answers.objects(order) == {0: 10, 2: 20}

    open_shop(tmp_path, FunctionExecutor, scene, output_bytes=1_024)


def test_a_large_result_is_a_file_and_arrives_whole_where_it_is_taken(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        made = call(shop, lambda: b"x" * (VALUE_BYTES_MAX + 1), ())
        await shop.answers.of(made)
        value = shop.answers.values[made.lease, 0]
        stored = reference_of(value)
        assert stored is not None
        assert len(value) < 200
        assert shop.places.blob_path(stored.content).stat().st_size == stored.size > VALUE_BYTES_MAX
        edges = (EachPort("made", (pack(0, [value]),)),)
        work, blobs = function_of(len, arguments=port_call("made"))
        taken = shop.start(work, 1, blobs=blobs, each=edges, lane=2)
        items = [value_pickle(shop, (b"y" * 100,)), arguments(b"z")]
        work, blobs = function_of(len)
        called = shop.start(work, 2, items=items, blobs=blobs, lane=3)
        await shop.answers.of(taken, called)
        assert shop.answers.objects(taken) == {0: VALUE_BYTES_MAX + 1}
        assert shop.answers.objects(called) == {0: 100, 1: 1}

    play(scene)


def port_call(port: str) -> bytes:
    """Pickle a call whose only argument is what arrives at a port."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, 5)
    pickler.persistent_id = lambda obj: ("port", port) if obj is Ellipsis else None  # type: ignore[method-assign]
    pickler.dump(((...,), {}))
    return buffer.getvalue()


def value_pickle(shop: Shop, args: tuple[Any, ...]) -> bytes:
    """Keep the arguments of a call as a file of the node, as a client does; return what stands for them."""
    content = arguments(*args)
    name = blake2b(content, digest_size=16).hexdigest()
    shop.places.blob_path(name).write_bytes(content)
    return reference_to(Stored(name, len(content)))
