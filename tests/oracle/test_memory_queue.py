"""The reference queue keeps the rules that it is the reference for."""

from typing import Any

import msgspec
import pytest

from roost.model.clock import Stamp
from roost.model.errors import InvalidInput, NotFound, PeerError
from roost.model.ids import NodeId, RunId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.task import Command, Edge, EdgeKind, Failure, Priority, TaskSpec
from roost.model.token import NO_TOKEN, Token
from roost.policy.order import AGEING_S
from tests.oracle.memory_queue import Claim, MemoryQueue
from tests.tokens import attempt

RUN = RunId("5-kedova")
ASH, OAK = NodeId("ash"), NodeId("oak")
LEASE_S = 10.0
BROKEN = Failure("exit code 1")


def task(name: str, elements: str = "1-3", *edges: Edge, wall_ms: int = 1, **changes: Any) -> TaskSpec:
    stamp = Stamp(wall_ms, 0, ASH)
    spec = TaskSpec(task_id(RUN, name), RUN, Command(("true",)), RangeSet.parse(elements), stamp, edges)
    return msgspec.structs.replace(spec, **changes)


def edge(source: str, kind: EdgeKind) -> Edge:
    return Edge(task_id(RUN, source), kind)


def ranges(text: str) -> RangeSet:
    return RangeSet.parse(text) if text else RangeSet()


A, B, C = (task_id(RUN, name) for name in "abc")


class Bench:
    """A queue with its own clock, and short words for what the rules do with it."""

    def __init__(self, *tasks: TaskSpec) -> None:
        self.queue = MemoryQueue()
        self.now = 100.0
        self.queue.submit(tasks, self.now)

    def states(self, name: TaskId = A) -> dict[str, str]:
        return {state: str(members) for state, members in self.queue.states(name, self.now).items()}

    def look(self, limit: int = 10) -> list[tuple[str, str]]:
        return [(offer.spec.id, str(offer.ready)) for offer in self.queue.look(self.now, limit)]

    def claim(self, text: str, name: TaskId = A, holder: NodeId = ASH) -> Claim:
        claim = self.queue.claim(name, ranges(text), holder, self.now, LEASE_S)
        assert claim is not None
        return claim

    def finish(self, text: str, name: TaskId = A, word: str = "x") -> None:
        """Claim elements and complete them at once."""
        claim = self.claim(text, name)
        for start, stop in claim.ranges.spans():
            assert self.complete(claim, f"{start}-{stop - 1}", word)

    def complete(self, claim: Claim, text: str, word: str = "x") -> str:
        wished = ranges(text)
        segment = pack(wished.first, [f"{word}{index}".encode() for index in wished])
        return str(self.queue.complete(claim.task, segment, claim.holder, claim.token, self.now))

    def fail(self, claim: Claim, index: int, failure: Failure = BROKEN) -> bool:
        return self.queue.fail(claim.task, index, failure, claim.holder, claim.token, self.now)

    def renew(self, claim: Claim, text: str) -> str:
        return str(self.queue.renew(claim.task, ranges(text), claim.holder, claim.token, self.now, LEASE_S))

    def release(self, claim: Claim, text: str) -> str:
        return str(self.queue.release(claim.task, ranges(text), claim.holder, claim.token, self.now))

    def cancel(self, text: str, name: TaskId = A) -> str:
        return str(self.queue.cancel(name, ranges(text), self.now))

    def retry(self, text: str, name: TaskId = A) -> str:
        return str(self.queue.retry(name, ranges(text), self.now))

    def results(self, name: TaskId = A) -> dict[int, bytes]:
        return self.queue.results(name, RangeSet.span(0, 1000))


# Submitting and looking.


def test_what_is_submitted_is_ready() -> None:
    bench = Bench(task("a", "1-3,7"))
    assert bench.states() == {"ready": "1-3,7"}
    assert bench.look() == [(A, "1-3,7")]
    assert bench.results() == {}


