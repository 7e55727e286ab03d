"""Further attempts: what runs beside a lease of record, what becomes of both, and what nothing takes for a lease."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from roost.core.events import CapacityChanged, DeadlineReached, DrainAsked, GiveWay
from roost.core.facts import FailureNoted, StatesMerged, StoryTold
from roost.core.mesh.contest.lease_expiry import CONFIRM_S
from roost.model.happenings import AttemptFailedOn, RepeatedBy
from roost.model.ids import NodeId, task_id
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.states import Done, Leased
from roost.model.task import Manual, Priority, TaskSpec
from roost.policy.choose import Abstain, Choice, Policy, Repeat, Take, View
from roost.policy.fcfs import first_come_first_served
from roost.sim.repeaters import repeater
from roost.wire.messages import Fetch, Heartbeat
from tests.core.company import DEATH_S, REPAIR_S, WINDOW_S, Company
from tests.core.harness import OTHER_RUN, RUN, edge, ranges, task

A = task_id(RUN, "a")
NAMES = ("ash", "elm", "oak")
#: It runs where it is handed in, without a contest.
OWN = task("a", priority=Priority.INTERACTIVE)


def backup_for(*unstable: str) -> Policy:
    """FAIR's backup: what a node runs that often fails is run once more elsewhere, whatever else is ready."""

    def choose(view: View) -> Sequence[Choice]:
        backups = [
            Repeat(one.task, one.ranges, f"{one.holder} often fails")
            for one in view.elsewhere
            if one.holder in unstable and one.may_repeat and one.attempts == 1
        ]
        return [*backups, *first_come_first_served(view)]

    return choose


def stragglers(after_s: float) -> Policy:
    """Repeat what has run for so long; look again in a while, for nothing stirs a node that only waits."""

    def choose(view: View) -> Sequence[Choice]:
        late = [one for one in view.elsewhere if (one.running_s or 0.0) >= after_s]
        repeats = [Repeat(one.task, one.ranges, f"it runs for {after_s:g} s already") for one in late]
        return repeats or [Abstain("nothing has run for long", view.now + 0.5)]

    return choose


def repeated(*repeaters: str, spec: TaskSpec | None = None) -> Company:
    """Let ash run one element, which was handed in there, and these repeat it; the others are idle."""
    company = Company(*NAMES, policies=dict.fromkeys(repeaters, repeater()))
    company["ash"].submit(spec or OWN)
    company.wait(1)
    return company


def told(company: Company, name: str, kind: type) -> list[Any]:
    facts = company[name].facts
    return [fact.what for fact in facts if isinstance(fact, StoryTold) and isinstance(fact.what, kind)]


def about_elements(company: Company, name: str) -> list[Any]:
    return [fact for fact in company[name].facts if isinstance(fact, StatesMerged | StoryTold | FailureNoted)]


def test_a_node_with_nothing_else_to_do_repeats_what_another_runs_and_the_record_stays_as_it_was() -> None:
    company = repeated("elm")
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[0]"]}
    assert all(member.holders("a") == {"ash": "0"} for member in company.living())
    [what] = told(company, "elm", RepeatedBy)
    assert (what.node, what.why) == ("elm", "nothing else is left to do")
    state = company["elm"].state("a")
    assert isinstance(state, Leased)
    assert what.token > state.token, "what it makes is not older than the lease that it is made beside"


def test_heartbeats_tell_of_attempts_apart_from_leases() -> None:
    company = repeated("elm")
    beat = company.said_by("elm", Heartbeat)[-1]
    assert ([str(one.ranges) for one in beat.attempts], beat.leases) == (["0"], ())
    assert company.said_by("ash", Heartbeat)[-1].attempts == ()


def test_people_see_all_who_run_an_element() -> None:
    company = repeated("elm")
    company.wait(2)
    for name in NAMES:
        [line] = company[name].node.explanations.explain(A, None)
        assert "running: on ash for" in line
        assert ", on elm for" in line
        assert company[name].states("a") == {"running": "0"}


