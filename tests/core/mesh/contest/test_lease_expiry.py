"""What becomes of leases when their holder dies, starts anew, or has lost them to another."""

import pytest

from roost.core.events import CapacityChanged, Progressed
from roost.core.mesh.contest.lease_expiry import CONFIRM_S, Unclaimed, released
from roost.core.queue.replica import TaskEntry
from roost.model.elements import Elements
from roost.model.ids import NodeId, task_id
from roost.model.limits import ATTEMPT_MAX
from roost.model.ranges import EMPTY
from roost.model.resources import Capacity
from roost.model.states import Done, Leased, Released
from roost.model.token import Token
from roost.wire.messages import Bid, Facts, Heartbeat, RunningLease
from tests.core.company import DEATH_S, RECORDS, REPAIR_S, WINDOW_S, Company, Letter
from tests.core.harness import RUN, edge, ranges, task
from tests.tokens import attempt

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
A = task_id(RUN, "a")


def entry(*states: tuple[Leased | Released | Done, str]) -> TaskEntry:
    made = TaskEntry.fresh(task("a", 10))
    made.merge(Elements({state: ranges(text) for state, text in states}))
    return made


def leased(token: int, node: NodeId = ELM, failures: int = 0) -> Leased:
    return Leased(0, attempt(token), node, failures)


def named(elements: str) -> tuple[RunningLease, ...]:
    return (RunningLease(A, attempt(1), ranges(elements)),)


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


def test_a_lease_that_its_holder_has_not_named_for_long_is_missing() -> None:
    unclaimed, held = Unclaimed(), entry((leased(1), "0-3"))
    assert unclaimed.look(held, ELM, named("2-3"), 10.0) == EMPTY
    assert unclaimed.look(held, ELM, named("2-3"), 10.0 + CONFIRM_S - 0.1) == EMPTY
    assert unclaimed.look(held, ELM, named("2-3"), 10.0 + CONFIRM_S) == ranges("0-1")


def test_being_named_once_begins_the_wait_anew() -> None:
    unclaimed, held = Unclaimed(), entry((leased(1), "0-1"))
    unclaimed.look(held, ELM, (), 10.0)
    assert unclaimed.look(held, ELM, named("0"), 12.0) == EMPTY
    assert unclaimed.look(held, ELM, (), 10.0 + CONFIRM_S) == ranges("1"), "element 0 was named meanwhile"
    unclaimed = Unclaimed()
    unclaimed.look(held, ELM, (), 10.0)
    unclaimed.look(held, ELM, named("0-1"), 12.0)
    assert unclaimed.look(held, ELM, (), 14.0) == EMPTY


def test_leases_of_other_nodes_and_other_tasks_say_nothing() -> None:
    unclaimed, held = Unclaimed(), entry((leased(1, OAK), "0"))
    elsewhere = (RunningLease(task_id(RUN, "b"), attempt(1), ranges("0")),)
    assert unclaimed.look(held, ELM, (), 10.0) == unclaimed.look(held, ELM, (), 99.0) == EMPTY
    unclaimed.look(held, OAK, elsewhere, 10.0)
    assert unclaimed.look(held, OAK, elsewhere, 10.0 + CONFIRM_S) == ranges("0")


def test_what_a_node_did_not_name_is_forgotten_when_it_is_gone() -> None:
    unclaimed, held = Unclaimed(), entry((leased(1), "0"))
    unclaimed.look(held, ELM, (), 10.0)
    unclaimed.forget(ELM)
    assert unclaimed.look(held, ELM, (), 20.0) == EMPTY


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
        assert company[name].state("a") == Released(0, attempt(1), ELM, 0)
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


def test_a_holder_that_was_believed_dead_takes_its_elements_again(company: Company) -> None:
    company.cut("elm")
    company.wait(DEATH_S)
    assert company["ash"].holders("a") == {}
    assert company["elm"].runs() == ["a[0]"]
    company.heal()
    company.wait(REPAIR_S)
    assert company["elm"].seen().count("stop a[0] kill") == 0
    assert all(member.holders("a") == {"elm": "0"} for member in company.living())
    assert tokens(company) == {attempt(2)}