def test_nothing_is_submitted_if_one_task_breaks_a_rule() -> None:
    bench = Bench(task("a"))
    with pytest.raises(InvalidInput):
        bench.queue.submit([task("b"), task("a")], bench.now)
    with pytest.raises(NotFound):
        bench.queue.submit([task("b"), task("c", "1-3", edge("nowhere", EdgeKind.EACH))], bench.now)
    assert bench.look() == [(A, "1-3")]
    with pytest.raises(NotFound):
        bench.states(B)


def test_every_question_about_an_unknown_task_is_refused() -> None:
    queue, some, one = MemoryQueue(), ranges("1"), attempt(1)
    for ask in (
        lambda: queue.claim(A, some, ASH, 1.0, LEASE_S),
        lambda: queue.renew(A, some, ASH, one, 1.0, LEASE_S),
        lambda: queue.release(A, some, ASH, one, 1.0),
        lambda: queue.complete(A, pack(1, [b""]), ASH, one, 1.0),
        lambda: queue.fail(A, 1, BROKEN, ASH, one, 1.0),
        lambda: queue.cancel(A, some, 1.0),
        lambda: queue.retry(A, some, 1.0),
        lambda: queue.states(A, 1.0),
        lambda: queue.results(A, some),
    ):
        with pytest.raises(NotFound, match=A):
            ask()
    assert queue.look(1.0, 10) == []
    assert queue.expire(1.0) == []


def test_the_order_is_interactive_first_then_first_come() -> None:
    low = [task("c", wall_ms=5_000), task("a", wall_ms=7_000), task("b", wall_ms=6_000)]
    bench = Bench(*low, task("d", wall_ms=9_000, priority=Priority.INTERACTIVE))
    assert [name for name, _ in bench.look()] == [task_id(RUN, name) for name in "dcba"]
    assert len(bench.look(limit=2)) == 2


def test_a_low_task_that_waited_long_is_not_overtaken() -> None:
    late_ms = int(AGEING_S * 1000) + 2
    bench = Bench(task("b", wall_ms=late_ms, priority=Priority.INTERACTIVE), task("a", wall_ms=1))
    assert [name for name, _ in bench.look()] == [A, B]


def test_looking_changes_nothing() -> None:
    bench = Bench(task("a"))
    assert bench.look() == bench.look()
    assert bench.states() == {"ready": "1-3"}


# Leases and their tokens.


def test_a_claim_takes_what_is_ready_of_what_it_wishes() -> None:
    bench = Bench(task("a", "1-5"))
    claim = bench.claim("2-3,9")
    assert claim == Claim(A, ASH, attempt(1), ranges("2-3"), bench.now + LEASE_S)
    assert bench.states() == {"ready": "1,4-5", "leased": "2-3"}
    assert bench.claim("1-4", holder=OAK).ranges == ranges("1,4")
    assert bench.queue.claim(A, ranges("1-4"), OAK, bench.now, LEASE_S) is None
    assert bench.look() == [(A, "5")]


def test_a_token_is_one_more_than_the_largest_of_its_elements() -> None:
    bench = Bench(task("a"))
    assert bench.release(bench.claim("1"), "1") == "1"
    assert bench.claim("2").token == attempt(1)
    again = bench.claim("1,3", holder=OAK)
    assert again.token == attempt(2)
    assert bench.release(again, "3") == "3"
    assert bench.claim("3").token == attempt(3)


def test_a_lease_ends_by_silence_at_its_moment() -> None:
    bench = Bench(task("a"))
    bench.claim("1-2")
    bench.now += LEASE_S - 1
    bench.claim("3")
    assert bench.queue.expire(bench.now) == []
    bench.now += 1
    assert bench.queue.expire(bench.now) == [(A, ranges("1-2"))]
    assert bench.states() == {"ready": "1-2", "leased": "3"}
    assert bench.queue.expire(bench.now) == []


def test_a_lease_whose_time_has_come_is_over_whoever_asks() -> None:
    bench = Bench(task("a"))
    claim = bench.claim("1-3")
    bench.now += LEASE_S
    assert bench.look() == [(A, "1-3")]
    assert bench.renew(claim, "1-3") == ""
    assert bench.release(claim, "1-3") == ""
    assert not bench.fail(claim, 1)
    assert bench.claim("1-3", holder=OAK).token == attempt(2)


