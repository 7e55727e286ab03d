"""The checker of ends notices nodes that tell a person another moment."""

from types import SimpleNamespace

import pytest

from roost.core.facts import RunFinished
from roost.core.origin import Origin
from roost.core.queue.applying import Applying, Moved
from roost.model.clock import NEVER, Stamp
from roost.model.elements import Elements
from roost.model.ids import NodeId, TaskId
from roost.model.record import RunRecord
from roost.model.states import Done
from roost.sim.checkers.ends_agree import EndsAgree
from roost.sim.checkers.mesh_observer import Member
from roost.sim.checkers.observer import Broken
from roost.sim.plan import MeshOptions
from tests.core.harness import RUN, run_spec
from tests.sim.checkers.meshes import A, disk_with, live_through, member
from tests.tokens import attempt

DONE = Done(attempt(1), NodeId("n1"))


def at(seconds: int) -> Stamp:
    return Stamp(1000 * seconds, 0, NodeId("n1"))


def told(name: str, finished: Stamp, written: Stamp | None, *, cluster: int = 0) -> Member:
    """Return a node with a run that is over, as its record and its own end on disk say."""
    disk = disk_with(name, A, (DONE, "0-2"))
    disk.flushed.runs[RUN] = RunRecord(run_spec(RUN), finished=finished)
    if written is not None:
        disk.flushed.ends[RUN] = RunFinished(RUN, written, "done", {"done": 3}, 1)
    one = member(disk, cluster=cluster)
    one.node.queue.replica = SimpleNamespace(runs={})  # type: ignore[assignment]  # a stand-in for what a node has in memory
    return one


def test_nodes_of_one_cluster_that_tell_the_same_are_right() -> None:
    EndsAgree().at_rest([told("n1", at(5), at(5)), told("n2", at(5), at(7)), told("n3", at(6), at(6), cluster=1)])


@pytest.mark.parametrize(
    ("finished", "written"), [(at(6), at(5)), (NEVER, at(7)), (at(5), None)], ids=["another", "own", "none"]
)
def test_it_notices_who_tells_another_moment_or_none(finished: Stamp, written: Stamp | None) -> None:
    with pytest.raises(Broken, match=r"run 1-bababa ended at .* and at 5\.0, say n2 and n1"):
        EndsAgree().at_rest([told("n1", at(5), at(5)), told("n2", finished, written)])


def test_it_notices_nodes_that_write_down_their_own_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a moment that all agree on, each node would tell when it wrote the end down itself."""
    monkeypatch.setattr("roost.sim.checkers.ends_agree.moment_of_end", lambda record, written: written.wall_ms / 1000)
    with pytest.raises(Broken, match="ended at"):
        live_through(range(4), MeshOptions(nodes=3, faulty_s=3.0, requests=4))


def test_nodes_that_take_no_word_for_it_do_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """If whoever hears of an end took its own moment, records would differ until digests tell, and often."""
    apply = Applying.apply

    def forgetful(applying: Applying, task: TaskId, delta: Elements, origin: Origin, at: Stamp | None = None) -> Moved:
        return apply(applying, task, delta, origin)

    monkeypatch.setattr(Applying, "apply", forgetful)
    monkeypatch.setattr("roost.core.mesh.anti_entropy.digest_exchange.DIFFERENCE_S", 1e9)
    monkeypatch.setattr("roost.sim.trial.LIVENESS_S", 20.0)
    with pytest.raises(Broken, match="differs on"):
        live_through(range(4), MeshOptions(nodes=3, faulty_s=3.0, requests=4))
