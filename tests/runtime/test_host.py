import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from roost.core.actions import Accepted, Change, RunChanged
from roost.core.events import CancelAsked, RetryAsked, Submitted, SuspendAsked
from roost.core.node import Node
from roost.core.queue.replica import Replica
from roost.core.recording import Ending
from roost.model.errors import InvalidInput, NotFound, Unavailable
from roost.model.happenings import SubmittedBy
from roost.model.ids import NodeId, RunId, TaskId, task_id
from roost.model.limits import MIB
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.task import Command, Edge, EdgeKind, Needs, RunKind, RunSpec, TaskSpec
from roost.runtime import self_check
from roost.runtime.home import Home
from roost.runtime.host import Host
from roost.runtime.network.mesh_settings import MeshSettings
from roost.runtime.trust.key_file import KeyStore
from roost.sim.player import play
from roost.version import VERSION
from roost.wire.values import decode_command_result
from tests.runtime.driving import until
from tests.runtime.networking import run as run_in_node_loop
from tests.runtime.networking import some_port


class Known:
    """A host with what it told its listeners."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.changes: list[Change] = []
        host.listen(self.changes.append)

    async def submit(self, script: str, count: int = 1, *, cwd: str | None = None, **more: Any) -> TaskId:
        """Hand in a shell script and return its task; its run has just this one."""
        host, run = self.host, self.host.new_run_id()
        stamp = host.stamp()
        command = Command(("sh", "-c", script), cwd)
        spec = TaskSpec(task_id(run, "work"), run, command, RangeSet.span(0, count), stamp, **more)
        about = RunSpec(run, "work", RunKind.COMMAND, "ada", "here", stamp)
        accepted = await host.ask(Submitted(host.new_cause("submit"), about, (spec,)))
        assert isinstance(accepted, Accepted)
        return spec.id

    def in_memory(self) -> int:
        return len(self.host._node.queue.replica.runs)

    async def ended(self, run: RunId) -> str:
        """Wait until listeners are told that the run has ended; return how."""
        ends = ("done", "failed", "cancelled")
        found: list[str] = []

        def look() -> bool:
            told = [change for change in self.changes if isinstance(change, RunChanged) and change.run == run]
            found[:] = [change.state for change in told if change.state in ends]
            return bool(found)

        await until(look)
        self.changes.clear()
        return found[0]

    def output(self, task: TaskId) -> list[str]:
        segments = self.host.results(task, self.host.task(task).spec.elements)
        return [decode_command_result(value).stdout.decode() for segment in segments for value in segment.values()]


@asynccontextmanager
async def a_host(folder: Path, mesh: MeshSettings | None = None, recording_bytes: int = 0) -> AsyncIterator[Known]:
    # The user's own home has its settings elsewhere.
    home = Home(folder, folder.parent / "config.toml")
    home.create()
    with home.locked():
        capacity = Capacity.of(2, 2**30, "3.11")
        host = Host(home, capacity, NodeId("ash"), mesh=mesh, recording_bytes=recording_bytes)
        host.start()
        try:
            yield Known(host)
        finally:
            await host.close()


def run_of(task: TaskId) -> RunId:
    return RunId(task.partition("/")[0])


def test_work_is_accepted_run_and_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            task = await known.submit("echo $ROOST_INDEX", count=3)
            assert await known.ended(run_of(task)) == "done"
            assert known.output(task) == ["0\n", "1\n", "2\n"]
            assert known.host.run_ids() == [run_of(task)]
            assert known.host.run(run_of(task)).counts == {"done": 3}
            assert [view.spec.id for view in known.host.tasks(run_of(task))] == [task]
            assert (await known.host.story([task]))[0].what == SubmittedBy("ada", "here")

    asyncio.run(scenario())


def test_who_it_is_and_how_it_does(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            facts = known.host.facts()
            assert (facts.node, facts.pid, facts.home, facts.boot) == ("ash", os.getpid(), str(tmp_path), 1)
            assert (facts.runs, facts.running, facts.trouble) == (0, 0, None)
            task = await known.submit("sleep 60")
            await until(lambda: known.host.facts().running == 1)
            assert known.host.facts().free.cpus == 1
            assert known.host.task(task).ranges == {"running": RangeSet.span(0, 1)}
        async with a_host(tmp_path) as known:
            assert known.host.facts().boot == 2
            first, second = known.host.facts().online.stretches
            assert 0 < first.length_s < 60
            assert first.ended_s <= second.began_s

    asyncio.run(scenario())


def test_a_refusal_is_raised_with_its_sentence(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            with pytest.raises(InvalidInput, match="no elements"):
                await known.submit("true", count=0)
            with pytest.raises(NotFound):
                known.host.run(RunId("9-bababa"))
            assert known.host.run_ids() == []

    asyncio.run(scenario())


def test_a_run_that_has_left_memory_is_still_answered_for(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            task = await known.submit("test $ROOST_INDEX = 0", count=2)
            assert await known.ended(run_of(task)) == "failed"
            assert known.in_memory() == 0
            assert known.host.run(run_of(task)).state == "failed"
            assert known.host.task(task).ranges == {"done": RangeSet.span(0, 1), "failed": RangeSet.span(1, 2)}
            assert "exit code 1" in (await known.host.explain([task], 1))[0][0]
            ((index, failure),) = known.host.failures(task, RangeSet.span(0, 2))
            assert (index, failure.exit_code) == (1, 1)

    asyncio.run(scenario())


def test_a_retry_brings_a_run_back_even_in_another_life(tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"

    async def fail() -> TaskId:
        async with a_host(tmp_path / "home") as known:
            task = await known.submit(f"test -e {allowed}; exit $?")
            assert await known.ended(run_of(task)) == "failed"
            return task

    async def retry(task: TaskId) -> None:
        async with a_host(tmp_path / "home") as known:
            whole = known.host.task(task).spec.elements
            asked = RetryAsked(known.host.new_cause("retry"), ((task, whole),))
            assert (await known.host.ask(asked)).elements == 1
            assert await known.ended(run_of(task)) == "done"

    failed = asyncio.run(fail())
    allowed.touch()
    asyncio.run(retry(failed))


def test_a_new_task_may_need_one_that_has_left_memory(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            source = await known.submit("echo made")
            await known.ended(run_of(source))
            assert known.in_memory() == 0
            edges = (Edge(source, EdgeKind.BROADCAST, "x"),)
            target = await known.submit("echo got {needs.x}", edges=edges)
            assert await known.ended(run_of(target)) == "done"
            assert known.output(target) == ["got made\n"]

    asyncio.run(scenario())


def test_cancelling_and_suspending_what_runs(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            host = known.host
            task = await known.submit("sleep 60")
            await until(lambda: host.facts().running == 1)
            assert host.unended_runs() == [run_of(task)]
            await host.ask(SuspendAsked(host.new_cause("suspend"), run_of(task), on=True))
            assert host.run(run_of(task)).state == "suspended"
            whole = RangeSet.span(0, 1)
            assert (await host.ask(CancelAsked(host.new_cause("cancel"), ((task, whole),)))).elements == 1
            assert await known.ended(run_of(task)) == "cancelled"
            assert host.unended_runs() == []

    asyncio.run(scenario())


def test_causes_and_run_ids_are_never_given_twice(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            assert len({known.host.new_cause("x") for _ in range(100)}) == 100
            numbers = [int(known.host.new_run_id().partition("-")[0]) for _ in range(5)]
            assert numbers == [1, 2, 3, 4, 5]

    asyncio.run(scenario())


def test_a_listener_that_has_gone_hears_nothing_more(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            heard: list[Change] = []
            stop = known.host.listen(heard.append)
            stop()
            stop()
            await known.ended(run_of(await known.submit("true")))
            assert heard == []

    asyncio.run(scenario())


def test_a_stopped_host_leaves_what_ran_for_the_next_life(tmp_path: Path) -> None:
    go = tmp_path / "go"

    async def first_life() -> TaskId:
        async with a_host(tmp_path / "home") as known:
            task = await known.submit(f"while ! test -e {go}; do sleep 0.01; done; echo through")
            await until(lambda: known.host.facts().running == 1)
            return task

    async def second_life(task: TaskId) -> None:
        async with a_host(tmp_path / "home") as known:
            assert await known.ended(run_of(task)) == "done"
            assert known.output(task) == ["through\n"]

    task = asyncio.run(first_life())
    go.touch()
    asyncio.run(second_life(task))


def test_what_is_asked_of_a_stopping_host_is_refused_and_not_left_without_an_answer(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            host = known.host
            task = await known.submit("trap '' TERM; echo > up; sleep 60 & wait; wait", cwd=str(tmp_path))
            await until((tmp_path / "up").exists)
            asked = CancelAsked(host.new_cause("cancel"), ((task, RangeSet.span(0, 1)),))
            pending = host.ask(asked)
            await until(lambda: host.task(task).ranges.get("cancelled"))
        with pytest.raises(Unavailable, match="the node is stopping"):
            await pending
        with pytest.raises(Unavailable, match="the node is stopping"):
            await known.host.ask(SuspendAsked(known.host.new_cause("suspend"), run_of(task), on=True))

    asyncio.run(scenario())


def test_hosts_of_one_cluster_find_each_other_under_different_names_and_share_what_they_know(tmp_path: Path) -> None:
    async def scenario() -> None:
        mesh = MeshSettings(some_port())
        async with a_host(tmp_path / "one", mesh) as one:
            keyring = KeyStore(Home(tmp_path / "one")).load()
            assert keyring is not None
            Home(tmp_path / "two").create()
            KeyStore(Home(tmp_path / "two")).adopt(keyring)
            assert one.host.facts().alone
            async with a_host(tmp_path / "two", mesh) as two:
                await until(lambda: one.host.facts().nodes == two.host.facts().nodes == 2)
                names = [known.host.facts().node for known in (one, two)]
                assert names[0] == "ash"
                assert names[1].startswith("ash-")
                assert {view.node for view in one.host.nodes()} == set(names)
                assert one.host.network() is not None
                task = await one.submit("echo made; echo wrong >&2; exit $ROOST_INDEX", count=2)
                await until(lambda: run_of(task) in two.host.run_ids())
                for known in (one, two):
                    assert await known.ended(run_of(task)) == "failed"
                    await known.host.bring_failures(task, RangeSet.span(1, 2))
                    assert not known.host.unexplained(task, RangeSet.span(0, 2))
                    assert [failure.exit_code for _, failure in known.host.failures(task, RangeSet.span(0, 2))] == [1]
                    done = await known.host.bring(task, RangeSet.span(0, 1))
                    assert not known.host.absent(task, done)
                    [segment] = known.host.results(task, done)
                    assert decode_command_result(segment.values()[0]).stdout == b"made\n"
                assert await one.host.story([task]) == await two.host.story([task])


def test_a_failure_that_nobody_can_explain_is_told_as_such(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            task = await known.submit("exit 3", count=2)
            assert await known.ended(run_of(task)) == "failed"
            with closing(sqlite3.connect(tmp_path / "journal.db")) as journal, journal:
                journal.execute("DELETE FROM failures WHERE element = 0")
            first, second = known.host.failures(task, RangeSet.span(0, 2))
            assert "it failed on ash, and no node that is here knows why" in first[1].reason
            assert second[1].exit_code == 3
            assert known.host.unexplained(task, RangeSet.span(0, 2)) == RangeSet.span(0, 1)

    asyncio.run(scenario())

    run_in_node_loop(scenario())


def test_without_a_mesh_there_are_no_keys_no_network_and_one_node(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            assert known.host.network() is None
            assert [view.node for view in known.host.nodes()] == ["ash"]
            assert KeyStore(Home(tmp_path)).load() is None

    asyncio.run(scenario())


@pytest.mark.parametrize("in_mesh", [False, True])
def test_a_life_is_recorded_and_its_core_does_the_same_again(tmp_path: Path, in_mesh: bool) -> None:
    async def scenario() -> None:
        mesh = MeshSettings(some_port(), ()) if in_mesh else None
        for boot in (1, 2):
            async with a_host(tmp_path, mesh, recording_bytes=MIB) as known:
                task = await known.submit("test $ROOST_INDEX -lt 3", count=5)
                assert await known.ended(run_of(task)) == "failed"
                known.host.task(task)
                await known.host.explain([task], 4)
                retried = RetryAsked(known.host.new_cause("retry"), ((task, RangeSet.span(4, 5)),))
                await known.host.ask(retried)
                assert await known.ended(run_of(task)) == "failed"
                await known.submit("sleep 60")
                # The next life takes it up again.
                await until(lambda: known.host.facts().running == known.host.facts().boot)
            played = play(tmp_path / "recordings" / f"life-{boot}")
            assert (played.wrong, played.ending, played.version) == (None, Ending(), VERSION)
            assert played.events > 10

    run_in_node_loop(scenario())


def test_a_node_that_finds_itself_broken_ends_and_leaves_what_led_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(self_check, "PAUSE_S", 0.01)

    async def scenario() -> None:
        async with a_host(tmp_path, recording_bytes=MIB) as known:
            monkeypatch.setattr(Replica, "follow", lambda self, entry: None)
            await known.submit("sleep 60")
            await asyncio.wait_for(known.host.stopping.wait(), 20)
            assert known.host.gave_up
            with pytest.raises(Unavailable):
                await known.submit("true")

    asyncio.run(scenario())
    recording = tmp_path / "recordings" / "failed-1"
    said = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"][-1]
    assert said.startswith("an error that nobody expected (InvariantViolated: elements of ['1-")
    assert said.endswith(f"'roost sim --replay {recording}' plays again what led to it")
    played = play(recording)
    assert played.wrong is not None
    assert "are leased, noted are []" in played.wrong.message
    assert played.ending is not None
    assert played.ending.reason in said
    monkeypatch.undo()
    assert play(recording).wrong is None, "the mended core is in order, and does the same"


def test_an_error_of_the_core_leaves_the_event_that_raised_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: object, event: object) -> None:
        raise RuntimeError("two and two are five")

    async def scenario() -> None:
        async with a_host(tmp_path, recording_bytes=MIB) as known:
            monkeypatch.setattr(Node, "_answered", fails)
            await known.submit("true")
            await asyncio.wait_for(known.host.stopping.wait(), 20)

    asyncio.run(scenario())
    wrong = play(tmp_path / "recordings" / "failed-1").wrong
    assert wrong is not None
    assert "two and two are five" in wrong.message
    assert "event ElementsDone" in wrong.story.splitlines()[-1]


def test_a_disk_that_fails_is_no_failure_of_roost(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path, recording_bytes=MIB) as known:
            known.host._driver.on_lost("the disk has failed")
            await asyncio.wait_for(known.host.stopping.wait(), 20)
            assert known.host.gave_up

    asyncio.run(scenario())
    assert [path.name for path in (tmp_path / "recordings").iterdir()] == ["life-1"]


def test_what_nobody_can_run_is_accepted_with_a_warning_and_starts_when_the_machine_has_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with a_host(tmp_path) as known:
            host, run = known.host, known.host.new_run_id()
            spec = TaskSpec(
                task_id(run, "work"), run, Command(("true",)), RangeSet.span(0, 1), host.stamp(),
                needs=Needs.of(condition='"ffmpeg" in programs'),
            )  # fmt: skip
            about = RunSpec(run, "work", RunKind.COMMAND, "ada", "here", spec.submitted)
            accepted = await host.ask(Submitted(host.new_cause("submit"), about, (spec,)))
            lacks = 'lacks "ffmpeg" in programs (has no such one)'
            assert accepted == Accepted((f"'{spec.id}' will wait: no node here meets it; nearest: ash {lacks}",), 1)
            assert await host.why_nobody(spec.needs) == f"no node here meets it; nearest: ash {lacks}"
            why = 'this node will not take it: it requires "ffmpeg" in programs, and this node has no such one'
            assert await host.explain([spec.id], None) == [[f"1 of 1 elements: ready: {why}"]]
            host.expect_look()
            host.offer_attributes({"programs": ("ffmpeg",)})
            assert await known.ended(run) == "done"
            assert (await host.attributes())["ash"]["programs"] == ("ffmpeg",)
            assert await host.why_nobody(spec.needs) is None

    asyncio.run(scenario())
