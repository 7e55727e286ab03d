"""The checker of forgetting notices what must not be."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from roost.core.actions import Accepted, Reply
from roost.core.events import ForgetAsked
from roost.core.facts import RunForgotten, RunMerged, TaskAdded
from roost.core.node import Node
from roost.model.clock import Stamp
from roost.model.ids import CauseId, NodeId
from roost.model.record import RunRecord
from roost.model.tombstones import Tombstone
from roost.sim.checkers.forgotten_stays import ForgottenStays
from roost.sim.checkers.mesh_observer import Member
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from tests.core.harness import ASH, RUN, run_spec, task

CAUSE = CauseId("forget-1")
TOMBSTONE = Tombstone(RUN, Stamp(5, 0, ASH))
NODE = cast("Node", SimpleNamespace(name=ASH))


def scene(*facts: Any) -> tuple[ForgottenStays, SimDisk]:
    disk = SimDisk(ASH)
    checker = ForgottenStays(cast("Any", SimpleNamespace(disks={ASH: disk})))
    write(disk, *facts)
    return checker, disk


def write(disk: SimDisk, *facts: Any) -> None:
    disk.append(1, facts)
    disk.write(1)
    disk.flush(disk._last_written)


def test_what_had_not_ended_must_not_be_forgotten() -> None:
    checker, disk = scene(RunMerged(RunRecord(run_spec())), TaskAdded(task("a")))
    checker.on_event(ForgetAsked(CAUSE, (RUN,)), NODE)
    with pytest.raises(Broken, match="which had not ended"):
        checker.on_action(Reply(CAUSE, Accepted(elements=1)), NODE, disk)


def test_what_is_said_to_be_forgotten_is_so_on_disk() -> None:
    checker, disk = scene(RunMerged(RunRecord(run_spec())))
    checker.on_event(ForgetAsked(CAUSE, (RUN,)), NODE)
    with pytest.raises(Broken, match="a power cut would bring it back"):
        checker.on_action(Reply(CAUSE, Accepted(elements=1)), NODE, disk)


def test_what_was_forgotten_comes_back_only_if_somebody_set_it_to_work() -> None:
    checker, disk = scene(RunForgotten(TOMBSTONE), RunMerged(RunRecord(run_spec())))
    core = [Member(NODE, disk, 0)]
    with pytest.raises(Broken, match="is back on ash"):
        checker.at_rest(core)
    write(disk, RunMerged(RunRecord(run_spec(), touched=(Stamp(3, 0, NodeId("elm")),))))
    checker.at_rest(core)


def test_who_forgot_it_and_is_gone_with_that_knowledge_is_not_held_to_it() -> None:
    checker, _ = scene(RunForgotten(TOMBSTONE))
    other = SimDisk(NodeId("elm"))
    write(other, RunMerged(RunRecord(run_spec())))
    checker.at_rest([Member(NODE, other, 0)])


def test_another_cluster_may_have_a_run_of_that_name() -> None:
    checker, disk = scene(RunForgotten(TOMBSTONE))
    other = SimDisk(NodeId("elm"))
    write(other, RunMerged(RunRecord(run_spec())))
    checker.at_rest([Member(NODE, disk, 0), Member(NODE, other, 1)])
    with pytest.raises(Broken, match="is back"):
        checker.at_rest([Member(NODE, disk, 0), Member(NODE, other, 0)])