def test_a_renewed_lease_lives_on_for_the_elements_that_were_named() -> None:
    bench = Bench(task("a"))
    claim = bench.claim("1-3")
    bench.now += LEASE_S - 1
    assert bench.renew(claim, "1-2,8") == "1-2"
    bench.now += 1
    assert bench.states() == {"ready": "3", "leased": "1-2"}
    bench.now += LEASE_S - 1
    assert bench.states() == {"ready": "1-3"}


def test_only_the_holder_under_its_token_has_a_say() -> None:
    bench = Bench(task("a"))
    claim = bench.claim("1-3")
    stranger = msgspec.structs.replace(claim, holder=OAK)
    older = msgspec.structs.replace(claim, token=NO_TOKEN)
    for other in (stranger, older):
        assert bench.renew(other, "1-3") == bench.release(other, "1-3") == ""
        assert not bench.fail(other, 1)
    assert bench.states() == {"leased": "1-3"}


def test_several_leases_of_one_holder_are_told_apart() -> None:
    bench = Bench(task("a", "1-6"))
    first = bench.claim("1-3")
    bench.now += 5
    second = bench.claim("4-6")
    assert first.token == second.token
    assert bench.renew(first, "2-5") == "2-5"
    bench.now += 5
    assert bench.states() == {"ready": "1", "leased": "2-6"}
    bench.now += 5
    assert bench.states() == {"ready": "1-6"}


# Results.


def test_a_result_is_accepted_once_and_stays() -> None:
    bench = Bench(task("a"))
    claim = bench.claim("1-3")
    assert bench.complete(claim, "1-2", "first") == "1-2"
    assert bench.complete(claim, "1-3", "second") == "3"
    assert bench.results() == {1: b"first1", 2: b"first2", 3: b"second3"}
    assert bench.queue.results(A, ranges("2-9")) == {2: b"first2", 3: b"second3"}
    assert bench.states() == {"done": "1-3"}
    assert bench.look() == []


def test_what_is_done_stays_done() -> None:
    bench = Bench(task("a"))
    claim = bench.claim("1-3")
    bench.complete(claim, "1-3")
    assert bench.renew(claim, "1-3") == bench.release(claim, "1-3") == bench.cancel("1-3") == bench.retry("1-3") == ""
    assert not bench.fail(claim, 1)
    bench.now += LEASE_S
    assert bench.states() == {"done": "1-3"}


def test_a_late_result_is_accepted_if_there_is_none() -> None:
    bench = Bench(task("a"))
    claim = bench.claim("1-3")
    bench.now += LEASE_S
    assert bench.complete(claim, "1", "late") == "1"
    newer = bench.claim("2-3", holder=OAK)
    assert bench.complete(claim, "2", "late") == "2"
    assert bench.renew(newer, "2-3") == "3"
    assert bench.complete(newer, "2-3", "newer") == "3"
    assert bench.results() == {1: b"late1", 2: b"late2", 3: b"newer3"}


def test_a_late_result_is_refused_once_a_newer_was_accepted() -> None:
    bench = Bench(task("a", "1"))
    old = bench.claim("1")
    bench.now += LEASE_S
    bench.complete(bench.claim("1", holder=OAK), "1", "new")
    assert bench.complete(old, "1", "old") == ""
    assert bench.results() == {1: b"new1"}


def test_a_result_under_a_token_that_was_never_given_is_refused() -> None:
    bench = Bench(task("a"))
    forged = Claim(A, ASH, attempt(1), ranges("1-3"), 0.0)
    assert bench.complete(forged, "1-3") == ""
    bench.claim("1")
    assert bench.complete(msgspec.structs.replace(forged, token=attempt(2)), "1-3") == ""
    assert bench.complete(msgspec.structs.replace(forged, token=NO_TOKEN), "1-3") == ""
    assert bench.states() == {"ready": "2-3", "leased": "1"}


def test_a_damaged_segment_changes_nothing() -> None:
    bench = Bench(task("a"))
    claim = bench.claim("1-3")
    with pytest.raises(PeerError):
        bench.queue.complete(A, Segment(1, 3, b"\x91\xc4\x00"), ASH, claim.token, bench.now)
    assert bench.states() == {"leased": "1-3"}


