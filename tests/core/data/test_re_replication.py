"""Safekeeping: what is on one disk only comes to another (design.md, Durability)."""

from collections.abc import Mapping

import pytest

from roost.core.actions import Accepted
from roost.core.data import re_replication
from roost.core.data.re_replication import AUDITS_MAX, RECOPY_AFTER_S, lacking_of
from roost.core.events import DrainAsked, ForgetAsked, Heard, Recalled
from roost.core.peers import EXPECT_S
from roost.core.queue.replica import TaskEntry
from roost.model.ids import RunId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.states import Done, Failed
from roost.wire.messages import (
    Audit,
    BucketDigests,
    Delivery,
    Facts,
    Fetch,
    Forgotten,
    Heartbeat,
    Holding,
    Keep,
    Purpose,
    RunDigests,
)
from tests.core.company import DEATH_S, MEETING_S, RECORDS, REPAIR_S, Company, Letter, Member
from tests.core.harness import ASH, OTHER_RUN, RUN, task
from tests.tokens import attempt

A = task_id(RUN, "a")
LARGE = b"x" * 20_000

#: Seconds within which a handful of runs has certainly been audited.
AUDIT_S = 8.0


def is_audit(letter: Letter) -> bool:
    return isinstance(letter.message, Audit)


def audits(company: Company) -> list[tuple[str, Audit]]:
    return [(name, message) for name, message in company.said if isinstance(message, Audit)]


def alone_with_a_result(*tasks: str) -> Company:
    """A node that has finished a run alone, which has left its memory."""
    company = Company("ash")
    company["ash"].submit(*(task(name) for name in tasks or ("a",)))
    company.finish_all()
    assert not company["ash"].knows("a")
    return company


def held_by(company: Company, name: str = "a", run: RunId = RUN) -> list[str]:
    return [
        member.name
        for member in company.members.values()
        if task_id(run, name) in member.disk.tasks and member.has_result(name, run=run)
    ]


def test_a_result_that_was_accepted_alone_comes_to_whoever_joins() -> None:
    company = alone_with_a_result()
    company.add("elm")
    company.wait(MEETING_S + AUDIT_S)
    assert held_by(company) == ["ash", "elm"]
    assert company["ash"].node.re_replication.is_done


def test_a_result_that_comes_while_somebody_is_expected_who_is_not_known_yet_waits_for_him() -> None:
    """Words about work may come before those about nodes; who spoke is there, so nothing is for this disk only."""
    company = Company("ash", no_room=["ash"])
    company["ash"].submit(task("b", run=OTHER_RUN))
    records = Facts((company["ash"].disk.runs[OTHER_RUN],))
    alone = Company("elm", meet=False)
    alone.wait(MEETING_S)
    elm = alone["elm"]
    elm.submit(task("a"))
    assert elm.runs() == ["a[0]"]
    elm.feed(Heard(ASH, company["ash"].stamp(), records))
    alone.wait(0.1)
    elm.finish_all()
    assert elm.states("a").get("done") is None
    alone.wait(EXPECT_S)
    assert elm.has_result("a")


def test_inputs_and_functions_that_were_accepted_alone_come_too() -> None:
    company = Company("ash", no_room=["ash"])
    company["ash"].submit(task("a", has_items=True), items=((A, pack(0, [LARGE])),))
    company.settle()
    company.add("elm", cpus=0.0)
    company.wait(MEETING_S + AUDIT_S)
    assert company["elm"].disk.items[A][0].values() == [LARGE]


def test_what_was_accepted_in_company_is_not_audited() -> None:
    company = Company("ash", "elm", "oak")
    company["ash"].submit(task("a", 6))
    company.finish_all()
    company.wait(10)
    assert audits(company) == []
    assert all(member.node.re_replication.is_done for member in company.living())


