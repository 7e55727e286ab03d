"""Which nodes can run what is asked for, and what the nearest ones lack."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from roost.core.events import CapacityChanged
from roost.model.attributes import Attributes
from roost.model.ids import NodeId
from roost.model.limits import BEATS_PER_BOOT, CONDITIONS_TOLD_MAX
from roost.model.resources import Capacity
from roost.model.task import Needs
from roost.wire.messages import Heartbeat, OffersOf, Question, Told
from tests.runtime.driving import NODE, spec
from tests.runtime.far.bench import ELM, FIR, OAK, Answer, Bench, bench, nothing, silence

GIB = 2**30


def telling(**attributes: bool | float | str | tuple[str, ...]) -> Answer:
    def answer(question: Question) -> Told:
        assert question == OffersOf()
        return Told(0, offers=Capacity({"cpus": 2.0}, attributes))

    return answer


def says(at: Bench, attributes: Attributes) -> None:
    """The node itself has this."""
    capacity = at.node.queue.lanes.capacity
    at.driver.feed(CapacityChanged(msgspec.structs.replace(capacity, attributes=attributes)))


def beats(at: Bench, node: NodeId, attributes: Attributes, beat: int = 1, *, draining: bool = False) -> None:
    """Another node is heard, which offers two processors and tells this in its heartbeats."""
    offers = Capacity({"cpus": 2.0, "memory_bytes": 4 * GIB}, attributes)
    at.hear(node, Heartbeat(node, 1, 0, BEATS_PER_BOOT + beat, offers, 2.0, draining=draining))


def needing(condition: str, cpus: float = 1.0) -> Needs:
    return Needs.of(cpus, condition=condition)


def test_who_can_run_it_is_known_from_heartbeats_and_nobody_is_asked(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            says(at, {"mem": 4 * GIB})
            at.meet(ELM, nothing)
            beats(at, ELM, {"mem": 64 * GIB})
            assert await at.reach.fitting.why_nobody(needing("mem >= 8GiB")) is None
            assert await at.reach.fitting.why_nobody(needing("mem >= 96GiB")) == (
                f"no node here meets it; nearest: {NODE} lacks mem >= 96GiB (has 4.0 GiB); "
                "elm lacks mem >= 96GiB (has 64.0 GiB)"
            )
            assert at.asked == []

    asyncio.run(scenario())


def test_what_heartbeats_leave_out_is_asked_for_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            says(at, {"programs": ()})
            at.meet(ELM, telling(os="linux", programs=("ffmpeg",)))
            beats(at, ELM, {"os": "linux"})
            for _ in range(2):
                assert await at.reach.fitting.why_nobody(needing('"ffmpeg" in programs')) is None
            assert at.asked == [(ELM, OffersOf())]
            why = await at.reach.fitting.why_nobody(needing('"blender" in programs'))
            assert why == (
                f'no node here meets it; nearest: {NODE} lacks "blender" in programs (has no such one); '
                'elm lacks "blender" in programs (has no such one)'
            )

    asyncio.run(scenario())


def test_another_life_of_a_node_is_asked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, telling(programs=("ffmpeg",)))
            beats(at, ELM, {})
            assert (await at.reach.fitting.whole_offers())[ELM].attributes == {"programs": ("ffmpeg",)}
            monkeypatch.setattr("roost.runtime.far.fitting.KNOWN_FOR_S", 0.0)
            at.reach.fitting._known.clear()
            assert (await at.reach.fitting.whole_offers())[ELM].attributes == {}
            await at.reach.fitting.whole_offers()
            assert len(at.asked) == 3

    asyncio.run(scenario())


def test_who_is_silent_counts_with_what_its_heartbeats_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.runtime.far.fitting.PATIENCE_S", 0.05)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            says(at, {"os": "linux"})
            at.meet(ELM, silence)
            beats(at, ELM, {"os": "macos"})
            told = await at.reach.fitting.whole_offers()
            assert {node: offer.attributes for node, offer in told.items()} == {
                NODE: {"os": "linux"},
                ELM: {"os": "macos"},
            }
            why = await at.reach.fitting.why_nobody(needing('"sh" in programs'))
            assert why is not None
            assert 'elm lacks "sh" in programs (says nothing of that)' in why

    asyncio.run(scenario())


def test_a_node_that_is_not_heard_here_is_asked_for_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Heartbeats go to neighbours on the ring alone."""
    monkeypatch.setattr("roost.runtime.far.fitting.PATIENCE_S", 0.05)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            says(at, {"cores": 2})
            at.meet(ELM, telling(cores=8))
            at.meet(FIR, silence)
            at.meet(OAK, silence)
            assert await at.reach.fitting.why_nobody(needing("cores >= 8", cpus=2.0)) is None
            assert await at.reach.fitting.why_nobody(needing("cores >= 8", cpus=3.0)) == (
                "no node here meets it (2 nodes have not said); "
                f"nearest: elm lacks 3 CPUs (offers 2); {NODE} lacks 3 CPUs (offers 1), cores >= 8 (has 2)"
            )

    asyncio.run(scenario())


