"""Which runs are forgotten, and what counts of what is said of them."""

import pytest

from roost.core.clock_bounds import ClockBounds
from roost.core.mesh.anti_entropy.digests import Digests
from roost.core.mesh.anti_entropy.forgotten_runs import ForgottenRuns, tasks_in, without
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
        assert forgotten(tombstone(RUN)).sift(message) == Facts(tasks=(b,)), "what is forgotten is not kept"
        assert forgotten().sift(message) is message
    hello = WhoIsMaster()
    assert forgotten(tombstone(RUN)).sift(hello) is hello


def test_what_is_about_to_be_forgotten_counts_as_forgotten() -> None:
    runs = forgotten()
    assert runs.is_empty
    runs.going[RUN] = tombstone(RUN)
    runs.heard[OTHER_RUN] = tombstone(OTHER_RUN)
    assert all(runs.has_forgotten(run) and runs.is_going(run) for run in (RUN, OTHER_RUN))
    assert (runs.is_empty, runs.tombstone_of(RUN), runs.known_of(RUN)) == (False, None, tombstone(RUN))


def test_a_run_that_was_set_to_work_unheard_is_back() -> None:
    runs = forgotten(tombstone(RUN))
    unheard = RunRecord(run_spec(RUN), touched=(Stamp(2, 0, ELM),))
    records = Facts(runs=(unheard,), tasks=(task("a"),))
    sifted = runs.sift(records)
    assert isinstance(sifted, Facts)
    assert (sifted.tasks, [stamp.node for stamp in sifted.runs[0].returned]) == (records.tasks, [ASH])
    assert not runs.has_forgotten(RUN)


def test_only_the_latest_tombstones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.core.mesh.anti_entropy.forgotten_runs.TOMBSTONES_MAX", 1)
    runs = forgotten(tombstone(OTHER_RUN, 2), tombstone(RUN, 1))
    assert [one.run for one in runs.tombstones()] == [OTHER_RUN]
