"""Tokens grow, every element is answered once, and a restart voids what the last life had."""

import pytest

from roost.core.queue.leases import Lease, Leases
from roost.core.queue.replica import Phase, TaskEntry
from roost.core.queue.tokens import Tokens
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, task_id
from roost.model.limits import ATTEMPT_MAX, EDITION_MAX, ROUND_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import TaskRecord
from roost.model.states import Cancelled, Done, Failed, Leased, Released, Retried
from roost.model.task import Failure
from roost.model.token import NO_TOKEN, Token, token_from_bytes
from tests.core.harness import ASH, RUN, Bench, ranges, task
from tests.tokens import attempt, later

A = task_id(RUN, "a")
BROKEN = Failure("exit code 1")


class Desk:
    """Leases over one task, with the merging that the node does."""

    def __init__(self, retries: int = 0, boot: int = 1, *, is_mapped: bool = False) -> None:
        self.entry = TaskEntry.fresh(task("a", 10, retries=retries, is_mapped=is_mapped))
        self.leases = Leases(ASH, boot)
        self.tokens = Tokens(boot)

    def grant(self, elements: str):
        claimed = ranges(elements)
        token = self.tokens.for_lease(self.entry, claimed)
        lease, delta = self.leases.grant(self.entry, claimed, token, lane=1, now=5.0)
        self.entry.merge(delta)
        return lease

    def renew(self, lease: Lease, contested: RangeSet = EMPTY) -> RangeSet:
        """Take again what can be; return it."""
        again = self.leases.renewable(lease, self.entry, contested)
        if again:
            self.merge(self.leases.renew(lease, self.entry, again, self.tokens.for_lease(self.entry, again)))
        return again

    def merge(self, delta: Elements) -> None:
        self.entry.merge(delta)


def test_the_first_token_is_that_of_the_first_attempt_of_this_life() -> None:
    assert Desk(boot=1).grant("0-3").token == attempt(1)
    assert Desk(boot=3).grant("0-3").token == attempt(1, life=3)


def test_a_token_is_one_more_than_the_largest_that_any_element_had() -> None:
    desk = Desk()
    for _ in range(3):
        lease = desk.grant("0")
        desk.merge(desk.leases.returned(lease, desk.entry, ranges("0")))
    assert desk.grant("0-1").token == attempt(4)


def test_a_token_at_its_limits_is_followed_by_a_larger_one_that_can_be_written() -> None:
    desk = Desk()
    broken = Token(life=1, round=ROUND_MAX, attempt=ATTEMPT_MAX)
    desk.merge(Elements({Released(ROUND_MAX, broken, NodeId("oak"), 0, EDITION_MAX): ranges("0")}))
    token = desk.grant("0").token
    assert token > broken
    assert token_from_bytes(token.to_bytes()) == token


def test_tokens_grow_although_a_crash_lost_the_last_ones() -> None:
    bench = Bench(task("a"))
    first = bench.tokens()["a"]
    bench.disk.tasks[A] = TaskRecord(task("a"))
    bench.boot()
    assert bench.tokens()["a"] > first


def test_only_pending_elements_are_leased() -> None:
    desk = Desk()
    desk.grant("0-3")
    with pytest.raises(InvariantViolated, match="not all pending"):
        desk.grant("3-4")
    with pytest.raises(InvariantViolated):
        desk.leases.grant(desk.entry, RangeSet(), attempt(1), 1, 0.0)


def test_elements_with_different_pasts_share_a_lease_and_keep_their_failures() -> None:
    desk = Desk(retries=5)
    desk.merge(desk.leases.failed(desk.grant("0"), desk.entry, 0, BROKEN))
    lease = desk.grant("0-2")
    states = {str(part): (state.failures, state.token) for state, part in desk.entry.elements.items()}
    assert states == {"0": (1, lease.token), "1-2": (0, lease.token)}


def test_every_element_is_answered_once() -> None:
    desk = Desk()
    lease = desk.grant("0-3")
    desk.leases.done(lease, ranges("1"))
    with pytest.raises(InvariantViolated, match="owes 0,2-3"):
        desk.leases.done(lease, ranges("1"))
    with pytest.raises(InvariantViolated):
        desk.leases.failed(lease, desk.entry, 7, BROKEN)


def test_a_lease_is_over_when_all_its_elements_are_answered() -> None:
    desk = Desk(retries=1)
    lease = desk.grant("0-2")
    desk.leases.done(lease, ranges("0"))
    desk.leases.failed(lease, desk.entry, 1, BROKEN)
    assert list(desk.leases.active) == [lease.name]
    desk.leases.returned(lease, desk.entry, ranges("2"))
    assert desk.leases.active == {}


def test_a_failure_counts_and_a_return_does_not() -> None:
    desk = Desk(retries=1)
    desk.merge(desk.leases.returned(lease := desk.grant("0"), desk.entry, ranges("0")))
    assert desk.entry.elements.at(0) == Released(0, lease.token, ASH, 0)
    desk.merge(desk.leases.failed(lease := desk.grant("0"), desk.entry, 0, BROKEN))
    assert desk.entry.elements.at(0) == Failed(0, lease.token, ASH, 1)
    assert 0 in desk.entry.pending