def test_who_hears_of_attempts_adds_no_more_than_its_policy_wants() -> None:
    company = Company(*NAMES, policies=dict.fromkeys(("elm", "oak"), repeater(2)))
    company.cut("oak")
    company["ash"].submit(OWN)
    company.wait(1)
    company.heal()
    company.wait(REPAIR_S)
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[0]"]}


def test_the_first_result_counts_and_the_holder_is_told_to_stop() -> None:
    company = repeated("elm")
    company["ash"].seen()
    company["elm"].done("a")
    company.wait(1)
    assert "stop a[0] kill" in company["ash"].seen()
    company["ash"].facts.clear()
    company["ash"].give_back("a", "0")
    assert about_elements(company, "ash") == [], "nothing is written of what has lost"
    company.wait(REPAIR_S)
    states = {str(member.state_on_disk("a")) for member in company.living()}
    assert len(states) == 1
    state = company["oak"].state_on_disk("a")
    assert isinstance(state, Done)
    assert state.node == "elm"
    assert company.runs() == {}
    assert company.agree()


def test_a_result_of_the_holder_ends_the_attempt_and_nothing_is_written_of_that() -> None:
    company = repeated("elm")
    company["elm"].seen()
    company["ash"].done("a")
    company.wait(1)
    assert "stop a[0] kill" in company["elm"].seen()
    company["elm"].facts.clear()
    company["elm"].give_back("a", "0")
    assert about_elements(company, "elm") == []
    company.wait(REPAIR_S)
    assert company.runs() == {}
    assert company.agree()


def test_two_that_finish_at_the_same_time_have_one_result_everywhere() -> None:
    company = repeated("elm")
    company["ash"].done("a")
    company["elm"].done("a")
    company.wait(REPAIR_S)
    assert len({str(member.state_on_disk("a")) for member in company.living()}) == 1
    assert isinstance(company["oak"].state_on_disk("a"), Done)


def test_when_the_holder_dies_the_element_is_ready_for_others_and_the_attempt_goes_on() -> None:
    company = repeated("elm")
    company.kill("ash")
    company.wait(DEATH_S)
    company.wait(1)
    assert company.runs() == {"elm": ["a[0]"], "oak": ["a[0]"]}
    assert company["elm"].holders("a") == {"oak": "0"}, "elm does not lease what it attempts already"
    company["elm"].done("a")
    company.wait(1)
    assert "stop a[0] kill" in company["oak"].seen()
    state = company["oak"].state("a")
    assert isinstance(state, Done)
    assert state.node == "elm"


def test_alone_with_an_attempt_a_node_goes_on_and_its_result_counts() -> None:
    company = repeated("elm")
    company.kill("ash")
    company.kill("oak")
    company.wait(DEATH_S + CONFIRM_S)
    assert company["elm"].runs() == ["a[0]"]
    assert company["elm"].holders("a") == {}
    [why] = company["elm"].node.explanations.explain(A, None)
    assert why == "1 of 1 elements: ready: this node attempts it already, beside the node that had leased it"
    company["elm"].done("a")
    company.wait(1)
    assert isinstance(company["elm"].state("a"), Done)


def test_an_attempt_that_ends_without_a_result_lets_its_node_lease_the_element_under_a_larger_token() -> None:
    company = repeated("elm")
    [attempt] = company["elm"].node.queue.leases.attempts.values()
    company.kill("ash")
    company.kill("oak")
    company.wait(DEATH_S + CONFIRM_S)
    company["elm"].give_back("a", "0")
    company.wait(1)
    assert company["elm"].holders("a") == {"elm": "0"}
    [lease] = company["elm"].node.queue.leases.active.values()
    assert lease.token > attempt.token


def test_an_attempt_that_fails_changes_no_state_and_is_told_in_the_story() -> None:
    company = repeated("elm")
    before = company["elm"].state("a")
    company["elm"].facts.clear()
    company["elm"].fail("a", reason="exit code 3")
    assert company["elm"].state("a") == before
    assert told(company, "elm", AttemptFailedOn) == [AttemptFailedOn(NodeId("elm"), "exit code 3")]
    assert not any(isinstance(fact, FailureNoted) for fact in company["elm"].facts)
    company.wait(1)
    assert company["ash"].holders("a") == {"ash": "0"}


