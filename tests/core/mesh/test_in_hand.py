"""What heartbeats tell of a node's work."""

from roost.model.ids import NodeId, task_id
from roost.wire.messages import (
    Audit,
    Heartbeat,
    Keep,
)
from tests.core.company import WINDOW_S, Company, Letter
from tests.core.harness import RUN, task

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM = NodeId("elm")
LARGE = b"x" * 20_000


def is_copy(letter: Letter) -> bool:
    return isinstance(letter.message, Keep | Audit)


def test_heartbeats_name_everything_that_a_node_has_in_hands() -> None:
    company = Company("ash", "elm", cpus=2, no_room=["ash"])
    company["ash"].submit(task("a", 2))
    company.wait(WINDOW_S)
    company.lost = is_copy
    company["elm"].done("a", "0")
    company.wait(1)
    leases = company.said_by("elm", Heartbeat)[-1].leases
    assert [(str(lease.ranges), lease.fraction) for lease in leases] == [("1", 0.0), ("0", 1.0)]