def test_when_a_node_is_gone_what_it_kept_is_copied_again() -> None:
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    company["ash"].submit(task("a"))
    company.finish_all()
    keeper, spare = sorted(["elm", "oak"], key=lambda name: name not in held_by(company))
    company.kill(keeper)
    company.wait(DEATH_S + RECOPY_AFTER_S + AUDIT_S)
    assert spare in held_by(company)


def test_a_node_that_returns_in_time_costs_no_copy() -> None:
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    company["ash"].submit(task("a"))
    company.finish_all()
    before = held_by(company)
    keeper = next(name for name in before if name != "ash")
    company.kill(keeper)
    company.wait(DEATH_S)
    company.boot(keeper)
    company.wait(RECOPY_AFTER_S + AUDIT_S + MEETING_S)
    assert held_by(company) == before


def test_what_a_node_sent_before_it_died_is_not_taken_for_a_copy() -> None:
    """A result that was long under way comes when its maker is gone, with its disk: the keeper has the only one."""
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"))
    company.wait(1)
    company["elm"].finish_all()
    offers = [letter for letter in company.letters(Keep, of="elm") if letter.message.offers]
    assert len(offers) == 1
    company.lose(company.letters(of="elm"))
    company.kill("elm")
    company.wait(DEATH_S + RECOPY_AFTER_S + AUDIT_S)
    company.arrive(offers[0])
    company.wait(AUDIT_S)
    assert set(held_by(company)) >= {"ash", "oak"}


def test_after_a_restart_every_run_is_audited_once_and_not_copied_a_third_time() -> None:
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    company["ash"].submit(task("a"))
    company.finish_all()
    before = held_by(company)
    company.boot("ash")
    company.wait(MEETING_S + AUDIT_S)
    assert [name for name, _ in audits(company)] == ["ash"]
    assert held_by(company) == before
    company.said.clear()
    company.wait(20)
    assert audits(company) == []


@pytest.mark.parametrize("hears", [True, False])
def test_what_a_node_kept_that_forgot_the_run_and_has_it_again_is_copied_again(hears: bool) -> None:
    """Elm made the result and forgets it with oak, while ash, who kept it, sends something else back."""
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"), task("b"))
    company.finish_all()
    assert held_by(company) == ["ash", "elm"]
    company["oak"].recall()
    company["ash"].recall()
    company.lost = lambda letter: isinstance(letter.message, RECORDS) and letter.sender == "ash"
    company["oak"].ask(ForgetAsked(company["oak"].cause("forget"), (RUN,)))
    company["ash"].send_back(b="0")
    company.lose(company.letters(RECORDS, to="ash") if not hears else [])
    company.settle()
    assert held_by(company) == ["ash"]
    company.lost = lambda letter: isinstance(letter.message, Forgotten)
    company.wait(REPAIR_S)
    company.finish_all()
    company.wait(AUDIT_S)
    assert company.agree()
    assert held_by(company) == ["ash", "elm"]


def test_the_keeper_is_the_node_where_the_run_was_submitted() -> None:
    company = Company("ash", "elm", "oak", "yew", no_room=["ash", "oak", "yew"])
    company["ash"].submit(task("a"))
    company.finish_all()
    assert held_by(company) == ["ash", "elm"]
    company.boot("elm")
    company.wait(MEETING_S + AUDIT_S)
    assert held_by(company) == ["ash", "elm"]


def test_a_keeper_that_has_only_a_part_asks_on_until_it_has_all() -> None:
    company = alone_with_a_result("a", "b", "c")
    elm = company.add("elm")
    company.lost = is_audit
    company.wait(MEETING_S + REPAIR_S)
    company.lost = lambda _: False

    def answers_in_pieces(member: Member) -> None:
        answer = member.disk.answer

        def one_at_a_time(fetch: Fetch, known: Mapping[TaskId, TaskEntry]) -> Delivery:
            whole = answer(fetch, known)
            assert isinstance(whole, Delivery)
            return Delivery(whole.purpose, whole.number, results=whole.results[:1], more=True)

        member.disk.answer = one_at_a_time  # type: ignore[method-assign]

    answers_in_pieces(company["ash"])
    company.wait(AUDIT_S)
    assert all(elm.has_result(name) for name in ("a", "b", "c"))


