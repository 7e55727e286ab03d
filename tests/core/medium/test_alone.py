"""A node without a network: it agrees with itself, at once."""

import pytest

from roost.core.actions import Accepted
from roost.core.events import Heard
from roost.core.tickets import Learnt, News
from roost.model.clock import Stamp
from roost.model.ids import NodeId, task_id
from roost.wire.messages import Facts
from tests.core.harness import RUN, Bench, edge, ranges, task
from tests.tokens import attempt

A = task_id(RUN, "a")


def test_whatever_is_ready_may_be_taken_and_its_result_counts_when_it_is_on_this_disk() -> None:
    bench = Bench(task("a", 3), cpus=1.0)
    medium = bench.node.medium
    assert (medium.won(), medium.claimed(A)) == (None, ranges("1-2"))
    bench.slow_disk = True
    bench.done("a", "0")
    assert "done" not in bench.states("a"), "it is on its way to the disk"
    bench.write_all()
    assert bench.states("a")["done"] == "0"
    bench.slow_disk = False
    bench.finish_all()
    assert (medium.remaining(), medium.sizes(), medium.next_deadline()) == (0, {}, None)


def test_a_claim_is_answered_at_once_also_of_what_is_not_ready_yet() -> None:
    bench = Bench(task("a"), task("b", 2, edge("a", "broadcast")), cpus=1.0)
    medium, waiting = bench.node.medium, task_id(RUN, "b")
    assert not medium.claimed(waiting)
    assert medium.claimed_ahead(waiting) == ranges("0-1")
    assert not medium.unanswered(waiting)
    assert (medium.token(waiting, ranges("0-1")), bench.tokens()["a"]) == (attempt(1), attempt(1))


def test_a_submission_is_answered_when_it_is_on_this_disk_and_told_if_that_is_not_what_was_wanted() -> None:
    answer = Bench().submit(task("a"), safe=2)
    assert isinstance(answer, Accepted)
    assert answer.warnings == ("it is on 1 disk and not on 2, because no more nodes are there",)


def test_its_only_voter_decides_at_once() -> None:
    bench = Bench()
    bench.submit(task("a"), quorum=True)
    bench.done("a")
    assert bench.node.queue.replica.tasks == {} or bench.states("a") == {"done": "0"}
    assert "tell a[0] done" in bench.seen()


def test_what_somebody_says_is_not_heard() -> None:
    bench, stranger = Bench(), NodeId("elm")
    bench.feed(Heard(stranger, Stamp(1, 0, stranger), Facts(tasks=(task("a"),))))
    assert not bench.node.queue.replica.tasks
    assert not bench.seen()


def test_nothing_is_kept_for_others() -> None:
    with pytest.raises(AssertionError, match="nobody"):
        Bench().node.medium.apply(Learnt(News()))
