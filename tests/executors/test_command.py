"""Commands: real programs, what comes back of them, and how they end."""

import errno
import os
import pickle
import signal
import sys
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest

from roost.core.actions import StopMode
from roost.core.events import ElementsReturned, Progressed
from roost.executors import command as command_module
from roost.executors.command import CommandExecutor
from roost.executors.order import EachPort, SharedInput
from roost.executors.orphans import living
from roost.model.limits import OUTPUT_INLINE_BYTES_MAX
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Command, EdgeKind, Protocol
from roost.wire.values import CommandResult, encode_command_result
from tests.executors.lab import TASK, Answer, Shop, is_alive, json_items, open_shop, read_pid

Scene = Callable[[Shop], Awaitable[None]]


def shell(script: str, **options: object) -> Command:
    return Command(("sh", "-c", script), **options)  # type: ignore[arg-type]


@pytest.fixture
def play(tmp_path: Path) -> Callable[[Scene], None]:
    return lambda scene: open_shop(tmp_path, CommandExecutor, scene)


def test_output_and_duration_come_back(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = await shop.run(shell("echo out $ROOST_INDEX; echo err >&2; sleep 0.05"), 3, start=4)
        results = shop.answers.results(order)
        assert [results[index].stdout for index in (4, 5, 6)] == [b"out 4\n", b"out 5\n", b"out 6\n"]
        assert results[4].stderr == b"err\n"
        assert results[4].duration_s >= 0.05

    play(scene)


def test_a_program_knows_who_it_is_and_runs_politely(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        names = "$ROOST_RUN $ROOST_TASK $ROOST_INDEX $ROOST_TOKEN $ROOST_ITEM $MINE"
        work = shell(f'echo "{names}"; nice; grep SigIgn /proc/self/status', env={"MINE": "m{i}"})
        order = await shop.run(work, items=json_items("{x} y"), token=3)
        who, niceness, ignored = shop.answers.results(order)[0].stdout.decode().splitlines()
        assert who == "7-kedova 7-kedova/work 0 0.1.0.3 {x} y m0"
        assert int(niceness) == min(os.nice(0) + 10, 19)
        assert int(ignored.split()[1], 16) & 1 << (signal.SIGPIPE - 1) == 0

    play(scene)


def test_standard_input_is_a_text_or_empty(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        given = await shop.run(Command(("cat",), stdin="<{i}>" + "x" * 200_000))
        assert shop.answers.results(given)[0].stdout.startswith(b"<0>xxx")
        empty = await shop.run(Command(("cat",)))
        assert shop.answers.results(empty)[0].stdout == b""

    play(scene)


def test_a_program_runs_in_the_folder_that_was_named(play: Callable[[Scene], None], tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        (tmp_path / "5").mkdir()
        order = await shop.run(Command(("pwd",), cwd=str(tmp_path / "{item}")), items=json_items("5"))
        assert shop.answers.results(order)[0].stdout.decode().strip() == str(tmp_path / "5")

    play(scene)


def test_without_a_folder_it_gets_a_fresh_one_that_ends_with_it(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = await shop.run(shell("ls; pwd; mkdir d; touch d/f"), 3)
        folders = {result.stdout.decode().strip() for result in shop.answers.results(order).values()}
        assert all("\n" not in folder for folder in folders), "it was not empty"
        assert len(folders) >= 1
        left = [path for path in shop.places.scratch.rglob("*") if str(path) in folders]
        assert left == []

    play(scene)


def test_declared_files_are_kept_under_their_hash(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        work = shell("mkdir d; printf abc > d/x-$ROOST_INDEX; printf abc > y", outputs={"x": "d/x-{i}", "y": "y"})
        order = await shop.run(work, 2)
        content = blake2b(b"abc", digest_size=16).hexdigest()
        for result in shop.answers.results(order).values():
            assert result.files == {"x": (content, 3), "y": (content, 3)}
        assert [path.name for path in shop.places.blobs.iterdir()] == [content]
        assert shop.places.blob_path(content).read_bytes() == b"abc"

    play(scene)


def test_files_in_a_folder_of_the_users_stay_there(play: Callable[[Scene], None], tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        work = shell("echo 1 > out.csv", cwd=str(tmp_path), outputs={"table": "out.csv"})
        order = await shop.run(work)
        content, size = shop.answers.results(order)[0].files["table"]
        assert size == 2
        assert shop.places.blob_path(content).read_text() == (tmp_path / "out.csv").read_text() == "1\n"

    play(scene)


def test_a_declared_file_that_is_missing_is_a_failure(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = await shop.run(shell("echo sorry; mkdir out", outputs={"x": "out.csv"}))
        failure = shop.answers.failure(order)
        assert failure.reason == "did not leave the file out.csv that it declares"
        assert failure.detail == "sorry"
        assert list(shop.places.blobs.iterdir()) == []
        folder = await shop.run(shell("mkdir out.csv", outputs={"x": "out.csv"}))
        assert "but not as a file" in shop.answers.failure(folder).reason

    play(scene)


def test_results_of_earlier_commands_arrive_as_words_texts_and_files(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        first = await shop.run(shell("echo v$ROOST_INDEX; echo content $ROOST_INDEX > f", outputs={"f.txt": "f"}), 2)
        values = [shop.answers.values[first.lease, index] for index in (0, 1)]
        script = 'for word in "$@"; do echo "[$word]"; done; cat; cat {needs.own.f.txt}'
        work = Command(
            ("sh", "-c", script, "sh", "{needs.all}", "{needs.all.f.txt}", "x{needs.own}"), stdin="{needs.all}\n"
        )
        second = await shop.run(
            work,
            2,
            each=(EachPort("own", (pack(0, values),)),),
            shared=(SharedInput("all", EdgeKind.ALL, "first:all", tuple(values)),),
        )
        lines = shop.answers.results(second)[1].stdout.decode().splitlines()
        assert lines[:2] == ["[v0]", "[v1]"]
        assert [Path(line[1:-1]).name for line in lines[2:4]] == ["f.txt", "f.txt"]
        assert lines[4:] == ["[xv1]", "v0", "v1", "content 1"]

    play(scene)


def test_results_of_functions_arrive_as_text(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        values = [pickle.dumps(value) for value in ("text", {"a": [1, 2]}, object())]
        own = (EachPort("p", (pack(0, values),)),)
        order = await shop.run(Command(("printf", "%s", "{needs.p}")), 3, each=own)
        results = shop.answers.results(order)
        assert (results[0].stdout, results[1].stdout) == (b"text", b'{"a":[1,2]}')
        assert "has no text form" in shop.answers.failure(order, 2).reason

    play(scene)


def test_shared_inputs_are_sent_once_and_serve_many_leases(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        value = encode_command_result(CommandResult(stdout=b"shared\n"))
        full = (SharedInput("p", EdgeKind.BROADCAST, "key", (value,)),)
        known = (SharedInput("p", EdgeKind.BROADCAST, "key", ()),)
        for shared in (full, known):
            order = await shop.run(Command(("echo", "{needs.p}")), shared=shared)
            assert shop.answers.results(order)[0].stdout == b"shared\n"

    play(scene)


@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (Command(("no-such-program-here",)), "the program 'no-such-program-here' was not found"),
        (Command(("./no-such",)), "the program './no-such' is not there"),
        (Command(("true",), cwd="/no/such/folder"), "the folder '/no/such/folder' to run in is not there"),
        (Command(("true",), cwd="/etc/passwd"), "'/etc/passwd' is not a folder"),
        (Command(("{folder}/plain",)), "is not a program that may be executed"),
        (Command(("{folder}/lost",)), "but not the interpreter that its first line names"),
        (Command(("{folder}/strange",)), "does it lack a first line"),
        (Command(("echo", "x" * 3_000_000)), "longer than the system allows"),
    ],
)
def test_what_can_never_start_fails_for_good(
    play: Callable[[Scene], None], tmp_path: Path, work: Command, reason: str
) -> None:
    (tmp_path / "plain").write_text("no program")
    for name, text in (("lost", "#!/no/such/interpreter\n"), ("strange", "\x01\x02")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    argv = tuple(word.replace("{folder}", str(tmp_path)) for word in work.argv)

    async def scene(shop: Shop) -> None:
        order = await shop.run(Command(argv, cwd=work.cwd))
        failure = shop.answers.failure(order)
        assert reason in failure.reason
        assert failure.permanent

    play(scene)


def test_an_exit_code_is_a_failure_with_the_last_lines(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = await shop.run(shell("echo out; for n in $(seq 30); do echo err $n >&2; done; exit 3"))
        failure = shop.answers.failure(order)
        assert (failure.reason, failure.exit_code, failure.signal) == ("exit code 3", 3, None)
        assert failure.detail.splitlines() == [f"err {n}" for n in range(11, 31)]
        assert failure.duration_s is not None
        assert not failure.permanent

    play(scene)


def test_a_signal_is_named_and_the_peak_of_memory_is_told(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        program = "x = bytearray(150 << 20); import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
        order = await shop.run(Command((sys.executable, "-c", program)))
        failure = shop.answers.failure(order)
        assert (failure.reason, failure.signal) == ("killed by signal 11 (SIGSEGV)", 11)
        assert failure.peak_memory_bytes is not None
        assert 150 << 20 < failure.peak_memory_bytes < 400 << 20
        small = await shop.run(Command(("true",)))
        assert shop.answers.results(small)[0].peak_memory_bytes == 0, "the launcher's own peak is not the program's"

    play(scene)


def test_long_output_is_cut_in_the_result_and_whole_in_the_log(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = await shop.run(shell("seq 1 50000; seq 1 9 >&2"))
        result = shop.answers.results(order)[0]
        whole = "".join(f"{n}\n" for n in range(1, 50001)).encode()
        assert result.stdout_cut
        assert not result.stderr_cut
        assert result.stdout == whole[:OUTPUT_INLINE_BYTES_MAX]
        assert shop.places.log_path(TASK, 0, "stdout").read_bytes() == whole

    play(scene)


def test_a_command_whose_long_output_finds_no_room_comes_back(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        full = shop.places.log_path(TASK, 0, "stdout")
        full.parent.mkdir(parents=True)
        full.symlink_to("/dev/full")
        command = Command(("head", "-c", str(2 * OUTPUT_INLINE_BYTES_MAX), "/dev/zero"))
        await shop.run(command)
        (returned,) = shop.answers.all
        assert isinstance(returned, ElementsReturned)
        assert returned.no_room == "its output could not be kept: No space left on device"
        assert not full.is_symlink()
        again = await shop.run(command, token=2)
        assert len(shop.places.log_path(TASK, 0, "stdout").read_bytes()) == 2 * OUTPUT_INLINE_BYTES_MAX
        assert shop.answers.results(again)[0].stdout_cut

    play(scene)


def test_output_of_any_length_is_kept_and_its_hash_is_known(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        size = 70 << 20
        order = await shop.run(shell(f"head -c {size} /dev/zero; echo end >&2"))
        result = shop.answers.results(order)[0]
        log = shop.places.log_path(TASK, 0, "stdout")
        assert log.stat().st_size == size
        assert result.stdout_whole == (blake2b(bytes(size), digest_size=16).hexdigest(), size)
        assert (result.stderr, result.stderr_whole) == (b"end\n", None)

    play(scene)


@pytest.mark.parametrize(("script", "stream"), [("yes", "output"), ("exec >&2; sleep 60 & yes", "error")])
def test_a_program_that_writes_more_than_its_owner_allows_is_ended_and_fails(
    tmp_path: Path, script: str, stream: str
) -> None:
    async def scene(shop: Shop) -> None:
        await shop.run(shell(script))
        (failure,) = shop.answers.failures.values()
        told = f"wrote more than 195.3 KiB to its standard {stream}, which the setting 'output' of this node forbids"
        assert failure.reason == told
        name = "stdout" if stream == "output" else "stderr"
        assert shop.places.log_path(TASK, 0, name).stat().st_size == 200_000

    open_shop(tmp_path, CommandExecutor, scene, output_bytes=200_000)


def test_output_of_a_program_that_runs_can_be_followed(play: Callable[[Scene], None], tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        order = shop.start(shell(f"echo begun; until [ -e {tmp_path}/go ]; do sleep 0.02; done; echo ended"))
        log = shop.places.log_path(TASK, 0, "stdout")
        await shop.answers.until(lambda: log.exists() and log.read_bytes() == b"begun\n")
        (tmp_path / "go").touch()
        await shop.answers.of(order)
        assert log.read_bytes() == b"begun\nended\n"
        assert shop.answers.results(order)[0].stdout == b"begun\nended\n"

    play(scene)


def test_the_log_of_an_earlier_attempt_does_not_pass_for_this_one(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        await shop.run(shell("seq 1 50000"))
        await shop.run(shell("echo short"), token=2)
        assert not shop.places.log_path(TASK, 0, "stdout").exists()

    play(scene)


def test_a_child_left_in_the_background_holds_nobody_up_and_dies(play: Callable[[Scene], None], tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        order = await shop.run(shell(f"sleep 600 & echo $! > {tmp_path}/child; echo done"))
        assert shop.answers.results(order)[0].stdout == b"done\n"
        await shop.answers.until(lambda: not is_alive(read_pid(tmp_path / "child")))

    play(scene)


def test_a_child_that_left_its_group_is_killed_too(play: Callable[[Scene], None], tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        script = f"setsid sh -c 'echo $$ > {tmp_path}/child; exec sleep 600' & wait"
        order = shop.start(shell(script))
        await shop.answers.until(lambda: bool(read_pid(tmp_path / "child")))
        shop.executor.stop(order.lease, order.ranges, StopMode.KILL)
        await shop.answers.of(order)
        assert not is_alive(read_pid(tmp_path / "child"))

    play(scene)


def test_a_program_may_clean_up_when_it_is_told_to_end(play: Callable[[Scene], None], tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        script = f"trap 'touch {tmp_path}/clean; exit 0' TERM; touch {tmp_path}/begun; while :; do sleep 0.02; done"
        order = shop.start(shell(script))
        await shop.answers.until((tmp_path / "begun").exists)
        shop.executor.stop(order.lease, order.ranges, StopMode.KILL)
        await shop.answers.of(order)
        assert (tmp_path / "clean").exists()
        assert (order.lease, 0) in shop.answers.returned

    play(scene)


def test_a_program_that_will_not_end_is_killed_after_a_grace(play: Callable[[Scene], None], tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        script = f"trap '' TERM; echo $$ > {tmp_path}/pid; while :; do sleep 0.02; done"
        order = shop.start(shell(script))
        await shop.answers.until(lambda: bool(read_pid(tmp_path / "pid")))
        shop.executor.stop(order.lease, order.ranges, StopMode.KILL)
        await shop.answers.of(order)
        assert not is_alive(read_pid(tmp_path / "pid"))

    play(scene)


LAN_PROGRAM = """
import sys
print("PROGRESS 40", flush=True)
for line in sys.stdin:
    word = line.strip()
    if word == "CANCEL":
        print("CANCELLED", flush=True)
        open(sys.argv[1] + "/cancelled", "w").close()
        break
"""


def lan(script: str) -> Command:
    return shell(script, protocol=Protocol.LAN)


def test_a_lan_program_reports_progress_and_its_datasets(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = await shop.run(lan("echo PROGRESS 25; sleep 0.1; echo chatter; echo TERMINATED 12 13; cat"))
        assert shop.answers.progress == [Progressed(order.lease, 0, 0.25)]
        result = shop.answers.results(order)[0]
        assert result.datasets == ("12", "13")
        assert result.stdout == b"PROGRESS 25\nchatter\nTERMINATED 12 13\n"

    play(scene)


def test_an_error_of_a_lan_program_is_its_failure(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = await shop.run(lan("echo ERROR no such dataset; exit 1"))
        failure = shop.answers.failure(order)
        assert (failure.reason, failure.exit_code) == ("no such dataset", 1)
        silent = await shop.run(lan("true"))
        assert shop.answers.failure(silent).reason == "ended without saying TERMINATED, as a LAN program must"

    play(scene)


def test_a_lan_program_is_asked_to_cancel_itself(play: Callable[[Scene], None], tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        program = (sys.executable, "-c", LAN_PROGRAM, str(tmp_path))
        order = shop.start(Command(program, protocol=Protocol.LAN))
        await shop.answers.until(lambda: bool(shop.answers.progress))
        shop.executor.stop(order.lease, order.ranges, StopMode.KILL)
        await shop.answers.of(order)
        assert (tmp_path / "cancelled").exists()
        assert (order.lease, 0) in shop.answers.returned

    play(scene)


def test_progress_is_passed_on_with_measure_and_the_last_word_arrives(
    play: Callable[[Scene], None], tmp_path: Path
) -> None:
    async def scene(shop: Shop) -> None:
        script = f"for n in $(seq 0 99); do echo ::progress $n; done; until [ -e {tmp_path}/go ]; do sleep 0.02; done"
        order = shop.start(shell(script))
        await shop.answers.until(lambda: any(report.fraction == 0.99 for report in shop.answers.progress))
        assert len(shop.answers.progress) < 10
        (tmp_path / "go").touch()
        await shop.answers.of(order)

    play(scene)


def launchers_of(shop: Shop) -> list[int]:
    assert isinstance(shop.executor, CommandExecutor)
    return [launcher._child.pid for launcher in shop.executor._launchers]


def test_when_a_launcher_dies_its_programs_die_and_come_back(play: Callable[[Scene], None], tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        script = f"(setsid sleep 600 & echo $! > {tmp_path}/far); sleep 600 & echo $! > {tmp_path}/near; wait"
        order = shop.start(shell(script), 3)
        await shop.answers.until(lambda: bool(read_pid(tmp_path / "far") and read_pid(tmp_path / "near")))
        os.kill(launchers_of(shop)[0], signal.SIGKILL)
        await shop.answers.of(order)
        assert {index for _, index in shop.answers.returned} == {0, 1, 2}
        assert not is_alive(read_pid(tmp_path / "far"))
        assert not is_alive(read_pid(tmp_path / "near"))
        again = await shop.run(shell("echo again"))
        assert shop.answers.results(again)[0].stdout == b"again\n"

    play(scene)


async def run_again_and_again(shop: Shop, work: Command, count: int) -> dict[int, int]:
    """Run elements in a lane each, those that come back again, as a node does; return how often each was started."""
    starts = dict.fromkeys(range(count), 0)

    def start(index: int) -> None:
        starts[index] += 1
        shop.start(work, start=index, lane=100 * starts[index] + index)

    def come_back(answer: Answer) -> None:
        if isinstance(answer, ElementsReturned):
            for index in answer.ranges:
                start(index)

    shop.answers.then = come_back
    for index in range(count):
        start(index)
    answers = shop.answers
    await answers.until(lambda: {index for _, index in [*answers.values, *answers.failures]} == set(range(count)))
    return starts


def test_what_kills_its_launcher_fails_after_three_times_and_its_neighbours_are_done(
    play: Callable[[Scene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_module, "LAUNCHERS_MAX", 1)

    async def scene(shop: Shop) -> None:
        script = "[ $ROOST_INDEX = 1 ] && sleep 0.3 && kill -9 $PPID; sleep 0.6"
        starts = await run_again_and_again(shop, shell(script), 3)
        [failure] = shop.answers.failures.values()
        assert failure.reason == "the launcher of commands was killed by SIGKILL while it ran, and so it was 3 times"
        assert failure.permanent
        assert starts[1] in (3, 4), "the first death may have been another's, as far as anybody knew"
        assert {index for _, index in shop.answers.values} == {0, 2}
        assert not shop.executor._suspects  # type: ignore[attr-defined]  # CommandExecutor
        await shop.answers.until(lambda: len(launchers_of(shop)) == 1)

    play(scene)


def test_what_only_waits_in_a_launcher_that_dies_is_no_suspect(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        order = await shop.run(shell("[ $ROOST_INDEX = 0 ] && kill -9 $PPID; true"), 3)
        assert {index for _, index in shop.answers.returned} == {0, 1, 2}
        executor = shop.executor
        assert isinstance(executor, CommandExecutor)
        assert executor.is_suspicious(order)
        behind = msgspec.structs.replace(order, ranges=RangeSet.span(1, 3))
        assert not executor.is_suspicious(behind)

    play(scene)


def test_a_lease_for_which_no_launcher_can_be_started_fails(
    play: Callable[[Scene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing_left(*_: object, **__: object) -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    async def scene(shop: Shop) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(os, "posix_spawn", nothing_left)
            order = await shop.run(shell("true"))
        assert "no process could be started for it" in shop.answers.failure(order).reason
        assert not shop.answers.failures.get((await shop.run(shell("true"))).lease)

    play(scene)


def test_a_launcher_that_cannot_start_fails_its_elements(
    play: Callable[[Scene], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene(shop: Shop) -> None:
        monkeypatch.setattr(sys, "executable", "/bin/false")
        order = await shop.run(shell("true"), 2)
        expected = "the launcher of commands could not be started: it exited with code 1"
        assert shop.answers.failure(order, 1).reason == expected

    play(scene)


@pytest.mark.skipif(command_module.LAUNCHERS_MAX < 2, reason="a machine with one processor has one launcher")
def test_lanes_have_launchers_of_their_own_and_idle_ones_end(tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        await shop.run(shell("true"))
        await shop.answers.until(lambda: len(launchers_of(shop)) == 2)
        wait = f"echo $PPID; until [ -e {tmp_path}/go ]; do sleep 0.02; done"
        executor = shop.executor
        assert isinstance(executor, CommandExecutor)
        await shop.answers.until(lambda: all(launcher.ready for launcher in executor._launchers))
        orders = [shop.start(shell(wait), lane=lane) for lane in (1, 2)]
        (tmp_path / "go").touch()
        await shop.answers.of(*orders)
        parents = {shop.answers.results(order)[0].stdout for order in orders}
        assert len(parents) == 2
        await shop.answers.until(lambda: len(launchers_of(shop)) == 1)

    open_shop(tmp_path, lambda home, report: CommandExecutor(home, report, idle_s=1.0), scene)


def test_nothing_is_left_of_a_closed_executor(tmp_path: Path) -> None:
    marks: list[str] = []

    async def scene(shop: Shop) -> None:
        assert isinstance(shop.executor, CommandExecutor)
        marks.append(shop.executor._family)
        shop.start(shell("touch here; sleep 600"))
        await shop.answers.until(lambda: bool(list(shop.places.scratch.rglob("here"))))

    open_shop(tmp_path, CommandExecutor, scene)
    assert living(marks[0]) == []
    assert list((tmp_path / "home" / "scratch").iterdir()) == []


def test_scratch_of_an_earlier_life_is_removed(play: Callable[[Scene], None]) -> None:
    async def scene(shop: Shop) -> None:
        stale = shop.places.scratch / "commands-0123-4567" / "1"
        stale.mkdir(parents=True)
        await shop.run(shell("true"))
        await shop.answers.until(lambda: not stale.parent.exists())

    play(scene)