def test_a_keeper_does_not_ask_for_ever_for_what_nobody_can_give() -> None:
    company = alone_with_a_result()
    company.add("elm")
    company["ash"].disk.answer = lambda fetch, _: Delivery(fetch.purpose, fetch.number)  # type: ignore[method-assign]
    company.wait(MEETING_S + 20)
    fetches = company.said_by("elm", Fetch)
    assert 0 < len(fetches) < 40
    assert not company["ash"].node.re_replication.is_done, "it stays unsafe, and is asked for again later"


def test_what_left_memory_before_the_answer_came_is_looked_up_and_not_taken_for_new() -> None:
    """The question holds the run's record only: memory would have a run without tasks, and take it for the whole."""
    company = alone_with_a_result()
    elm = company.add("elm")
    company.wait(MEETING_S + AUDIT_S)
    elm.feed(Recalled((), ()))
    assert elm.has_result("a")
    assert not elm.knows("a")
    record, lacked = company["ash"].disk.runs[RUN], Holding(A, results=((attempt(99), ASH, RangeSet.span(0, 1)),))
    for said in (Audit(77, Facts((record,)), (lacked,)), Delivery(Purpose.AUDIT, 77)):
        elm.feed(Heard(ASH, company["ash"].stamp(), said))
        assert elm.knows("a"), "it was looked up"
        elm.feed(Recalled((), ()))
        assert RUN not in elm.node.queue.replica.runs


def test_a_run_that_is_not_on_disk_is_looked_up_once_and_keeps_no_other_from_being_copied() -> None:
    company = alone_with_a_result()
    ash = company["ash"]
    ash.node.re_replication._due = {OTHER_RUN: None, RUN: None}
    elm = company.add("elm")
    company.wait(MEETING_S + AUDIT_S)
    assert elm.has_result("a")
    assert ash.node.re_replication.is_done


def test_an_audit_that_is_lost_is_repeated() -> None:
    company = alone_with_a_result()
    company.add("elm")
    lost: list[Letter] = []

    def first_two(letter: Letter) -> bool:
        if is_audit(letter):
            lost.append(letter)
        return is_audit(letter) and len(lost) <= 2

    company.lost = first_two
    company.wait(MEETING_S + 10)
    assert held_by(company) == ["ash", "elm"]


def test_few_runs_are_audited_at_a_time() -> None:
    company = Company("ash")
    ash = company["ash"]
    for number in range(1, 4 * AUDITS_MAX):
        run = RunId(f"{number}-bababa")
        ash.submit(task("a", run=run))
        company.finish_all()
    company.add("elm")
    company.lost = lambda letter: isinstance(letter.message, Fetch)
    company.wait(MEETING_S + REPAIR_S)
    assert len(ash.node.medium.keepers) == AUDITS_MAX
    company.lost = lambda _: False
    company.wait(20)
    assert all(held_by(company, run=RunId(f"{number}-bababa")) == ["ash", "elm"] for number in range(1, 4 * AUDITS_MAX))


def test_a_run_of_very_many_tasks_is_audited_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(re_replication, "RECORDS_TASKS_MAX", 8)
    company = Company("ash", no_room=["ash"])
    count = 20
    tasks = [task(f"t{number}", has_items=True) for number in range(count)]
    company["ash"].submit(*tasks, items=tuple((spec.id, pack(0, [b"x"])) for spec in tasks))
    company.settle()
    company.add("elm", cpus=0.0)
    company.wait(MEETING_S + AUDIT_S)
    assert len(company["elm"].disk.items) == count
    assert {len(records.holding) for _, records in audits(company)} == {8, 4}
    assert company["ash"].node.re_replication.is_done