def test_what_was_sent_back_elsewhere_is_stopped_and_begins_again_in_its_edition() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a"), task("b", 1, edge("a")))
    company.wait(WINDOW_S)
    company["elm"].done("a")
    company.wait(WINDOW_S)
    assert company.runs() == {"elm": ["b[0]"]}
    company["elm"].seen()
    company["ash"].send_back(a="0")
    company.settle()
    assert "stop b[0] kill" in company["elm"].seen()
    company["elm"].give_back("b", "0")
    company.wait(WINDOW_S)
    company["elm"].done("a")
    company.wait(WINDOW_S)
    state = company["ash"].state("b")
    assert isinstance(state, Leased)
    assert (state.edition, state.node) == (1, ELM)


def test_a_holder_that_was_believed_dead_leaves_to_others_what_they_have_finished() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company["ash"].submit(task("a"))
    company.wait(2 * WINDOW_S)
    [holder] = company.runs()
    other = "oak" if holder == "elm" else "elm"
    company.cut(holder)
    company.wait(DEATH_S)
    company[other].done("a")
    company.wait(1)
    company[holder].seen()
    company.heal()
    company.wait(REPAIR_S)
    assert "stop a[0] kill" in company[holder].seen()
    company[holder].give_back("a", "0")
    assert company.agree()


# Of two holders one goes on.


def both_run(company: Company) -> None:
    """Let ash and elm lease the same element, neither knowing of the other's lease; elm's is the larger."""
    company.lost = lambda letter: isinstance(letter.message, Bid)
    company["ash"].submit(task("a"))
    company.settle()
    company.hold(WINDOW_S)
    company.lost = lambda _: False
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[0]"]}


def stopped(company: Company) -> list[str]:
    return [member.name for member in company.living() if "stop a[0] kill" in member.seen()]


def is_lease(letter: Letter) -> bool:
    return isinstance(letter.message, Facts) and bool(letter.message.states)


def test_of_two_holders_that_know_no_bids_the_larger_lease_goes_on() -> None:
    company = Company("ash", "elm")
    both_run(company)
    company.settle()
    assert stopped(company) == ["ash"]
    company["ash"].give_back("a", "0")
    company.wait(REPAIR_S)
    assert company.runs() == {"elm": ["a[0]"]}
    assert all(member.holders("a") == {"elm": "0"} for member in company.living())


def test_of_two_holders_the_one_with_the_better_bid_goes_on() -> None:
    """DICE situation 3: a bid that came late decides as if it had come in time."""
    company = Company("ash", "elm")
    company["ash"].submit(task("a"))
    company.deliver(company.letters(RECORDS))
    company.hold(WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[0]"]}
    company.deliver(company.letters(Bid))
    company.settle()
    assert stopped(company) == ["elm"]
    company["elm"].give_back("a", "0")
    company.wait(REPAIR_S)
    assert company.runs() == {"ash": ["a[0]"]}
    assert all(member.holders("a") == {"ash": "0"} for member in company.living())


def test_of_two_holders_the_one_that_is_further_goes_on() -> None:
    company = Company("ash", "elm")
    company.lost = lambda letter: isinstance(letter.message, Bid) or is_lease(letter)
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[0]"]}
    [lease] = company["ash"].node.queue.leases.active.values()
    company["ash"].feed(Progressed(lease.name, 0, 0.8))
    company.lost = is_lease
    company.wait(0.6)
    assert company.said_by("ash", Heartbeat)[-1].leases[0].fraction == 0.8
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert stopped(company) == ["elm"]
    assert company["ash"].runs() == ["a[0]"]


def test_when_both_have_finished_one_result_is_accepted_everywhere() -> None:
    company = Company("ash", "elm", "oak", no_room=["oak"])
    both_run(company)
    company["ash"].done("a")
    company["elm"].done("a")
    company.wait(REPAIR_S)
    assert len({str(member.state_on_disk("a")) for member in company.living()}) == 1
    assert isinstance(company["oak"].state_on_disk("a"), Done)
    assert company.agree()
