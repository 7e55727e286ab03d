"""The checker of the quorum notices a second result, one that too few hold, and one that goes away."""

from contextlib import nullcontext
from typing import Any

import msgspec
import pytest

from roost.core.actions import Persist
from roost.core.facts import Fact, StatesMerged, TaskAdded
from roost.core.quorum import proposing
from roost.core.quorum.quorum import Quorum
from roost.core.tickets import Outcome
from roost.model.ballots import Ballot, Vote
from roost.model.clock import zero
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.states import Cancelled, Done
from roost.model.task import TaskSpec
from roost.model.tombstones import Tombstone
from roost.sim.checkers.observer import Broken
from roost.sim.checkers.quorum_kept import QuorumKept
from roost.sim.executor import Mishaps
from roost.sim.journal import SimDisk
from roost.sim.life import Faults
from roost.sim.network import Cut
from roost.sim.plan import MeshOptions
from tests.core.harness import ranges
from tests.sim.checkers.meshes import A, disk_with, live_through, member, stand_in, told
from tests.tokens import attempt

THREE = ("n1", "n2", "n3")
STRICT = msgspec.structs.replace(A, voters=tuple(NodeId(name) for name in THREE))
ALONE = msgspec.structs.replace(A, voters=(NodeId("n1"),))
MINE, THEIRS = Done(attempt(1), NodeId("n1")), Done(attempt(2), NodeId("n2"))
VOTED = Vote(0, Ballot(1, NodeId("n1"), 1), ranges("0"), Elements({MINE: ranges("0")}))
#: Five nodes that the network parts for long enough that each side goes on alone; all people want a quorum.
RIFTS = MeshOptions(
    nodes=5, faulty_s=8.0, requests=12, quorum=1.0, machine=Faults(mishaps=Mishaps(mean_s=0.5, fickle=True))
)
CUTS = (Cut(1.0, 7.5, ("n1", "n2", "n3"), ("n4", "n5")),)


class Scene:
    def __init__(self, *disks: SimDisk, company: bool = False) -> None:
        self.disks = {disk.node: disk for disk in disks}
        self.company = company

    def has_company(self, node: NodeId) -> bool:
        return self.company


def holding(name: str, *results: Done) -> SimDisk:
    return disk_with(name, STRICT, *((result, "0") for result in results), value=b"x")


def written(checker: QuorumKept, name: str, *states: Any, boot: int = 1, spec: TaskSpec = STRICT) -> None:
    """Let a node hand these states of element 0 to its disk."""
    node = stand_in(name)
    node.boot = boot
    moved = [StatesMerged(spec.id, Elements({state: ranges("0")})) for state in states]
    facts: tuple[Fact, ...] = (TaskAdded(spec), *moved)
    checker.on_action(Persist(1, facts), node, SimDisk(NodeId(name)))


def tell(checker: QuorumKept, name: str = "n1") -> None:
    checker.on_action(told(STRICT, "done", "0"), stand_in(name), SimDisk(NodeId(name)))


def test_it_is_content_with_one_result_that_most_voters_hold() -> None:
    disks = [holding("n1", MINE), holding("n2", MINE), holding("n3")]
    checker = QuorumKept(Scene(*disks))
    for name in THREE:
        written(checker, name, MINE)
        tell(checker, name)
    checker.at_rest([member(disk) for disk in disks[:2]])
    assert list(checker.told.values()) == [MINE]


def test_it_notices_two_results_even_if_nobody_was_told() -> None:
    checker = QuorumKept(Scene())
    written(checker, "n1", MINE)
    with pytest.raises(Broken, match=r"counts on n1, and .* on n2"):
        written(checker, "n2", THEIRS)


def test_what_a_power_cut_took_from_the_only_voter_before_it_was_flushed_or_told_has_not_counted() -> None:
    """Its vote went with it, and work is begun anew from the disk. Of several voters others may have theirs."""
    for spec, is_forgiven in ((ALONE, True), (STRICT, False)):
        disk = SimDisk(NodeId("n1"))
        disk.begin_boot()
        checker = QuorumKept(Scene(disk))
        written(checker, "n1", MINE, spec=spec)
        disk.begin_boot()
        with nullcontext() if is_forgiven else pytest.raises(Broken, match=r"counts on n1, and .* on n1"):
            written(checker, "n1", THEIRS, boot=2, spec=spec)
        with pytest.raises(Broken, match=r"counts on n1, and .* on n2"):
            written(checker, "n2", MINE if is_forgiven else THEIRS, spec=spec)


def test_what_is_on_a_disk_or_was_told_has_counted_though_its_only_voter_was_restarted() -> None:
    for is_told in (True, False):
        disk = disk_with("n1", ALONE, (MINE, "0"), value=b"x")
        checker = QuorumKept(Scene(disk))
        disk.begin_boot()
        written(checker, "n1", MINE, spec=ALONE)
        if is_told:
            tell(checker)
            disk.flushed.tasks.clear()
        disk.begin_boot()
        with pytest.raises(Broken, match=r"counts on n1, and .* on n1"):
            written(checker, "n1", THEIRS, boot=2, spec=ALONE)


def test_two_editions_may_have_two_results() -> None:
    checker = QuorumKept(Scene())
    written(checker, "n1", MINE, msgspec.structs.replace(THEIRS, edition=1))