def test_a_failure_of_the_holder_leaves_the_attempt_alone_until_the_element_has_failed_for_good() -> None:
    company = repeated("elm", spec=task("a", priority=Priority.INTERACTIVE, retries=1))
    company["ash"].fail("a")
    company.wait(WINDOW_S)
    assert "a[0]" in company["elm"].runs()
    assert company["ash"].runs() == ["a[0]"], "it is tried again, by the usual rules"
    company["elm"].seen()
    company["ash"].fail("a")
    company.wait(1)
    assert "stop a[0] kill" in company["elm"].seen()


def test_an_attempt_ends_when_a_person_cancels_what_it_is_at() -> None:
    company = repeated("elm")
    company["elm"].seen()
    company["ash"].cancel(a="0")
    company.wait(1)
    assert "stop a[0] kill" in company["elm"].seen()


def test_an_attempt_ends_when_what_it_is_at_was_sent_back() -> None:
    """Elm has not heard of the result that is sent back; what it makes has the inputs of an earlier edition."""
    company = repeated("elm")
    company.cut("elm")
    company["ash"].done("a")
    company.wait(DEATH_S)
    company["ash"].send_back(a="0")
    company.wait(1)
    company["elm"].seen()
    company.heal()
    company.wait(REPAIR_S)
    assert "stop a[0] kill" in company["elm"].seen()


def test_what_must_not_be_repeated_is_not() -> None:
    for changes in ({"repeatable": False}, {"work": Manual("sign")}):
        company = Company(*NAMES, policies={"elm": repeater()})
        company["ash"].submit(task("a", priority=Priority.INTERACTIVE, **changes))
        company.wait(2)
        assert not company["elm"].runs()


def test_nothing_of_a_suspended_run_is_repeated() -> None:
    company = Company(*NAMES, policies={"elm": repeater()})
    company.cut("elm")
    company["ash"].submit(OWN, stays_open=True)
    company.wait(1)
    company["ash"].suspend()
    company.heal()
    company.wait(REPAIR_S)
    assert company["elm"].holders("a") == {"ash": "0"}
    assert not company["elm"].runs()
    company["ash"].resume()
    company.wait(2)
    assert company["elm"].runs() == ["a[0]"]


def test_what_a_policy_wants_that_cannot_be_is_left_alone() -> None:
    def wild(_: View) -> Sequence[Choice]:
        return [Repeat(A, ranges("0-5"), "just so"), Repeat(task_id(RUN, "nothing"), ranges("0"), "just so")]

    company = Company(*NAMES, policies={"elm": wild})
    company["ash"].submit(OWN)
    company.wait(2)
    assert company["elm"].runs() == ["a[0]"]
    company["elm"].give_back("a", "0")
    company.wait(2)
    assert company["elm"].runs() == [], "once for each lease"


def test_a_draining_node_gives_up_its_attempts_at_once_and_begins_none() -> None:
    company = repeated("elm")
    company["elm"].seen()
    company["elm"].feed(DrainAsked(on=True))
    assert "stop a[0] kill" in company["elm"].seen()
    company["elm"].give_back("a", "0")
    company.wait(2)
    assert company["elm"].runs() == []
    assert company["elm"].node.remaining().may_stop


def test_an_attempt_that_is_frozen_says_nothing_of_the_element_which_runs_elsewhere() -> None:
    company = repeated("elm")
    [lane] = company["elm"].node.queue.lanes.open_lanes.values()
    company["elm"].node.queue.lanes.pause(lane)
    assert company["elm"].states("a") == {"running": "0"}


def test_the_owner_ends_attempts_before_anything_else_gives_way() -> None:
    company = Company(*NAMES, cpus=2.0, policies={"elm": repeater()})
    company["ash"].submit(OWN)
    company.wait(1)
    company["elm"].submit(task("b", priority=Priority.INTERACTIVE, run=OTHER_RUN))
    company.wait(1)
    assert company["elm"].runs() == ["a[0]", "b[0]"]
    company["elm"].seen()
    company["elm"].feed(CapacityChanged(Capacity.of(1.0, 2**33, "3.11"), GiveWay.FREEZE))
    assert [line for line in company["elm"].seen() if not line.startswith("tell")] == ["stop a[0] kill", "pause a"]
    company["elm"].give_back("a", "0")
    assert company["elm"].runs() == ["b[0]"]


