"""The checker of convergence notices what has not ended, and nodes that differ or do not know each other."""

from types import SimpleNamespace
from typing import Any

import pytest

from roost.core.mesh.replication import Replication
from roost.model.ballots import Ballot, Vote
from roost.model.clock import zero
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.record import TaskRecord
from roost.model.states import Cancelled, Done, Failed, Leased, Released, State
from roost.model.task import TaskSpec
from roost.model.tombstones import Tombstone
from roost.sim.checkers.convergence import Converged, lost_results, lost_votes, unended, unsettled
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from roost.sim.plan import MeshOptions
from tests.core.harness import edge, ranges, task
from tests.sim.checkers.meshes import A, disk_with, live_through, member
from tests.tokens import attempt

N1 = NodeId("n1")
DONE = Done(attempt(1), N1)
FAILED = Failed(0, attempt(1), N1, 1)


def left(*tasks: tuple[TaskSpec, tuple[tuple[State, str], ...]]) -> dict[str, str]:
    """Return what is unended of tasks with these states, by name."""
    records = {spec.id: disk_with("n1", spec, *states).flushed.tasks[spec.id] for spec, states in tasks}
    return {name.partition("/")[2]: str(members) for name, members in unended(records).items()}


def test_what_is_done_failed_or_cancelled_has_ended() -> None:
    assert left((A, ((DONE, "0"), (FAILED, "1"), (Cancelled(attempt(1)), "2")))) == {}


@pytest.mark.parametrize("state", [Leased(0, attempt(1), N1, 0), Released(0, attempt(1), N1, 0)])
def test_what_runs_or_could_run_has_not(state: State) -> None:
    assert left((A, ((DONE, "0-1"), (state, "2")))) == {"a": "2"}
    assert left((A, ((DONE, "0-1"),))) == {"a": "2"}


def test_a_failure_with_retries_left_has_not_ended() -> None:
    assert left((task("a", 1, retries=1), ((FAILED, "0"),))) == {"a": "0"}


def test_what_waits_for_something_lost_has_ended_and_so_has_what_waits_for_that() -> None:
    b, c = task("b", 3, edge("a", "each")), task("c", 1, edge("b", "all"))
    states = ((DONE, "0,2"), (FAILED, "1"))
    assert left((A, states), (b, ((DONE, "0"),)), (c, ())) == {"b": "2"}
    assert left((A, states), (b, ((DONE, "0,2"),)), (c, ())) == {}


def test_what_waits_for_something_unknown_has_not_ended() -> None:
    assert left((task("b", 1, edge("a")), ())) == {"b": "0"}


def ended(name: str) -> SimDisk:
    return disk_with(name, A, (DONE, "0-2"))


def test_a_settled_core_gives_no_reason() -> None:
    assert unsettled([member(ended("n1"), "n2"), member(ended("n2"), "n1"), member(ended("n3"), cluster=1)]) is None


def test_it_notices_a_result_that_is_on_one_disk_only() -> None:
    with_result = disk_with("n1", A, (DONE, "0-2"), value=b"x")
    assert unsettled([member(with_result)]) is None, "there is no other disk"
    two = [member(with_result, "n2"), member(ended("n2"), "n1")]
    assert unsettled(two) == "the results of 1-bababa/a, 0-2, are on n1 only"
    copied = [member(with_result, "n2"), member(disk_with("n2", A, (DONE, "0-2"), value=b"x"), "n1")]
    assert unsettled(copied) is None


def test_it_notices_a_node_that_still_brings_things_to_safety() -> None:
    busy = member(ended("n1"), "n2")
    re_replication: Any = busy.node.re_replication
    re_replication.is_done = False
    assert unsettled([busy, member(ended("n2"), "n1")]) == "n1 still has things that others are to keep"


def test_it_notices_what_has_not_ended() -> None:
    with pytest.raises(Broken, match="a: 2 has not ended on n1"):
        Converged().at_rest([member(disk_with("n1", A, (DONE, "0-1")))])


def test_it_notices_a_lease_that_is_left() -> None:
    holder = member(ended("n1"))
    active: Any = holder.node.queue.leases.active
    active[1] = SimpleNamespace(spec=A)
    assert unsettled([holder]) == "n1 still has a lease of 1-bababa/a, although everything has ended"


def test_it_notices_who_takes_the_dead_for_alive_or_the_living_for_dead() -> None:
    assert unsettled([member(ended("n1"), "n2")]) == "n1 takes n1, n2 for alive, and alive are n1"
    assert unsettled([member(ended("n1")), member(ended("n2"), "n1")]) == "n1 takes n1 for alive, and alive are n1, n2"


def test_it_notices_records_that_differ() -> None:
    other = disk_with("n2", A, (Done(attempt(2), N1), "0-2"))
    assert unsettled([member(ended("n1"), "n2"), member(other, "n1")]) == "1-bababa/a differs on n2 and n1"
    lacking = SimDisk(NodeId("n2"))
    lacking.flushed.runs = dict(other.flushed.runs)
    assert unsettled([member(ended("n1"), "n2"), member(lacking, "n1")]) == "1-bababa/a differs on n2 and n1"
    lacking.flushed.tasks[A.id] = TaskRecord(A, other.flushed.tasks[A.id].elements)
    lacking.flushed.runs = {}
    assert unsettled([member(ended("n1"), "n2"), member(lacking, "n1")]) == "1-bababa differs on n2 and n1"
    assert ranges("0-2") == A.elements


def test_it_notices_nodes_that_do_not_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("told", "asked_to_keep", "audited", "delivered"):
        monkeypatch.setattr(Replication, word, lambda replication, sender, message: None)
    monkeypatch.setattr("roost.sim.trial.LIVENESS_S", 20.0)
    with pytest.raises(Broken, match=r"[0-9]+ s after the last fault"):
        live_through(range(4), MeshOptions(nodes=3, faulty_s=3.0, requests=4))


def test_a_result_that_no_disk_has_is_lost() -> None:
    knows = disk_with("n1", A, (DONE, "0-1"))
    has_one = disk_with("n2", A, (DONE, "0"), value=b"x")
    has_another = disk_with("n3", A, (Done(attempt(2), N1), "1"), value=b"y")
    assert lost_results(knows, [knows, has_one, has_another], A.id) == ranges("1")
    assert lost_results(has_one, [has_one], A.id) == ranges("")


def test_a_result_that_was_voted_for_and_that_all_have_forgotten_is_lost_unless_another_counts() -> None:
    vote = Vote(0, Ballot(1, N1, 1), ranges("0-2"), Elements({DONE: ranges("0-2")}))
    voter = disk_with("n1", A, (Leased(0, attempt(2), N1, 0), "0-1"), (Done(attempt(2), N1), "2"))
    voter.flushed.votes[A.id] = (vote,)
    has_one = disk_with("n2", A, (DONE, "0"), value=b"x")
    assert lost_votes(voter, [voter, has_one], A.id) == ranges("")
    voter.flushed.tombstones[A.run] = Tombstone(A.run, zero(N1))
    assert lost_votes(voter, [voter, has_one], A.id) == ranges("1")