def test_the_nearest_lack_least_and_those_that_drain_do_not_count(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            says(at, {"os": "windows", "cores": 2, "mem": GIB})
            for node in (ELM, FIR, OAK):
                at.meet(node, nothing)
            beats(at, ELM, {"os": "linux", "cores": 2, "mem": GIB})
            beats(at, FIR, {"os": "linux", "cores": 8, "mem": GIB})
            beats(at, OAK, {"os": "linux", "cores": 8, "mem": 16 * GIB}, draining=True)
            why = await at.reach.fitting.why_nobody(needing('os == "linux" and cores >= 4 and mem >= 8GiB'))
            assert why == (
                "no node here meets it; nearest: fir lacks mem >= 8GiB (has 1.0 GiB); "
                "elm lacks cores >= 4 (has 2), mem >= 8GiB (has 1.0 GiB); "
                f"{NODE} lacks os == \"linux\" (has 'windows'), cores >= 4 (has 2), mem >= 8GiB (has 1.0 GiB)"
            )
            beats(at, OAK, {"os": "linux", "cores": 8, "mem": 16 * GIB}, 2)
            assert await at.reach.fitting.why_nobody(needing('os == "linux" and mem >= 8GiB')) is None

    asyncio.run(scenario())


def test_a_node_that_has_just_come_looks_at_itself_first(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            fitting = at.reach.fitting
            says(at, {})
            fitting.looked.clear()
            asked = asyncio.ensure_future(fitting.why_nobody(needing('"sh" in programs')))
            await asyncio.sleep(0)
            says(at, {"programs": ("sh",)})
            fitting.looked.set()
            assert await asked is None

    asyncio.run(scenario())


def test_each_task_with_a_condition_that_nobody_meets_is_warned_of(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            says(at, {"mem": GIB})
            tasks = [
                spec("plain", needs=Needs.of(99.0)),
                spec("small", needs=needing("mem >= 1GiB")),
                spec("large", needs=needing("mem >= 2GiB")),
                spec("wide", needs=needing("mem >= 1GiB", cpus=99.0)),
            ]
            large, wide = await at.reach.fitting.warnings(tasks)
            assert large == (
                f"'{tasks[2].id}' will wait: no node here meets it; nearest: {NODE} lacks mem >= 2GiB (has 1.0 GiB)"
            )
            assert wide.endswith(f"nearest: {NODE} lacks 99 CPUs (offers 1)")

    asyncio.run(scenario())


def test_of_a_great_many_conditions_the_first_are_looked_at(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            says(at, {"cores": 1})
            tasks = [spec(f"t{number}", needs=needing(f"cores > {number + 1}")) for number in range(99)]
            assert len(await at.reach.fitting.warnings(tasks)) == CONDITIONS_TOLD_MAX

    asyncio.run(scenario())


def test_many_conditions_wait_once_for_a_node_that_is_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.runtime.far.fitting.PATIENCE_S", 0.02)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            says(at, {"programs": ()})
            at.meet(ELM, silence)
            beats(at, ELM, {})
            for name in ("ffmpeg", "blender", "gmsh"):
                why = await at.reach.fitting.why_nobody(needing(f'"{name}" in programs'))
                assert why is not None
                assert "elm" in why
            assert at.asked == [(ELM, OffersOf())]

    asyncio.run(scenario())


def test_what_was_accepted_stays_so_when_too_many_questions_are_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roost.runtime.far.inquiries.INQUIRIES_MAX", 0)

    async def scenario() -> None:
        async with bench(tmp_path) as at:
            says(at, {"programs": ()})
            at.meet(ELM, nothing)
            beats(at, ELM, {})
            task = msgspec.structs.replace(spec("a"), needs=needing('"ffmpeg" in programs'))
            (warning,) = await at.reach.fitting.warnings([task])
            assert warning.startswith(f"'{task.id}' will wait: no node here meets it")

    asyncio.run(scenario())
