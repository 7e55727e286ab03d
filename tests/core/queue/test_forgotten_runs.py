"""Which runs are forgotten."""

import pytest

from roost.core.clock_bounds import ClockBounds
from roost.core.queue.digests import Digests
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.replica import Replica
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.clock import Stamp
from roost.model.ids import NodeId, RunId
from roost.model.record import RunRecord
from roost.model.tombstones import Tombstone
from tests.core.harness import ASH, OTHER_RUN, RUN, run_spec

ELM = NodeId("elm")


def tombstone(run: RunId, at: int = 1) -> Tombstone:
    return Tombstone(run, Stamp(at, 0, ELM))


def forgotten(*tombstones: Tombstone) -> ForgottenRuns:
    turn = Turn(ASH, 1, ClockBounds(ASH), Tickets())
    runs = ForgottenRuns(turn, Digests(Replica()))
    runs.restore(tombstones)
    return runs


def test_what_is_about_to_be_forgotten_counts_as_forgotten() -> None:
    runs = forgotten()
    assert runs.is_empty
    runs.going[RUN] = tombstone(RUN)
    runs.heard[OTHER_RUN] = tombstone(OTHER_RUN)
    assert all(runs.has_forgotten(run) and runs.is_going(run) for run in (RUN, OTHER_RUN))
    assert (runs.is_empty, runs.tombstone_of(RUN), runs.known_of(RUN)) == (False, None, tombstone(RUN))


def test_a_run_that_was_set_to_work_unheard_returns() -> None:
    runs = forgotten(tombstone(RUN))
    heard = RunRecord(run_spec(RUN))
    assert runs.let_return(heard) is heard, "its tombstone hides it"
    unheard = RunRecord(run_spec(RUN), touched=(Stamp(2, 0, ELM),))
    assert [stamp.node for stamp in runs.let_return(unheard).returned] == [ASH]
    assert not runs.has_forgotten(RUN)


def test_only_the_latest_tombstones_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.core.queue.forgotten_runs.TOMBSTONES_MAX", 1)
    runs = forgotten(tombstone(OTHER_RUN, 2), tombstone(RUN, 1))
    assert [one.run for one in runs.tombstones()] == [OTHER_RUN]
