"""What counts of what is said of forgotten runs."""

from roost.core.clock_bounds import ClockBounds
from roost.core.mesh.anti_entropy.sifting import sift, tasks_in, without
from roost.core.queue.digests import Digests
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.replica import Replica
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId
from roost.model.record import RunRecord
from roost.model.tombstones import Tombstone
from roost.wire.messages import Audit, Facts, Holding, Keep, WhoIsMaster
from tests.core.harness import ASH, OTHER_RUN, RUN, run_spec, task

ELM = NodeId("elm")


def tombstone(run: RunId, at: int = 1) -> Tombstone:
    return Tombstone(run, Stamp(at, 0, ELM))


def forgotten(*tombstones: Tombstone) -> ForgottenRuns:
    turn = Turn(ASH, 1, ClockBounds(ASH), Tickets())
    runs = ForgottenRuns(turn, Digests(Replica()))
    runs.restore(tombstones)
    return runs


def test_a_message_is_left_without_what_is_about_forgotten_runs() -> None:
    a, b = task("a"), task("b", run=OTHER_RUN)
    facts = Facts(tasks=(a, b))
    assert tasks_in(facts) == [a.id, b.id]
    assert without(facts, {RUN}) == Facts(tasks=(b,))
    for message in (
        facts,
        Keep(7, facts),
        Keep(7, facts, offers=((a.id, Elements()),)),
        Audit(7, facts, (Holding(a.id),)),
    ):
        assert sift(forgotten(tombstone(RUN)), message) == Facts(tasks=(b,)), "what is forgotten is not kept"
        assert sift(forgotten(), message) is message
    hello = WhoIsMaster()
    assert sift(forgotten(tombstone(RUN)), hello) is hello


def test_a_run_that_was_set_to_work_unheard_is_back() -> None:
    runs = forgotten(tombstone(RUN))
    unheard = RunRecord(run_spec(RUN), touched=(Stamp(2, 0, ELM),))
    records = Facts(runs=(unheard,), tasks=(task("a"),))
    sifted = sift(runs, records)
    assert isinstance(sifted, Facts)
    assert (sifted.tasks, [stamp.node for stamp in sifted.runs[0].returned]) == (records.tasks, [ASH])
    assert not runs.has_forgotten(RUN)