def test_an_element_has_failed_when_its_retries_are_used_up() -> None:
    desk = Desk(retries=1)
    for _ in range(2):
        desk.merge(desk.leases.failed(desk.grant("0"), desk.entry, 0, BROKEN))
    assert desk.entry.phases[Phase.FAILED] == ranges("0")


def test_a_permanent_failure_uses_up_all_retries_at_once() -> None:
    desk = Desk(retries=5)
    failure = Failure("there is no program 'x'", permanent=True)
    desk.merge(desk.leases.failed(desk.grant("0"), desk.entry, 0, failure))
    assert desk.entry.phases[Phase.FAILED] == ranges("0")


def test_a_round_that_a_person_asked_for_forgives_earlier_failures() -> None:
    desk = Desk(retries=0)
    desk.merge(desk.leases.failed(lease := desk.grant("0"), desk.entry, 0, BROKEN))
    desk.merge(Elements({Retried(1, lease.token): ranges("0")}))
    again = desk.grant("0")
    assert desk.entry.elements.at(0) == Leased(1, again.token, ASH, 0)
    assert again.token > lease.token


def test_what_was_cancelled_meanwhile_neither_fails_nor_is_released() -> None:
    desk = Desk()
    lease = desk.grant("0-1")
    desk.merge(Elements({Cancelled(lease.token): ranges("0-1")}))
    assert not desk.leases.failed(lease, desk.entry, 0, BROKEN)
    assert not desk.leases.returned(lease, desk.entry, ranges("1"))


def test_a_result_beats_a_cancellation() -> None:
    desk = Desk()
    lease = desk.grant("0")
    desk.merge(Elements({Cancelled(lease.token): ranges("0")}))
    desk.merge(desk.leases.done(lease, ranges("0")))
    assert desk.entry.elements.at(0) == Done(lease.token, ASH)


def test_a_restart_voids_the_leases_of_the_last_life_and_of_no_other_node() -> None:
    desk = Desk()
    mine, theirs = Leased(0, attempt(1), ASH, 2), Leased(0, attempt(1), NodeId("oak"), 0)
    desk.merge(Elements({mine: ranges("0-1"), theirs: ranges("2")}))
    assert desk.leases.void(desk.entry) == Elements({Released(0, attempt(1), ASH, 2): ranges("0-1")})


# Taking again what this node still works on.


def released_by_others(desk: Desk, token: Token, elements: str) -> None:
    desk.merge(Elements({Released(0, token, ASH, 0): ranges(elements)}))


def test_a_lease_that_others_released_is_taken_again_under_a_larger_token() -> None:
    desk = Desk()
    lease = desk.grant("0-3")
    first = lease.token
    desk.leases.done(lease, ranges("0"))
    released_by_others(desk, first, "0-3")
    desk.renew(lease)
    assert lease.token > first
    assert desk.entry.leased == ranges("1-3"), "what is answered is not taken again"
    desk.merge(desk.leases.returned(lease, desk.entry, ranges("1-3")))
    assert desk.entry.elements.at(1) == Released(0, lease.token, ASH, 0)


def test_a_token_that_is_not_larger_than_what_an_element_had_is_not_taken() -> None:
    desk = Desk()
    lease = desk.grant("0-3")
    released_by_others(desk, lease.token, "0-3")
    with pytest.raises(InvariantViolated, match="not larger"):
        desk.leases.renew(lease, desk.entry, ranges("0-3"), lease.token)
    with pytest.raises(InvariantViolated, match="not larger"):
        desk.leases.grant(desk.entry, ranges("2-5"), lease.token, 1, 0.0)
    assert (len(desk.leases.active), lease.earlier_tokens) == (1, ()), "and nothing has changed"


def test_what_another_node_has_by_now_is_left_to_it() -> None:
    desk = Desk()
    lease = desk.grant("0-3")
    released_by_others(desk, lease.token, "0-1")
    theirs = Leased(0, later(lease.token, 5), NodeId("oak"), 0)
    desk.merge(Elements({theirs: ranges("1"), Done(attempt(9), NodeId("oak")): ranges("2")}))
    assert desk.renew(lease) == ranges("0,3"), "with what was never released, because the lease has one token"
    assert (desk.entry.elements.at(1), desk.entry.done) == (theirs, ranges("2"))


def test_what_is_left_to_another_node_is_known_until_it_comes_back_or_is_taken_again() -> None:
    desk = Desk()
    lease = desk.grant("0-3")
    desk.merge(Elements({Leased(0, later(lease.token, 5), NodeId("oak"), 0): ranges("1-2")}))
    desk.renew(lease)
    assert lease.left == ranges("1-2")
    desk.leases.returned(lease, desk.entry, ranges("1"))
    assert lease.left == ranges("2")
    desk.renew(lease, ranges("2"))
    assert lease.left == EMPTY


def test_what_was_told_to_stop_is_not_taken_again() -> None:
    desk = Desk()
    lease = desk.grant("0-1")
    before = lease.token
    lease.stopping = ranges("0-1")
    released_by_others(desk, before, "0-1")
    assert not desk.renew(lease)
    assert lease.token == before