def test_elements_that_are_not_in_the_array_are_ignored() -> None:
    bench = Bench(task("a", "2"))
    claim = bench.claim("2")
    assert not bench.fail(claim, 1)
    assert bench.complete(claim, "1-3") == "2"
    assert bench.results() == {2: b"x2"}


# Failures, retries, cancellations.


def test_a_failed_attempt_is_tried_again_while_retries_last() -> None:
    bench = Bench(task("a", retries=1))
    claim = bench.claim("1-3")
    assert bench.fail(claim, 2)
    assert not bench.fail(claim, 2), "a failure counts once"
    assert bench.states() == {"ready": "2", "leased": "1,3"}
    again = bench.claim("2")
    assert again.token == attempt(2)
    assert bench.fail(again, 2)
    assert bench.states() == {"leased": "1,3", "failed": "2"}
    assert bench.queue.claim(A, ranges("2"), ASH, bench.now, LEASE_S) is None


def test_a_permanent_failure_is_not_tried_again() -> None:
    bench = Bench(task("a", retries=5))
    assert bench.fail(bench.claim("1"), 1, Failure("no such program", permanent=True))
    assert bench.states() == {"ready": "2-3", "failed": "1"}


def test_giving_back_and_silence_count_no_failure() -> None:
    bench = Bench(task("a", "1"))
    for _ in range(3):
        bench.release(bench.claim("1"), "1")
        bench.claim("1")
        bench.now += LEASE_S
    assert bench.states() == {"ready": "1"}


def test_failures_are_remembered_when_an_element_is_given_back() -> None:
    bench = Bench(task("a", "1", retries=1))
    bench.fail(bench.claim("1"), 1)
    bench.release(bench.claim("1"), "1")
    bench.claim("1")
    bench.now += LEASE_S
    assert bench.fail(bench.claim("1"), 1)
    assert bench.states() == {"failed": "1"}


def test_a_retry_gives_failed_elements_a_new_round() -> None:
    bench = Bench(task("a", retries=1))
    for _ in range(2):
        last = bench.claim("1")
        bench.fail(last, 1)
    assert bench.retry("1-3") == "1"
    assert bench.states() == {"ready": "1-3"}
    claim = bench.claim("1")
    assert claim.token == Token(life=1, round=1, attempt=1) > last.token
    bench.fail(claim, 1)
    assert bench.states() == {"ready": "1-3"}, "the failures of the earlier round are forgiven"
    bench.fail(bench.claim("1"), 1)
    assert bench.states() == {"ready": "2-3", "failed": "1"}


def test_a_late_result_heals_a_failure() -> None:
    bench = Bench(task("a", "1"))
    slow = bench.claim("1")
    bench.now += LEASE_S
    bench.fail(bench.claim("1", holder=OAK), 1)
    assert bench.states() == {"failed": "1"}
    assert bench.complete(slow, "1") == "1"
    assert bench.states() == {"done": "1"}


def test_what_has_not_ended_can_be_cancelled() -> None:
    bench = Bench(task("a", "1-5"))
    bench.finish("1")
    bench.fail(bench.claim("2"), 2)
    claim = bench.claim("3")
    assert bench.cancel("1-4") == "3-4"
    assert bench.states() == {"ready": "5", "done": "1", "failed": "2", "cancelled": "3-4"}
    assert bench.renew(claim, "3") == bench.release(claim, "3") == ""
    assert not bench.fail(claim, 3)
    assert bench.cancel("1-4") == bench.retry("3-4") == ""
    bench.now += LEASE_S
    assert bench.look() == [(A, "5")]


def test_done_beats_cancelled() -> None:
    bench = Bench(task("a"))
    claim = bench.claim("1-2")
    assert bench.cancel("1-3") == "1-3"
    assert bench.complete(claim, "1-3") == "1-2"
    assert bench.states() == {"done": "1-2", "cancelled": "3"}


# Dataflow.


