"""What becomes of leases when their holder dies, starts anew, or has them no more."""

import pytest

from roost.core.events import CapacityChanged
from roost.core.mesh.contest.lease_expiry import CONFIRM_S, Unclaimed, held_by_node, released
from roost.core.mesh.contest.takedowns import by_task
from roost.core.queue.replica import TaskEntry
from roost.model.elements import Elements
from roost.model.ids import NodeId, TaskId, task_id
from roost.model.limits import ATTEMPT_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.resources import Capacity
from roost.model.states import Done, Leased, Released
from roost.model.token import Token
from roost.wire.messages import Heartbeat, RunningLease
from tests.core.company import DEATH_S, RECORDS, REPAIR_S, WINDOW_S, Company
from tests.core.harness import RUN, ranges, task
from tests.tokens import attempt

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
A = task_id(RUN, "a")


def entry(*states: tuple[Leased | Released | Done, str]) -> TaskEntry:
    made = TaskEntry.fresh(task("a", 10))
    made.merge(Elements({state: ranges(text) for state, text in states}))
    return made


def leased(token: int, node: NodeId = ELM, failures: int = 0) -> Leased:
    return Leased(0, attempt(token), node, failures)


def named(elements: str) -> dict[TaskId, RangeSet]:
    return by_task([RunningLease(A, attempt(1), ranges(elements))])


# The states that end leases.


def test_the_leases_of_one_node_are_released_and_keep_their_failures() -> None:
    held = entry((leased(3, failures=2), "0-1"), (leased(4, OAK), "2"), (Done(attempt(1), ELM), "3"))
    assert released(held, ELM) == Elements({Released(0, attempt(3), ELM, 2): ranges("0-1")})
    assert not released(held, ASH)


def test_of_a_node_that_started_anew_only_the_leases_of_its_earlier_lives_are_released() -> None:
    tokens_held = (attempt(ATTEMPT_MAX, life=2), attempt(1, life=3), Token(edition=1, life=2, attempt=1))
    held = entry(*((Leased(0, token, ELM, 0), str(at)) for at, token in enumerate(tokens_held)))
    assert released(held, ELM, before=3).known() == ranges("0,2")


# Leases that their holder does not name.


def missing(
    unclaimed: Unclaimed, entry: TaskEntry, holder: NodeId, claims: dict[TaskId, RangeSet], now: float
) -> RangeSet:
    """Return what a holder that claims this much has not named for long."""
    return unclaimed.look(A, holder, held_by_node(entry).get(holder, EMPTY) - claims.get(A, EMPTY), now)


def test_a_lease_that_its_holder_has_not_named_for_long_is_missing() -> None:
    unclaimed, held = Unclaimed(), entry((leased(1), "0-3"))
    assert missing(unclaimed, held, ELM, named("2-3"), 10.0) == EMPTY
    assert missing(unclaimed, held, ELM, named("2-3"), 10.0 + CONFIRM_S - 0.1) == EMPTY
    assert missing(unclaimed, held, ELM, named("2-3"), 10.0 + CONFIRM_S) == ranges("0-1")


def test_being_named_once_begins_the_wait_anew() -> None:
    unclaimed, held = Unclaimed(), entry((leased(1), "0-1"))
    missing(unclaimed, held, ELM, {}, 10.0)
    assert missing(unclaimed, held, ELM, named("0"), 12.0) == EMPTY
    assert missing(unclaimed, held, ELM, {}, 10.0 + CONFIRM_S) == ranges("1"), "element 0 was named meanwhile"
    unclaimed = Unclaimed()
    missing(unclaimed, held, ELM, {}, 10.0)
    missing(unclaimed, held, ELM, named("0-1"), 12.0)
    assert missing(unclaimed, held, ELM, {}, 14.0) == EMPTY