def test_failures_so_far_count_on_after_a_renewal() -> None:
    desk = Desk(retries=5)
    desk.merge(desk.leases.failed(desk.grant("0"), desk.entry, 0, BROKEN))
    lease = desk.grant("0")
    desk.merge(Elements({Released(0, lease.token, ASH, 1): ranges("0")}))
    desk.renew(lease)
    assert desk.entry.elements.at(0) == Leased(0, lease.token, ASH, 1)


def test_a_contested_element_is_taken_from_another_holder() -> None:
    desk = Desk()
    lease = desk.grant("0-1")
    theirs = Leased(0, later(lease.token, 5), NodeId("oak"), 0)
    desk.merge(Elements({theirs: ranges("0")}))
    desk.renew(lease, ranges("0"))
    assert desk.entry.elements.at(0) == desk.entry.elements.at(1) == Leased(0, later(theirs.token, 1), ASH, 0)


def test_what_was_told_to_stop_before_a_renewal_is_released_when_it_comes_back() -> None:
    desk = Desk()
    lease = desk.grant("0-3")
    lease.stopping = ranges("2-3")
    desk.merge(Elements({Leased(0, later(lease.token, 1), NodeId("oak"), 0): ranges("0")}))
    desk.renew(lease, ranges("0"))
    desk.merge(desk.leases.returned(lease, desk.entry, ranges("2-3")))
    assert desk.entry.leased == ranges("0-1")


def test_a_result_carries_the_length_of_its_list_and_the_edition_of_its_lease() -> None:
    desk = Desk(is_mapped=True)
    desk.merge(Elements({Retried(0, attempt(3), 2): ranges("1-2")}))
    lease, fresh = desk.grant("1-2"), desk.grant("0")
    assert (lease.edition, fresh.edition) == (2, 0)
    assert desk.leases.done(fresh, ranges("0"), {0: 4}) == Elements({Done(fresh.token, ASH, 4): ranges("0")})
    assert desk.leases.done(lease, ranges("1-2"), {1: 4, 2: 0}) == Elements(
        {Done(lease.token, ASH, 4, 2): ranges("1"), Done(lease.token, ASH, 0, 2): ranges("2")}
    )


def test_a_length_that_no_pool_asks_for_is_not_kept() -> None:
    desk = Desk()
    lease = desk.grant("0")
    assert desk.leases.done(lease, ranges("0"), {0: 4}) == Elements({Done(lease.token, ASH): ranges("0")})


def test_an_attempt_stays_in_its_edition_however_it_ends() -> None:
    desk = Desk(retries=1)
    desk.merge(Elements({Retried(0, attempt(3), 2): ranges("0-1")}))
    lease = desk.grant("0-1")
    failed = desk.leases.failed(lease, desk.entry, 0, BROKEN)
    assert [state.edition for state, _ in failed.items()] == [2]
    returned = desk.leases.returned(lease, desk.entry, ranges("1"))
    assert [state.edition for state, _ in returned.items()] == [2]


def test_no_token_comes_again_when_work_is_sent_back_by_somebody_who_knows_of_no_lease() -> None:
    """Another element of the task was sent back before, so that the later edition has tokens already."""
    desk = Desk()
    desk.merge(Elements({Retried(0, NO_TOKEN, 1): ranges("0")}))
    first = desk.grant("1")
    desk.merge(Elements({Retried(0, NO_TOKEN, 1): ranges("1")}))
    assert desk.grant("1").token > Token(edition=1) > first.token


def test_a_lease_that_is_taken_again_leaves_what_was_sent_back_meanwhile() -> None:
    desk = Desk()
    lease = desk.grant("0-3")
    desk.merge(Elements({Retried(0, NO_TOKEN, 1): ranges("0-1")}))
    desk.merge(Elements({Released(0, lease.token, ASH, 0): ranges("2-3")}))
    assert desk.renew(lease) == ranges("2-3")


def test_no_token_of_a_round_comes_again_in_the_next() -> None:
    """Who asks for another round may know of smaller tokens only, and what he says takes the place of this lease."""
    desk = Desk(boot=3)
    lease = desk.grant("0")
    desk.merge(Elements({Retried(1, attempt(1)): ranges("0")}))
    again = desk.grant("0")
    assert again.token > lease.token
    desk.merge(Elements({Retried(100_000, attempt(1)): ranges("0")}))
    assert again.token < desk.grant("0").token == Token(life=3, round=100_000, attempt=1)


def test_a_result_of_an_earlier_life_is_told_from_one_of_this() -> None:
    second_life = Leases(NodeId("ash"), 2)
    assert second_life.made_earlier(Done(attempt(ATTEMPT_MAX), NodeId("ash")))
    assert not second_life.made_earlier(Done(attempt(1, life=2), NodeId("ash")))
    assert not second_life.made_earlier(Done(attempt(1), NodeId("elm")))
    sent_back = Token(edition=1, life=1, attempt=1)
    assert second_life.made_earlier(Done(sent_back, NodeId("ash"), edition=1))
    assert second_life.made_earlier(Done(sent_back, NodeId("ash")))