def test_each_lets_an_element_go_when_its_twin_is_done() -> None:
    bench = Bench(task("a"), task("b", "1-2", edge("a", EdgeKind.EACH)))
    assert bench.states(B) == {"waiting": "1-2"}
    assert bench.queue.claim(B, ranges("1-2"), ASH, bench.now, LEASE_S) is None
    bench.finish("2")
    assert bench.states(B) == {"waiting": "1", "ready": "2"}
    assert bench.look() == [(A, "1,3"), (B, "2")]


def test_whole_edges_wait_for_the_whole_source() -> None:
    for kind in (EdgeKind.ALL, EdgeKind.AFTER):
        bench = Bench(task("a"), task("b", "7-8", edge("a", kind)))
        bench.finish("1-2")
        assert bench.states(B) == {"waiting": "7-8"}
        bench.finish("3")
        assert bench.states(B) == {"ready": "7-8"}


def test_a_broadcast_lets_all_go_when_its_one_source_is_done() -> None:
    bench = Bench(task("a", "0"), task("b", "1-9", edge("a", EdgeKind.BROADCAST)))
    assert bench.states(B) == {"waiting": "1-9"}
    bench.finish("0")
    assert bench.states(B) == {"ready": "1-9"}


def test_all_edges_of_a_task_must_be_satisfied() -> None:
    both = (edge("a", EdgeKind.EACH), edge("b", EdgeKind.AFTER))
    bench = Bench(task("a"), task("b", "1"), task("c", "1-3", *both))
    bench.finish("1-2")
    assert bench.states(C) == {"waiting": "1-3"}
    bench.finish("1", B)
    assert bench.states(C) == {"waiting": "3", "ready": "1-2"}


def test_tasks_may_be_submitted_in_any_order_and_later() -> None:
    bench = Bench(task("b", "1-3", edge("a", EdgeKind.EACH)), task("a"))
    bench.finish("1")
    bench.queue.submit([task("c", "1-2", edge("a", EdgeKind.EACH))], bench.now)
    assert bench.states(B) == {"waiting": "2-3", "ready": "1"}
    assert bench.states(C) == {"waiting": "2", "ready": "1"}


def test_what_needs_something_lost_is_aborted_all_the_way_down() -> None:
    bench = Bench(
        task("a"),
        task("b", "1-3", edge("a", EdgeKind.EACH)),
        task("c", "0", edge("b", EdgeKind.ALL)),
    )
    bench.fail(bench.claim("1"), 1)
    assert bench.states(B) == {"waiting": "2-3", "aborted": "1"}
    assert bench.states(C) == {"aborted": "0"}
    bench.cancel("2")
    bench.finish("3")
    assert bench.states(B) == {"ready": "3", "aborted": "1-2"}
    assert bench.look() == [(B, "3")]


def test_a_task_submitted_after_its_source_was_lost_is_aborted() -> None:
    bench = Bench(task("a"))
    bench.cancel("1")
    bench.queue.submit([task("b", "1-2", edge("a", EdgeKind.EACH)), task("c", "1", edge("a", EdgeKind.ALL))], bench.now)
    assert bench.states(B) == {"waiting": "2", "aborted": "1"}
    assert bench.states(C) == {"aborted": "1"}


def test_a_retry_or_a_late_result_upstream_lifts_the_abort() -> None:
    for kind in (EdgeKind.EACH, EdgeKind.ALL):
        bench = Bench(task("a", "1"), task("b", "1", edge("a", kind)), task("c", "1", edge("b", kind)))
        claim = bench.claim("1")
        bench.fail(claim, 1)
        assert bench.states(C) == {"aborted": "1"}
        assert bench.retry("1") == "1"
        assert bench.states(B) == bench.states(C) == {"waiting": "1"}
        bench.fail(bench.claim("1"), 1)
        assert bench.states(C) == {"aborted": "1"}
        assert bench.complete(claim, "1") == "1"
        assert (bench.states(B), bench.states(C)) == ({"ready": "1"}, {"waiting": "1"})


def test_what_is_aborted_can_be_cancelled_but_not_retried() -> None:
    bench = Bench(task("a", "1"), task("b", "1", edge("a", EdgeKind.EACH)))
    bench.cancel("1")
    assert bench.retry("1", B) == ""
    assert bench.cancel("1", B) == "1"
    assert bench.states(B) == {"cancelled": "1"}
