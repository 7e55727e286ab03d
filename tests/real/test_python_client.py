"""The Python client against a real node: real processes, a real journal, kill -9."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import as_completed
from pathlib import Path

import cloudpickle  # type: ignore[import-untyped]  # it has no types
import pytest

import roost
from roost.client.connect import attach, connect, shared_conversation
from roost.client.start import ensure_node, home_at
from roost.model.errors import NotFound
from roost.runtime.home import Home
from tests.real.meshes import await_company, mesh_here, talking_to

pytestmark = pytest.mark.real
TIMEOUT_S = 60.0


def wait_until(condition: Callable[[], bool]) -> None:
    """Ask again and again until it is so; fail if it takes too long."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not come"


def kill(home: Home, how: signal.Signals) -> None:
    """End the node of this home and wait until it is gone."""
    pid = home.holder()
    if pid is None or not home.running():
        return
    os.kill(pid, how)
    wait_until(lambda: not home.running())
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        return


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    place = tmp_path / "home"
    monkeypatch.setenv("ROOST_HOME", str(place))
    yield home_at(place)
    if home_at(place).running():
        shared_conversation(place).close()
    kill(home_at(place), signal.SIGTERM)


def run_script(folder: Path, text: str, *args: str) -> str:
    script = folder / "script.py"
    script.write_text(text)
    done = subprocess.run(
        [sys.executable, script, *args], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_connecting_starts_a_node_and_the_next_finds_it(home: Home) -> None:
    with connect() as pool:
        assert pool.submit(pow, 2, 10).result(TIMEOUT_S) == 1024
    pid = home.holder()
    with connect() as pool:
        assert pool.submit(os.getppid).result(TIMEOUT_S) > 1
        assert list(pool.map(pow, range(5), [2] * 5)) == [0, 1, 4, 9, 16]
    assert home.holder() == pid


def test_a_large_map_comes_back_whole_and_in_order(home: Home) -> None:
    with connect() as pool:
        assert list(pool.map(abs, range(-20_000, 0))) == list(range(20_000, 0, -1))


def test_many_single_calls(home: Home) -> None:
    with connect() as pool:
        futures = [pool.submit(abs, -number) for number in range(2000)]
        assert sorted(future.result() for future in as_completed(futures, TIMEOUT_S)) == list(range(2000))


def test_a_function_that_raises_exits_or_crashes_fails_alone(home: Home) -> None:
    def misbehave(how: str) -> str:
        if how == "raise":
            raise ValueError("on purpose")
        if how == "exit":
            sys.exit(3)
        if how == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        return how

    with connect() as pool:
        futures = {how: pool.submit(misbehave, how) for how in ("fine", "raise", "exit", "crash", "well")}
        assert futures["fine"].result(TIMEOUT_S) == "fine"
        assert futures["well"].result(TIMEOUT_S) == "well"
        with pytest.raises(ValueError, match="on purpose") as raised:
            futures["raise"].result(TIMEOUT_S)
        assert "in misbehave" in str(raised.value.__cause__)
        for how in ("exit", "crash"):
            with pytest.raises(roost.TaskFailed):
                futures[how].result(TIMEOUT_S)


OWN_EXCEPTION = """
import asyncio, sys, roost

class Refused(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code

def refuse(code):
    try:
        {}["k"]
    except KeyError as error:
        raise Refused(code, "not today") from error

def told(error):
    return [error.code, str(error), repr(error.__cause__), "in refuse" in str(error.__cause__.__cause__)]

async def awaited(pool):
    try:
        await pool.aio.submit(refuse, 3)
    except Refused as error:
        return told(error)

if len(sys.argv) > 1:
    try:
        roost.attach(sys.argv[1]).result(60)
    except Refused as error:
        print(told(error))
    sys.exit()
with roost.connect() as pool:
    future = pool.submit(refuse, 1)
    try:
        future.result(60)
    except Refused as error:
        print(told(error))
    try:
        list(pool.map(refuse, [2]))
    except Refused as error:
        print(told(error))
    print(asyncio.run(awaited(pool)))
    with roost.workflow("refused") as flow:
        step = roost.task(refuse)(4)
    try:
        flow.submit(pool).result(step, 60)
    except Refused as error:
        print(told(error))
    print(future.id)
"""


def test_an_exception_of_the_script_comes_back_as_it_was_raised(home: Home, tmp_path: Path) -> None:
    *told, call = run_script(tmp_path, OWN_EXCEPTION).splitlines()
    assert told == [str([code, "not today", "KeyError('k')", True]) for code in (1, 2, 3, 4)]
    kill(home, signal.SIGKILL)
    ensure_node(home)
    assert run_script(tmp_path, OWN_EXCEPTION, call).splitlines() == told[:1]


FORKING = """
import multiprocessing, os, roost

def name(text):
    return text

def call_in_child(number):
    return [pool.submit(name, f"child {number}").result(60), os.getpid() != parent]

parent = os.getpid()
pool = roost.connect()
with pool:
    print(pool.submit(name, "first").result(60))
    if os.fork() == 0:
        # Leaves the with block and the interpreter, as any script does.
        assert pool.submit(name, "forked").result(60) == "forked"
        raise SystemExit(0)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
    print(pool.submit(name, "second").result(60))
    with multiprocessing.get_context("fork").Pool(2) as processes:
        print(processes.map(call_in_child, range(4)))
    print(pool.submit(name, "third").result(60))
"""


def test_a_script_that_forks_gets_its_own_results_and_so_do_its_children(home: Home, tmp_path: Path) -> None:
    told = run_script(tmp_path, FORKING).splitlines()
    assert told == ["first", "0", "second", str([[f"child {number}", True] for number in range(4)]), "third"]


def test_cancelling_stops_a_running_call(home: Home, tmp_path: Path) -> None:
    def linger(mark: str) -> None:
        Path(mark).write_text(str(os.getpid()))
        time.sleep(1000)

    mark = tmp_path / "mark"
    with connect() as pool:
        future = pool.submit(linger, str(mark))
        wait_until(lambda: mark.exists() and mark.read_text() != "")
        assert future.cancel()
        wait_until(lambda: not Path(f"/proc/{mark.read_text()}").exists())
        assert pool.submit(abs, -1).result(TIMEOUT_S) == 1


def test_an_initializer_prepares_the_workers(home: Home) -> None:
    def prepare(word: str) -> None:
        os.environ["PREPARED"] = word

    def prepared() -> str | None:
        return os.environ.get("PREPARED")

    with connect(initializer=prepare, initargs=("yes",)) as pool:
        assert {pool.submit(prepared).result(TIMEOUT_S) for _ in range(5)} == {"yes"}


def test_functions_see_what_the_client_declares_and_nothing_of_whoever_started_the_node(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "of the starter")
    with connect(env={"LEVEL": "2"}) as pool:
        seen = pool.submit(lambda: dict(os.environ)).result(TIMEOUT_S)
        above = pool.submit(lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes()).result(TIMEOUT_S)
    with connect() as pool:
        later = pool.submit(lambda: dict(os.environ)).result(TIMEOUT_S)
    assert (seen["LEVEL"], seen["PATH"], seen["ROOST_HOME"]) == ("2", os.environ["PATH"], str(home.path))
    assert "SECRET" not in seen
    assert b"of the starter" not in above
    assert "LEVEL" not in later


def test_the_variables_of_a_task_are_there_where_it_runs(home: Home) -> None:
    @roost.task(env={"LEVEL": "3"})
    def level() -> str | None:
        return os.environ.get("LEVEL")

    @roost.task
    def none(before: str | None) -> list[str | None]:
        return [before, os.environ.get("LEVEL")]

    with roost.workflow("levels") as flow:
        handle = none(level())
    assert flow.run(timeout=TIMEOUT_S).result(handle) == ["3", None]


def test_results_survive_the_client_and_the_node(home: Home, tmp_path: Path) -> None:
    text = (
        "import roost\n"
        "def square(x):\n"
        "    return x * x\n"
        "if __name__ == '__main__':\n"
        "    pool = roost.connect()\n"
        "    print(pool.submit(square, 12).id)\n"
    )
    future_id = run_script(tmp_path, text).strip()
    assert attach(future_id).result(TIMEOUT_S) == 144
    kill(home, signal.SIGKILL)
    ensure_node(home)
    assert attach(future_id).result(TIMEOUT_S) == 144
    with pytest.raises(NotFound):
        attach("999-bababa/f-1[0]")


def test_futures_outlive_a_node_that_is_killed(home: Home, tmp_path: Path) -> None:
    gate = tmp_path / "gate"

    def wait_for(path: str, value: int) -> int:
        while not Path(path).exists():
            time.sleep(0.01)
        return value

    with connect() as pool:
        futures = [pool.submit(wait_for, str(gate), number) for number in range(20)]
        assert len({future.id for future in futures}) == 20
        kill(home, signal.SIGKILL)
        ensure_node(home)
        gate.touch()
        assert [future.result(TIMEOUT_S) for future in futures] == list(range(20))
        assert pool.submit(abs, -1).result(TIMEOUT_S) == 1


def test_a_script_that_ends_without_a_shutdown_loses_nothing(home: Home, tmp_path: Path) -> None:
    text = (
        "import roost, sys\n"
        "pool = roost.connect()\n"
        "futures = [pool.submit(pow, number, 2) for number in range(300)]\n"
        "print(futures[-1].id, futures[0].id)\n"
    )
    last, first = run_script(tmp_path, text).split()
    assert attach(last).result(TIMEOUT_S) == 299**2
    assert attach(first).result(TIMEOUT_S) == 0


def test_a_module_beside_the_script_is_found_and_read_anew_when_it_changes(home: Home, tmp_path: Path) -> None:
    text = "import roost, helper\nwith roost.connect() as pool:\n    print(pool.submit(helper.answer).result(60))\n"
    (tmp_path / "helper.py").write_text("def answer(): return 'first'\n")
    assert run_script(tmp_path, text).strip() == "first"
    (tmp_path / "helper.py").write_text("def answer(): return 'second, longer'\n")
    assert run_script(tmp_path, text).strip() == "second, longer"


def test_calls_work_in_the_folder_of_their_caller(home: Home, tmp_path: Path) -> None:
    text = "import os, roost\nwith roost.connect() as pool:\n    print(pool.submit(os.getcwd).result(60))\n"
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        assert run_script(tmp_path / name, text).strip() == str(tmp_path / name)


def test_a_workflow_of_four_steps(home: Home) -> None:
    @roost.task
    def number(x: int) -> int:
        return x

    @roost.task(retries=1)
    def add(x: int, y: int) -> int:
        return x + y

    @roost.task
    def total(numbers: list[int], more: dict[str, list[int]]) -> int:
        return sum(numbers) + more["extra"][0]

    with roost.workflow("four steps") as flow:
        one = number(1)
        numbers = number.map(range(200))
        added = add.map(numbers, one)
        result = total(added, {"extra": [one]})
    with connect() as pool:
        run = flow.run(pool, timeout=TIMEOUT_S)
        assert run.state == "done"
        assert run.result(result, TIMEOUT_S) == sum(range(200)) + 200 + 1
        assert run.result(added, TIMEOUT_S) == list(range(1, 201))


def test_awaiting(home: Home) -> None:
    async def using() -> tuple[int, list[int]]:
        async with connect() as pool:
            return await pool.aio.submit(abs, -5), [value async for value in pool.aio.map(abs, range(-100, 0))]

    assert asyncio.run(using()) == (5, list(range(100, 0, -1)))


POOLS = """
from typing import TypedDict
import roost

class Counted(TypedDict):
    word: str
    size: int

@roost.task
def letters(word: str) -> list[str]:
    return list(word)

@roost.task
def measure(word: str, parts: list[str], factor: float) -> Counted:
    return {"word": word, "size": len(parts) * factor}

@roost.task
def shout(letter: str, counted: Counted) -> str:
    return letter.upper() * int(counted["size"])

@roost.task
def join(parts: list[str]) -> str:
    return "-".join(parts)

@roost.task
def report(joined: list[str], sizes: list[float], lines: list[str], every: list[str]) -> list:
    return [joined, sizes, lines, len(every)]

double = roost.script("function weevil_main(x) { return {twice: 2 * x}; }")
echo = roost.command("echo {text} {n} {i} '{literal}'")

with roost.workflow("pools") as flow:
    words = roost.value(["a", "bb", "ccc"], name="words")
    factor = double(1)
    parts = letters.map(words.spread())
    counted = measure.map(words.spread(), parts, factor["twice"])
    one = shout.map(parts.spread(), counted)
    joined = join.map(one.gather())
    lines = echo.map(text=joined, n=factor["twice"])
    total = report(joined, counted["size"], lines, one)
    flow.final(total, joined)

run = flow.run()
assert run.state == "done", run.counts
print(run.result())
print(run.result(one))
print(run.result(counted["size"]))
print(run.result(factor))
print(run.result(words[2]))
"""


def test_a_workflow_has_pools_parts_and_steps_of_all_kinds(home: Home, tmp_path: Path) -> None:
    told = run_script(tmp_path, POOLS).splitlines()
    joined = ["AA", "BBBB-BBBB", "CCCCCC-CCCCCC-CCCCCC"]
    lines = [f"{text} 2 {at} {{literal}}" for at, text in enumerate(joined)]
    assert told == [
        repr(([joined, [2, 4, 6], lines, 6], joined)),
        repr(["AA", "BBBB", "BBBB", "CCCCCC", "CCCCCC", "CCCCCC"]),
        repr([2, 4, 6]),
        repr({"twice": 2}),
        "ccc",
    ]


def test_a_pool_of_a_list_that_never_came_fails_with_the_reason(home: Home, tmp_path: Path) -> None:
    script = """
import roost

@roost.task
def names():
    raise LookupError("no names")

with roost.workflow("lost") as flow:
    sizes = roost.task(len).map(names().spread())
try:
    flow.run().result(sizes)
except LookupError as error:
    print(error)
"""
    assert "no names" in run_script(tmp_path, script)


GUIDE = Path(__file__).parents[2] / "docs" / "python.md"
WORKFLOWS = [
    block
    for block in re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    if "workflow(" in block
]


@pytest.mark.parametrize("block", WORKFLOWS, ids=range(len(WORKFLOWS)))
def test_the_workflows_of_the_guide_print_what_it_says(home: Home, tmp_path: Path, block: str) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
    told = run_script(tmp_path, block).strip()
    promised = re.search(r"print\(.*\) +# (.*)$", block, re.MULTILINE)
    assert told == promised[1] if promised else told.endswith(" 15")


def test_the_guide_has_workflows() -> None:
    assert len(WORKFLOWS) == 3


def test_arguments_and_results_may_be_larger_than_messages(home: Home, tmp_path: Path) -> None:
    with connect() as pool:
        large = bytes(range(256)) * 150_000
        assert pool.submit(len, large).result(TIMEOUT_S) == len(large)
        assert list(pool.map(len, [large, b"x"])) == [len(large), 1]
        future = pool.submit(bytes, 70_000_000)
        assert future.result(TIMEOUT_S) == bytes(70_000_000)
        assert len(attach(future.id).result(TIMEOUT_S)) == 70_000_000
        run_script(
            tmp_path, "from roost.app.cli.main import main; main()", "get", pool.run, "-o", str(tmp_path / "out")
        )
    saved = [path.stat().st_size for path in (tmp_path / "out").rglob("result.pickle")]
    assert max(saved) > 70_000_000
    journal = sum(path.stat().st_size for path in home.path.glob("journal.db*"))
    assert journal < 20_000_000


def make_large(size: int) -> tuple[str, bytes]:
    """Return who made it, and so many bytes; slow enough that others take a part."""
    time.sleep(0.3)
    return os.environ["ROOST_HOME"], bytes(size)


def test_large_values_come_from_whichever_node_made_them(tmp_path: Path) -> None:
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with mesh_here(tmp_path, 2) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        with connect(home=homes[0].home.path) as pool:
            made = list(pool.map(make_large, [68_000_000, 69_000_000] * 3, chunksize=1))
            sizes = list(pool.map(len, [data for _, data in made[:2]], chunksize=1))
    assert sizes == [68_000_000, 69_000_000]
    assert [len(data) for _, data in made] == [68_000_000, 69_000_000] * 3
    assert len({home for home, _ in made}) == 2
