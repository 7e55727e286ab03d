"""Results of this node's own runs that others made while it was away come home."""

import asyncio
from pathlib import Path

import msgspec

from roost.core.actions import RunChanged
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.record import RunRecord, Switch
from roost.model.task import RunKind, RunSpec
from roost.runtime.far.homecoming import Homecoming
from roost.wire.messages import Facts
from tests.runtime.driving import NODE, RUN, TASK, spec, until
from tests.runtime.far.bench import ELM, OAK, Bench, bench, done_by, having, nothing, ranges


def finish_elsewhere(at: Bench, submitter: NodeId) -> None:
    """Let the node hear that a run has ended of which it has no result."""
    stamp = Stamp(1, 0, submitter)
    about = RunSpec(RUN, "work", RunKind.COMMAND, "ada", "there", stamp)
    run = RunRecord(about, sealed=Switch(stamp, on=True), task_count=1)
    at.hear(ELM, Facts(runs=(run,), tasks=(msgspec.structs.replace(spec(count=6), submitted=stamp),)))
    at.hear(ELM, Facts(states=((TASK, Elements(dict([done_by(ELM, "0-5")]))),)))


def test_what_is_missing_of_an_own_run_is_brought_when_it_has_ended(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            home = Homecoming(at.node, at.journal, at.reach)
            home.start()
            at.meet(ELM, having("0-5", at_a_time=4))
            finish_elsewhere(at, NODE)
            await until(lambda: any(isinstance(change, RunChanged) for change in at.life.changes))
            await at.driver.written()
            for change in at.life.changes:
                home.hear(change)
            home.hear(RunChanged(RUN, "done"))
            await until(lambda: not at.reach.shelf.absent_results(TASK, ranges("0-5")))
            await home.close()
            assert len(at.asked) == 2
            assert len(at.values("0-5")) == 6

    asyncio.run(scenario())


def test_a_node_that_starts_looks_at_its_runs_and_tries_again_when_nobody_has_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(ELM, nothing)
            finish_elsewhere(at, NODE)
            await until(lambda: at.journal.has_run(RUN) and at.journal.task_ids(RUN))
            await at.driver.written()
            home = Homecoming(at.node, at.journal, at.reach, try_again_s=0.01)
            home.start()
            await until(lambda: len(at.asked) > 2)
            at.answers[ELM] = having("0-5")
            await until(lambda: not at.reach.shelf.absent_results(TASK, ranges("0-5")))
            await home.close()

    asyncio.run(scenario())


def test_runs_of_others_stay_where_they_are(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with bench(tmp_path) as at:
            at.meet(OAK, having("0-5"))
            finish_elsewhere(at, OAK)
            await at.driver.written()
            home = Homecoming(at.node, at.journal, at.reach)
            home.start()
            home.hear(RunChanged(RUN, "done"))
            await until(lambda: not home._runs)
            await home.close()
            assert at.asked == []

    asyncio.run(scenario())