def test_interactive_work_does_not_wait_for_attempts() -> None:
    company = Company("ash", "elm", policies={"ash": repeater()})
    company.cut("ash")
    company["elm"].submit(task("a"))
    company.wait(1)
    company.heal()
    company.wait(REPAIR_S)
    company["ash"].give_back("a", "0")
    company.wait(1)
    assert company["ash"].node.queue.leases.attempts, "it had leased it, too, and repeats what it has lost"
    company["ash"].seen()
    company["ash"].submit(task("b", priority=Priority.INTERACTIVE, run=OTHER_RUN))
    assert "stop a[0] kill" in company["ash"].seen()
    company["ash"].give_back("a", "0")
    assert company["ash"].runs() == ["b[0]"]


def test_nothing_is_left_of_attempts_after_a_restart() -> None:
    company = repeated("elm")
    company.boot("elm")
    assert company["elm"].runs() == []
    company.wait(0.1)
    assert company["ash"].holders("a") == {"ash": "0"}


def test_data_that_an_attempt_needs_is_fetched_first() -> None:
    company = Company(*NAMES, policies=dict.fromkeys(("elm", "oak"), repeater()))
    items = ((A, pack(0, [b"x" * 200_000])),)
    company["ash"].submit(msgspec.structs.replace(OWN, has_items=True), items=items)
    company.wait(3)
    assert company.said_by("elm", Fetch) or company.said_by("oak", Fetch), "one of them keeps it, the other does not"
    assert company.runs() == {name: ["a[0]"] for name in NAMES}


def test_what_an_attempt_makes_feeds_what_waits_for_it() -> None:
    company = Company(*NAMES, policies={"elm": repeater()})
    company["ash"].submit(OWN, task("b", 1, edge("a"), priority=Priority.INTERACTIVE))
    company.wait(1)
    company["elm"].done("a")
    company.wait(1)
    company["ash"].give_back("a", "0")
    company.finish_all()
    assert all(isinstance(member.state_on_disk("b"), Done) for member in company.living())


def test_a_backup_runs_beside_an_unstable_node() -> None:
    company = Company(*NAMES, policies={"oak": backup_for("ash"), "elm": backup_for("oak")})
    company["ash"].submit(OWN)
    company.wait(2)
    assert company.runs() == {"ash": ["a[0]"], "oak": ["a[0]"]}
    assert [what.why for what in told(company, "oak", RepeatedBy)] == ["ash often fails"]


def test_a_policy_may_wait_until_something_has_run_for_long() -> None:
    company = Company(*NAMES, policies={"elm": stragglers(4.0)})
    company["ash"].submit(OWN)
    company.wait(3)
    assert company["elm"].runs() == []
    company.wait(3)
    assert company["elm"].runs() == ["a[0]"]
    assert [what.why for what in told(company, "elm", RepeatedBy)] == ["it runs for 4 s already"]


@pytest.mark.parametrize(("goes_first", "runs"), [(True, ["a[0]"]), (False, ["b[0]"])])
def test_what_is_to_be_repeated_before_new_work_gets_the_lane(goes_first: bool, runs: list[str]) -> None:
    def both(view: View) -> Sequence[Choice]:
        repeats = [Repeat(one.task, one.ranges, "it matters", goes_first) for one in view.elsewhere]
        takes = [Take(one.task, one.ready, "it is ready") for one in view.queue if view.others and one.free_lanes]
        return [*takes, *repeats] if is_free else ()

    is_free = False
    company = Company("ash", "oak", policies={"oak": both})
    company["ash"].submit(OWN)
    company["oak"].submit(task("b", run=OTHER_RUN))
    company.settle()
    is_free = True
    company["oak"].feed(DeadlineReached())
    assert company["oak"].runs() == runs