def test_it_notices_a_result_that_too_few_voters_hold() -> None:
    checker = QuorumKept(Scene(holding("n1", MINE), holding("n2", THEIRS), holding("n3")))
    written(checker, "n1", MINE)
    with pytest.raises(Broken, match=r"only \['n1'\] hold"):
        tell(checker)


def test_a_voter_whose_disk_is_lost_may_have_held_it() -> None:
    checker = QuorumKept(Scene(holding("n1", MINE), holding("n3")))
    written(checker, "n1", MINE)
    tell(checker)


def test_a_voter_that_has_forgotten_the_run_has_held_what_it_voted_for() -> None:
    forgetful = SimDisk(NodeId("n2"))
    forgetful.flushed.tombstones[STRICT.run] = Tombstone(STRICT.run, zero(NodeId("n2")))
    forgetful.flushed.votes[STRICT.id] = (VOTED,)
    checker = QuorumKept(Scene(holding("n1", MINE), forgetful, holding("n3")))
    written(checker, "n1", MINE)
    tell(checker)


@pytest.mark.parametrize("votes", [True, False])
def test_it_notices_a_voter_that_has_lost_its_vote_or_its_result_though_nobody_wanted_that(votes: bool) -> None:
    second = SimDisk(NodeId("n2"))
    if votes:
        second.flushed.votes[STRICT.id] = (VOTED,)
    else:
        second.flushed.tombstones[STRICT.run] = Tombstone(STRICT.run, zero(NodeId("n2")))
    checker = QuorumKept(Scene(holding("n1", MINE), second, holding("n3")))
    written(checker, "n1", MINE)
    with pytest.raises(Broken, match=r"only \['n1'\] hold"):
        tell(checker)


def test_it_notices_what_is_told_and_was_never_written() -> None:
    checker = QuorumKept(Scene())
    written(checker, "n1")
    with pytest.raises(Broken, match="nobody has written that"):
        tell(checker)


def test_it_notices_a_result_that_was_told_and_goes_away() -> None:
    gone = member(disk_with("n1", STRICT, (Cancelled(attempt(5)), "0")))
    checker = QuorumKept(Scene(holding("n1", MINE), holding("n2", MINE)))
    written(checker, "n1", MINE)
    tell(checker)
    with pytest.raises(Broken, match="was told done"):
        checker.at_rest([gone])


def test_what_a_node_told_that_was_alone_may_be_lost_with_it() -> None:
    disk = holding("n2")
    disk.flushed.made = holding("n1", MINE).flushed.made
    checker = QuorumKept(Scene(holding("n1", MINE), disk))
    written(checker, "n1", MINE)
    tell(checker)
    checker.at_rest([member(disk_with("n2", STRICT, (Cancelled(attempt(5)), "0")))])


def test_it_notices_a_maker_that_tells_what_nobody_else_knows_though_it_is_not_alone() -> None:
    disk = holding("n2")
    disk.flushed.made = holding("n1", MINE).flushed.made
    checker = QuorumKept(Scene(holding("n1", MINE), disk, company=True))
    written(checker, "n1", MINE)
    with pytest.raises(Broken, match="nobody else knows that"):
        tell(checker)


def test_what_asks_for_no_quorum_is_not_looked_at() -> None:
    checker = QuorumKept(Scene())
    for name, state in (("n1", MINE), ("n2", THEIRS)):
        facts = (TaskAdded(A), StatesMerged(A.id, Elements({state: ranges("0")})))
        checker.on_action(Persist(1, facts), stand_in(name), SimDisk(NodeId(name)))
    checker.on_action(told(A, "done", "0"), stand_in("n1"), SimDisk(NodeId("n1")))


def test_it_is_content_with_worlds_that_the_network_parts() -> None:
    live_through(range(1), RIFTS, CUTS)


def test_it_notices_nodes_that_take_one_voter_for_most_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposing, "majority", lambda _: 1)
    with pytest.raises(Broken, match=r"counts on|of its voters"):
        live_through(range(6), RIFTS, CUTS)


def test_it_notices_both_sides_of_a_partition_if_they_do_as_without_a_quorum(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the nodes believe to be a run without a quorum is looked at as if it had asked for one."""
    look = QuorumKept._look_at

    def look_at_all(self: QuorumKept, fact: Any, node: NodeId) -> None:
        if isinstance(fact, TaskAdded):
            fact = TaskAdded(msgspec.structs.replace(fact.spec, voters=STRICT.voters))
        look(self, fact, node)

    monkeypatch.setattr(QuorumKept, "_look_at", look_at_all)
    monkeypatch.setattr(QuorumKept, "_tell", lambda *_: None)
    with pytest.raises(Broken, match=r"counts on n., and .* on n."):
        live_through(range(8), msgspec.structs.replace(RIFTS, quorum=0.0), CUTS)


def test_it_notices_nodes_that_tell_what_they_alone_know(monkeypatch: pytest.MonkeyPatch) -> None:
    def tell_at_once(quorum: Quorum, one: Any, decided: Elements) -> None:
        task = one.change.task
        quorum._turn.persist(Outcome(task, decided), StatesMerged(task, decided))

    monkeypatch.setattr(Quorum, "_decided", tell_at_once)
    with pytest.raises(Broken, match="nobody else knows that"):
        live_through(range(2), msgspec.structs.replace(RIFTS, faulty_s=20.0, requests=20), ())