def test_what_is_lacking_is_told_by_what_is_known() -> None:
    company = alone_with_a_result()
    elm = company.add("elm")
    company.lost = is_audit
    company.wait(MEETING_S + REPAIR_S)
    unknown = Holding(task_id(OTHER_RUN, "x"), RangeSet.span(0, 1))
    known = Holding(A, results=((attempt(1), ASH, RangeSet.span(0, 1)),))
    elm.recall()
    assert lacking_of((unknown, known), elm.node.queue.replica, elm.node.inventory) == (known,)


# A node that starts where others were.


def test_a_node_that_had_company_waits_a_moment_before_it_takes_itself_for_alone() -> None:
    company = Company("ash", "elm")
    company.kill("elm")
    company.kill("ash")
    company.boot("ash")
    ash = company["ash"]
    assert ash.submit(task("a")) is None
    company.wait(EXPECT_S / 2)
    assert ash.answer("submit") is None
    company.wait(EXPECT_S)
    assert ash.answer("submit") == Accepted(elements=1)


def test_who_comes_in_that_moment_keeps_it() -> None:
    company = Company("ash", "elm")
    company.kill("elm")
    company.kill("ash")
    company.boot("ash")
    company["ash"].submit(task("a"))
    company.boot("elm")
    company.wait(EXPECT_S / 2)
    assert company["ash"].answer("submit") == Accepted(elements=1)
    assert A in company["elm"].disk.tasks


def test_a_node_that_was_alone_at_the_end_of_its_last_life_does_not_wait() -> None:
    company = Company("ash", "elm")
    company.leave("elm")
    company.wait(DEATH_S)
    assert company["ash"].disk.neighbours == ()
    company.boot("ash")
    assert company["ash"].submit(task("a")) == Accepted(elements=1)


# What was decided here, when the node is about to go.


def deaf_to_ash() -> Company:
    """Two nodes; what ash tells all is lost, and so are digests that would show it. What it asks to keep is heard."""
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("a"), task("b"))
    company.wait(1.0)

    def lost(letter: Letter) -> bool:
        word = isinstance(letter.message, Facts | Delivery | Forgotten)
        return isinstance(letter.message, BucketDigests | RunDigests) or (letter.sender == "ash" and word)

    company.lost = lost
    return company


@pytest.mark.parametrize("asked", ["cancel", "suspend", "seal"])
def test_a_node_that_drains_has_what_people_decided_there_confirmed(asked: str) -> None:
    company = deaf_to_ash()
    ash, elm = company["ash"], company["elm"]
    {"cancel": lambda: ash.cancel(a="0"), "suspend": ash.suspend, "seal": ash.seal}[asked]()
    company.settle()
    assert ash.disk.runs[RUN] != elm.disk.runs[RUN] or ash.state("a") != elm.state("a")
    ash.feed(DrainAsked(on=True))
    assert ash.node.remaining().only_here
    company.wait(AUDIT_S)
    assert ash.node.remaining().may_stop
    assert ash.disk.runs[RUN] == elm.disk.runs[RUN]
    assert ash.state_on_disk("a") == elm.state_on_disk("a")


def test_and_what_is_decided_while_it_drains() -> None:
    company = deaf_to_ash()
    company["ash"].feed(DrainAsked(on=True))
    company.wait(AUDIT_S)
    assert company["ash"].node.remaining().may_stop
    company["ash"].cancel(a="0")
    assert not company["ash"].node.remaining().may_stop
    company.wait(AUDIT_S)
    assert company["ash"].node.remaining().may_stop
    assert company["elm"].state_on_disk("a") == company["ash"].state_on_disk("a")


