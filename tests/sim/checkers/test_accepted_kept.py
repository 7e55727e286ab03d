"""The checker of promise 1 in a mesh notices what is accepted and kept by nobody, or by one only."""

from typing import Any

import pytest

from roost.core.actions import Accepted, Reply
from roost.core.data.write_acknowledgement import Acknowledgements
from roost.core.events import Submitted
from roost.model.ids import CauseId, NodeId
from roost.sim.checkers.accepted_kept import AcceptedKept
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from roost.sim.plan import draw_plan
from roost.sim.trial import Trial
from tests.core.harness import run_spec
from tests.sim.checkers.meshes import A, disk_with, live_through, member, stand_in

CAUSE = CauseId("submit-1")


class Scene:
    def __init__(self, *disks: SimDisk, company: bool) -> None:
        self.disks = {disk.node: disk for disk in disks}
        self.company = company
        self.checker = AcceptedKept(self)

    def has_company(self, node: NodeId) -> bool:
        return self.company

    def accept(self, safe: int = 0, *warnings: str) -> None:
        """Let the node n1 accept a submission."""
        node = stand_in("n1")
        self.checker.on_event(Submitted(CAUSE, run_spec(), (A,), safe=safe), node)
        self.checker.on_action(Reply(CAUSE, Accepted(warnings)), node, self.disks[NodeId("n1")])

    def lose(self, name: str) -> None:
        del self.disks[NodeId(name)]
        self.checker.on_disk_lost(NodeId(name))


def empty(name: str) -> SimDisk:
    return SimDisk(NodeId(name))


def test_a_node_that_is_alone_accepts_alone() -> None:
    scene = Scene(disk_with("n1", A), empty("n2"), company=False)
    scene.accept()
    assert scene.checker.accepted == {A.id: ("n1",)}


def test_it_notices_what_is_accepted_and_not_on_the_disk_of_the_node_that_says_so() -> None:
    with pytest.raises(Broken, match="was accepted and is not on disk"):
        Scene(empty("n1"), disk_with("n2", A), company=False).accept()


def test_it_notices_a_single_copy_where_there_was_company() -> None:
    Scene(disk_with("n1", A), disk_with("n2", A), company=True).accept()
    with pytest.raises(Broken, match="accepted by n1, which was not alone, and is on one disk only"):
        Scene(disk_with("n1", A), empty("n2"), company=True).accept()


def test_it_notices_fewer_disks_than_were_wanted_and_than_the_answer_says() -> None:
    disks = disk_with("n1", A), disk_with("n2", A), empty("n3")
    Scene(*disks, company=True).accept(2)
    Scene(*disks, company=True).accept(3, "it is on 2 disks and not on 3, because no more nodes are there")
    with pytest.raises(Broken, match="was accepted as being on 3 disks, and is on 2"):
        Scene(*disks, company=True).accept(3)
    with pytest.raises(Broken, match="was accepted as being on 3 disks, and is on 2"):
        Scene(*disks, company=True).accept(4, "it is on 3 disks and not on 4, because no more nodes are there")


def test_the_loss_of_one_disk_may_not_lose_what_two_had() -> None:
    scene = Scene(disk_with("n1", A), disk_with("n2", A), company=True)
    scene.accept()
    scene.lose("n1")
    with pytest.raises(Broken, match="was accepted and on 2 disks, and is on none that is left"):
        scene.lose("n2")


def test_what_was_on_one_disk_may_go_with_it() -> None:
    scene = Scene(disk_with("n1", A), empty("n2"), company=False)
    scene.accept()
    scene.lose("n1")


def test_it_notices_who_of_the_core_lacks_what_others_have() -> None:
    one, other = disk_with("n1", A), empty("n2")
    scene = Scene(one, other, company=False)
    scene.accept()
    scene.checker.at_rest([member(one), member(other, cluster=1)])
    with pytest.raises(Broken, match="was accepted and is not on n2, although others have it"):
        scene.checker.at_rest([member(one), member(other)])


def test_it_notices_a_disk_that_forgets_what_it_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimDisk, "write", lambda disk, ticket: disk._queued.clear())
    with pytest.raises(Broken, match="was accepted and is not on disk"):
        live_through()


def test_it_notices_nodes_that_are_content_with_two_disks_and_do_not_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    ask: Any = Acknowledgements.ask

    def ask_one(*given: Any, wanted: int, **options: Any) -> Any:
        return ask(*given, **options)

    monkeypatch.setattr(Acknowledgements, "ask", ask_one)
    monkeypatch.setattr("roost.core.medium.pending_reply.PendingReply.on_disks", lambda answer, disks: answer.reply)
    with pytest.raises(Broken, match="was accepted as being on 3 disks, and is on 2"):
        Trial(draw_plan(8, brief=True)).run()