def test_leases_of_other_nodes_and_other_tasks_say_nothing() -> None:
    unclaimed, held = Unclaimed(), entry((leased(1, OAK), "0"))
    elsewhere = by_task([RunningLease(task_id(RUN, "b"), attempt(1), ranges("0"))])
    assert missing(unclaimed, held, ELM, {}, 10.0) == missing(unclaimed, held, ELM, {}, 99.0) == EMPTY
    missing(unclaimed, held, OAK, elsewhere, 10.0)
    assert missing(unclaimed, held, OAK, elsewhere, 10.0 + CONFIRM_S) == ranges("0")


def test_what_a_node_did_not_name_is_forgotten_when_it_is_gone() -> None:
    unclaimed, held = Unclaimed(), entry((leased(1), "0"))
    missing(unclaimed, held, ELM, {}, 10.0)
    unclaimed.forget(ELM)
    assert missing(unclaimed, held, ELM, {}, 20.0) == EMPTY


# Stories.


@pytest.fixture
def company() -> Company:
    """elm runs an element that was submitted on ash; oak has no room yet."""
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"]}
    return company


def tokens(company: Company) -> set[Token]:
    """Return the tokens that element 0 has, as all who live know it."""
    states = [member.state("a") for member in company.living()]
    return {state.token for state in states if state is not None}


def test_the_leases_of_a_dead_node_are_released_alike_everywhere(company: Company) -> None:
    company.kill("elm")
    company.wait(DEATH_S)
    for name in ("ash", "oak"):
        assert company[name].state("a") == Released(0, attempt(1), ELM, 0, downed=(ELM,))
        assert "tell a[0] ready" in company[name].seen()
    assert company.agree()


def test_another_node_takes_over_under_a_larger_token(company: Company) -> None:
    company.add("fir")
    company.wait(3)
    company.kill("elm")
    company.wait(DEATH_S)
    assert company.runs() == {"fir": ["a[0]"]}
    assert tokens(company) == {attempt(2)}


def test_a_node_that_leaves_gives_its_elements_up_at_once(company: Company) -> None:
    company.leave("elm")
    company.settle()
    assert isinstance(company["ash"].state("a"), Released)


def test_a_node_that_starts_anew_has_none_of_its_earlier_leases(company: Company) -> None:
    company.boot("elm")
    company["elm"].slow_disk = True
    company.wait(2)
    assert company.runs() == {"elm": ["a[0]"]}
    assert {token.life for token in tokens(company)} == {2}


def test_a_lease_of_which_the_end_was_not_heard_is_released_after_a_while(company: Company) -> None:
    company.lost = lambda letter: isinstance(letter.message, RECORDS) and letter.sender == "elm"
    company["elm"].feed(CapacityChanged(Capacity.of(0.0, 0, "3.11")))
    company["elm"].give_back("a", "0")
    company.wait(CONFIRM_S - 1)
    assert company["ash"].holders("a") == company["oak"].holders("a") == {"elm": "0"}
    company.wait(2)
    assert company["ash"].state("a") == company["oak"].state("a") == company["elm"].state("a")
    assert isinstance(company["elm"].state("a"), Released)


def test_what_is_finished_and_not_accepted_yet_is_named_and_so_not_released(company: Company) -> None:
    company.lost = lambda letter: isinstance(letter.message, RECORDS) and letter.sender == "elm"
    company["elm"].done("a")
    company.wait(2 * CONFIRM_S)
    assert company.said_by("elm", Heartbeat)[-1].leases == (RunningLease(A, attempt(1), ranges("0"), 1.0),)
    assert company["ash"].holders("a") == {"elm": "0"}
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert isinstance(company["ash"].state_on_disk("a"), Done)


# What is remembered of it.


def test_who_lives_on_counts_how_often_an_element_has_lost_its_holder() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a", 2))
    company.wait(WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"]}
    memory = company["ash"].node.queue.policy_memory
    assert memory.losses(A, 0) == 0
    company.kill("elm")
    company.wait(DEATH_S)
    assert (memory.losses(A, 0), memory.losses(A, 1)) == (1, 0)


def test_what_is_given_back_in_order_has_not_lost_its_holder() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    company["elm"].give_back("a", "0")
    company.settle()
    assert company["ash"].node.queue.policy_memory.losses(A, 0) == 0