def test_and_that_an_element_failed_there() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    company["ash"].submit(task("a"), task("b"))
    company.wait(1.0)
    company.lost = lambda letter: isinstance(letter.message, Facts | Delivery | Forgotten)
    company["ash"].fail("a")
    company["ash"].feed(DrainAsked(on=True, at_once=True))
    if company["ash"].runs():
        company["ash"].give_back("b", "0")
    company.wait(AUDIT_S)
    assert company["ash"].node.remaining().may_stop
    assert isinstance(company["elm"].state_on_disk("a"), Failed)


def test_and_what_it_accepted_as_a_keeper() -> None:
    """The maker may have lost its memory when word of it does not arrive; then it would be run again."""
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"), task("b", cpus=9))
    company.wait(1.0)
    company.lost = lambda letter: letter.sender == "ash" and not isinstance(letter.message, Heartbeat)
    company["elm"].done("a")
    company.settle()
    assert isinstance(company["ash"].state_on_disk("a"), Done)
    assert company["oak"].state("a") != company["ash"].state("a")
    company["ash"].feed(DrainAsked(on=True))
    assert company["ash"].node.remaining().only_here
    company.lost = lambda letter: letter.sender == "ash" and isinstance(letter.message, RunDigests)
    company.wait(AUDIT_S)
    assert company["ash"].node.remaining().may_stop
    others = [company[name].state_on_disk("a") for name in ("elm", "oak")]
    assert company["ash"].state_on_disk("a") in others


def test_what_was_decided_costs_nothing_while_nobody_goes() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("a"), task("b"))
    company.wait(1.0)
    company.said.clear()
    company["ash"].cancel(a="0")
    company.wait(AUDIT_S)
    assert audits(company) == []


def test_what_nobody_confirms_stays_to_be_confirmed() -> None:
    company = deaf_to_ash()
    company["ash"].cancel(a="0")
    company["ash"].feed(DrainAsked(on=True))
    company.lost = lambda letter: isinstance(letter.message, RECORDS)
    company.wait(4 * AUDIT_S)
    assert company["ash"].node.remaining().only_here
    company.lost = lambda _: False
    company.wait(4 * AUDIT_S)
    assert company["ash"].node.remaining().may_stop
    assert company["elm"].state_on_disk("a") == company["ash"].state_on_disk("a")


def test_a_node_that_drains_makes_up_for_a_lost_one_at_once() -> None:
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    company["ash"].submit(task("a"))
    company.finish_all()
    company["ash"].feed(DrainAsked(on=True))
    keeper = next(name for name in held_by(company) if name != "ash")
    company.kill(keeper)
    company.wait(DEATH_S)
    assert len(held_by(company)) == 3 or company["ash"].node.remaining().only_here
    company.wait(AUDIT_S / 2)
    assert company["ash"].node.remaining().may_stop
    assert set(held_by(company)) == {"ash", "elm", "oak"}


def test_runs_about_which_something_was_decided_are_remembered_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(re_replication, "DECIDED_MAX", 2)
    ash = Company("ash", "elm")["ash"]
    for number in range(1, 5):
        ash.node.re_replication.decided(RunId(f"{number}-bababa"))
    ash.node.re_replication.hand_over()
    assert ash.node.re_replication.left == 2


def test_what_a_dead_node_had_made_is_copied_also_if_it_counts_only_after_the_audit() -> None:
    """World 110 with bfc: the last word of a dead node came late, its run was audited, and then its result counted."""
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    company["elm"].submit(task("a"))
    company.wait(1)
    assert company.runs() == {"ash": ["a[0]"]}
    company["ash"].done("a")
    [late] = company.letters(Keep, of="ash", to="elm")
    company.lose([late])
    company.kill("ash")
    company.wait(DEATH_S + RECOPY_AFTER_S + AUDIT_S)
    company["elm"].slow_disk = True
    company.arrive(late)
    company.wait(1)
    company["elm"].slow_disk = False
    company["elm"].write_all()
    company.wait(AUDIT_S)
    assert held_by(company) == ["elm", "oak"]
