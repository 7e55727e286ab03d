"""What changes here is told to all, and what others tell is merged."""

from random import Random

import msgspec
import pytest

from roost.core.actions import Accepted
from roost.core.events import Heard
from roost.core.facts import FailureNoted, ResultsStored, Worked
from roost.core.mesh.replication import switched
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import NodeId, task_id
from roost.model.ranges import EMPTY
from roost.model.record import RunRecord, Switch
from roost.model.segments import pack
from roost.model.spans import Span
from roost.model.states import Cancelled, Done, Failed, Leased
from roost.model.task import Failure
from roost.wire.messages import Bid, DoYouKnow, Kept, Message, Records
from tests.core.company import REPAIR_S, WINDOW_S, Company, Letter, Member
from tests.core.harness import ASH, OTHER_RUN, RUN, edge, function, ranges, run_spec, task
from tests.tokens import attempt

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM, OAK = NodeId("elm"), NodeId("oak")


def news(company: Company, name: str) -> list[Records]:
    """Return the records that a node told to all."""
    return [records for records in company.said_by(name, Records) if not records.keep and not records.answers]


def hear(member: Member, message: Message, sender: str = "elm") -> None:
    """Let a node hear something that nobody has said."""
    member.feed(Heard(NodeId(sender), Stamp(1, 0, NodeId(sender)), message))


def is_copy(letter: Letter) -> bool:
    return isinstance(letter.message, Records) and bool(letter.message.keep)


def brings_tasks(letter: Letter) -> bool:
    return isinstance(letter.message, Records) and bool(letter.message.tasks)


def running_on_elm(count: int = 1) -> Company:
    """Let elm run elements that were submitted on ash; the other two have no room."""
    company = Company("ash", "elm", "oak", cpus=float(count), no_room=["ash", "oak"])
    company["ash"].submit(task("a", count))
    company.wait(WINDOW_S)
    assert company["elm"].holders("a") == {"elm": str(ranges(f"0-{count - 1}"))}
    for member in company.living():
        member.seen()
    company.said.clear()
    return company


# Out.


def test_what_has_failed_for_good_stays_so_though_somebody_who_has_not_heard_of_it_takes_it_again() -> None:
    company = running_on_elm()
    company["elm"].fail("a")
    company.settle()
    company.said.clear()
    hear(company["ash"], Records(states=((A, Elements({Leased(0, attempt(9), OAK, 0): ranges("0")})),)), "oak")
    assert company["ash"].state_on_disk("a") == Failed(0, attempt(9), OAK, 1)
    company.settle()
    assert company["oak"].state_on_disk("a") == Failed(0, attempt(9), OAK, 1)


def test_what_is_taken_again_after_a_retry_has_not_failed() -> None:
    company = running_on_elm()
    company["elm"].fail("a")
    company.settle()
    later = Leased(1, attempt(9), OAK, 0)
    hear(company["ash"], Records(states=((A, Elements({later: ranges("0")})),)), "oak")
    assert company["ash"].state("a") == later


def test_what_is_asked_again_while_it_goes_to_the_disk_is_written_once() -> None:
    company = running_on_elm()
    company["ash"].slow_disk = True
    company["elm"].done("a")
    (copy,) = [letter for letter in company.letters(Records, to="ash") if is_copy(letter)]
    company.deliver([copy])
    tickets = len(company["ash"].node.tickets._waiting)
    hear(company["ash"], copy.message)
    assert len(company["ash"].node.tickets._waiting) == tickets
    company["ash"].write_all()
    hear(company["ash"], copy.message)
    company["ash"].write_all()
    assert len(company.said_by("ash", Kept)) == 2, "the first word may have been lost"


def test_everything_that_moved_in_one_event_leaves_in_one_message_to_everybody() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company["ash"].submit(task("a", 2, has_items=True), task("b", 2, edge("a")), items=((A, pack(0, [b"x"] * 2)),))
    [told] = news(company, "ash")
    assert [record.spec.id for record in told.runs] == [RUN]
    assert [spec.id for spec in told.tasks] == [A, B]
    assert [(name, segment.ranges) for name, segment in told.items] == [(A, ranges("0-1"))]
    assert {letter.to for letter in company.letters(Records) if letter.message is told} == {"elm", "oak"}


def test_large_inputs_stay_where_they_are() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a", has_items=True), items=((A, pack(0, [b"x" * 10_000])),))
    [told] = news(company, "ash")
    assert (len(told.tasks), told.items) == (1, ())


def test_a_lease_is_told_at_once_and_a_result_when_it_is_on_disk() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    elm = company["elm"]
    company["ash"].submit(task("a"))
    company.settle()
    elm.slow_disk = True
    company.hold(WINDOW_S)
    [leases] = news(company, "elm")
    assert leases.states == ((A, Elements({Leased(0, attempt(1), ELM, 0): ranges("0")})),)
    assert elm.unwritten == 1
    elm.write_all()
    company.said.clear()
    elm.done("a")
    assert company.said_by("elm", Records) == []
    elm.write_all()
    assert [bool(records.keep) for records in company.said_by("elm", Records)] == [True]


def test_a_submission_with_all_its_data_is_told_before_it_is_flushed_and_answered_after_that() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash"])
    ash = company["ash"]
    ash.flushes = False
    ash.submit(task("a", has_items=True), items=((A, pack(0, [b"x"])),))
    assert [(bool(records.keep), len(records.items)) for records in company.said_by("ash", Records)] == [
        (True, 1),
        (False, 1),
    ]
    company.wait(2 * WINDOW_S)
    assert len(company.runs()) == 1, "it runs elsewhere"
    assert len(company.said_by("elm", Kept) + company.said_by("oak", Kept)) == 1
    assert ash.answer("submit") is None
    ash.flush_all()
    assert isinstance(ash.answer("submit"), Accepted)


@pytest.mark.parametrize("code_came_before", [False, True])
def test_a_submission_whose_data_stays_here_is_told_when_it_is_flushed(code_came_before: bool) -> None:
    """Otherwise a power cut could leave others with a task that nobody has the inputs of."""
    company = Company("ash", "elm", no_room=["ash"])
    ash = company["ash"]
    ash.flushes = False
    if code_came_before:
        ash.submit(function("a"))
    else:
        ash.submit(task("a", has_items=True), items=((A, pack(0, [b"x" * 10_000])),))
    assert company.said_by("ash", Records) == []
    ash.flush_all()
    assert [bool(records.keep) for records in company.said_by("ash", Records)] == [True, False]


def test_what_was_submitted_here_and_lost_in_a_power_cut_comes_back_from_others() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    ash = company["ash"]
    ash.slow_disk = True
    ash.submit(task("a"))
    ash.write()
    company.settle()
    company.kill("ash")
    ash.disk.tasks.clear()
    ash.disk.runs.clear()
    ash.slow_disk = False
    company.boot("ash")
    company.wait(REPAIR_S)
    assert ash.knows("a")
    company["elm"].done("a")
    company.wait(WINDOW_S)
    assert isinstance(ash.state_on_disk("a"), Done)
    assert company.agree()


def test_what_the_keeper_has_accepted_is_told_once() -> None:
    company = running_on_elm()
    company["elm"].done("a")
    company.wait(1.0)
    told = [(sender, records.states) for sender in ("ash", "elm") for records in news(company, sender)]
    assert told == [("ash", ((A, Elements({Done(attempt(1), ELM): ranges("0")})),))]
    assert company.agree()


def test_alone_nothing_is_gathered_for_later() -> None:
    company = Company("ash")
    company["ash"].submit(task("a", 3))
    company["ash"].done("a", "0")
    assert company.said_by("ash", Records) == []
    company.add("elm")
    company.wait(REPAIR_S)
    assert company["elm"].states("a")["done"] == "0"
    assert company.agree()


# In.


def test_what_others_tell_is_merged_at_once_and_told_when_it_is_on_disk() -> None:
    company = Company("ash", "elm", "oak", no_room=["elm", "oak"])
    oak = company["oak"]
    oak.slow_disk = True
    company["ash"].submit(task("a", 2))
    company.lost = is_copy
    company.settle()
    assert oak.knows("a")
    assert A not in oak.disk.tasks
    assert oak.seen() == []
    oak.write_all()
    assert oak.seen() == ["tell run 1-bababa added", "tell run 1-bababa sealed"]
    assert A in oak.disk.tasks


def test_what_has_been_overtaken_on_its_way_to_the_disk_is_not_told() -> None:
    company = running_on_elm()
    oak = company["oak"]
    oak.slow_disk = True
    hear(oak, Records(states=((A, Elements({Cancelled(attempt(1)): ranges("0")})),)))
    hear(oak, Records(states=((A, Elements({Done(attempt(1), ELM): ranges("0")})),)))
    oak.write_all()
    assert [line for line in oak.seen() if line.startswith("tell a")] == ["tell a[0] done"]


def test_records_in_any_order_doubled_and_late_lead_to_the_same() -> None:
    for seed in range(3):
        chance = Random(seed)
        company = Company("ash", "elm", "oak")
        company["ash"].submit(task("a", 6), task("b", 6, edge("a")))
        kept: list[Letter] = []
        for _ in range(40):
            company.hold(0.05)
            letters = company.letters() + chance.sample(kept, min(len(kept), 5))
            chance.shuffle(letters)
            kept += company.letters(Records)
            company.deliver(letters)
            for member in company.living():
                member.finish_all()
        company.wait(REPAIR_S)
        company.finish_all()
        company.wait(REPAIR_S)
        assert company.agree()
        assert {str(member.disk.ends[RUN].counts) for member in company.living()} == {"{'done': 12}"}


def test_elements_that_a_task_does_not_have_are_left_out() -> None:
    company = running_on_elm(2)
    oak = company["oak"]
    far = Elements({Done(attempt(5), ELM): ranges("1,7-900")})
    hear(oak, Records(states=((A, far),)))
    hear(oak, Records(offers=((A, far),), keep=9))
    assert oak.node.replica.tasks[A].elements.known() == ranges("0-1")


def test_what_a_node_says_of_itself_is_not_heard() -> None:
    company = running_on_elm()
    hear(company["elm"], Records(states=((A, Elements({Cancelled(attempt(1)): ranges("0")})),)), sender="elm")
    assert company["elm"].holders("a") == {"elm": "0"}


def test_a_run_that_another_node_describes_otherwise_does_not_bring_this_one_down() -> None:
    company = running_on_elm()
    other = RunRecord(msgspec.structs.replace(run_spec(), name="something else"))
    hear(company["ash"], Records(runs=(other,)))
    company.wait(1)
    assert company["ash"].node.replica.runs[RUN].record.spec.name == "bench"


def test_why_an_element_failed_is_known_where_it_was_submitted() -> None:
    company = running_on_elm()
    company["elm"].fail("a", 0, "exit code 3")
    company.wait(REPAIR_S)
    noted = [fact.failure.reason for fact in company["ash"].facts if isinstance(fact, FailureNoted)]
    assert noted == ["exit code 3"]


# Tasks that are not known.


def test_a_task_whose_record_was_lost_is_asked_for_when_something_names_it() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"))
    company.lost = lambda letter: letter.to == "oak" and brings_tasks(letter)
    company.settle()
    company.lost = lambda _: False
    assert not company["oak"].knows("a")
    company.wait(0.9)
    assert company.said_by("oak", DoYouKnow) == [DoYouKnow(A)]
    assert company["oak"].holders("a") == {"elm": "0"}


def test_a_task_whose_source_is_missing_is_left_out_and_the_source_asked_for() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "elm", "oak"])
    company["ash"].submit(task("a"), stays_open=True)
    company.lost = lambda letter: letter.to == "oak"
    company.settle()
    company.lost = lambda _: False
    company["ash"].submit(task("b", 1, edge("a")), stays_open=True)
    company.settle()
    assert not company["oak"].knows("b")
    company.wait(REPAIR_S)
    assert company.said_by("oak", DoYouKnow)[0] == DoYouKnow(A)
    assert company["oak"].knows("a")
    assert company["oak"].knows("b")


def test_lost_records_are_not_repeated_and_digests_repair_them() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("x"))
    company.wait(1)
    company.lost = lambda letter: isinstance(letter.message, Records)
    company["ash"].cancel(x="0")
    company.settle()
    company.lost = lambda _: False
    assert not company.agree()
    company.wait(REPAIR_S)
    assert company.agree()
    assert isinstance(company["elm"].state_on_disk("x"), Cancelled)


# Keeping and accepting.


def test_what_is_finished_is_accepted_when_the_keeper_has_it_on_disk() -> None:
    company = running_on_elm()
    ash = company["ash"]
    ash.slow_disk = True
    company["elm"].done("a")
    company.settle()
    assert ash.holders("a") == {"elm": "0"}
    assert company.said_by("ash", Kept) == []
    ash.write_all()
    company.settle()
    assert [kept.refused for kept in company.said_by("ash", Kept)] == [()]
    for member in company.living():
        assert member.state_on_disk("a") == Done(attempt(1), ELM)
        assert "tell a[0] done" in member.seen()
    assert ash.has_result("a")


def test_what_the_keeper_could_not_write_is_written_later_and_then_accepted() -> None:
    company = running_on_elm()
    ash = company["ash"]
    ash.slow_disk = True
    company["elm"].done("a")
    company.settle()
    ash.refuse()
    assert company.said_by("ash", Kept) == []
    ash.slow_disk = False
    company.wait(REPAIR_S)
    assert ash.has_result("a")
    assert company["elm"].state_on_disk("a") == Done(attempt(1), ELM)


def test_an_offer_that_comes_twice_is_confirmed_twice_and_accepted_once() -> None:
    company = running_on_elm()
    company["elm"].done("a")
    [offer] = company.letters(Records, to="ash")
    for _ in range(2):
        company.arrive(offer)
    company.settle()
    assert [kept.refused for kept in company.said_by("ash", Kept)] == [(), (), ()]
    assert company["ash"].seen().count("tell a[0] done") == 1


def test_an_offer_for_an_element_that_has_another_accepted_result_is_refused() -> None:
    company = running_on_elm()
    company["elm"].done("a")
    company.settle()
    rival = Done(attempt(1), OAK)
    hear(company["ash"], offered(rival), sender="oak")
    kept = company.said_by("ash", Kept)[-1]
    assert (kept.number, kept.refused) == (7, ((A, ranges("0")),))
    assert company["ash"].state_on_disk("a") == Done(attempt(1), ELM)


def offered(state: Done, elements: str = "0") -> Records:
    """Make what a node sends that wants elements accepted."""
    segments = tuple(pack(start, [b"y"] * (stop - start)) for start, stop in ranges(elements).spans())
    results = tuple((A, state.token, state.node, segment) for segment in segments)
    return Records(results=results, offers=((A, Elements({state: ranges(elements)})),), keep=7)


@pytest.mark.parametrize("first_refused", [False, True])
def test_while_one_result_is_on_its_way_to_the_disk_another_is_refused(first_refused: bool) -> None:
    company = running_on_elm()
    ash = company["ash"]
    ash.slow_disk = True
    hear(ash, offered(Done(attempt(1), ELM)), sender="elm")
    hear(ash, offered(Done(attempt(1), OAK)), sender="oak")
    if first_refused:
        ash.refuse()
    ash.slow_disk = False
    ash.write_all()
    company.hold(REPAIR_S)
    assert sorted(kept.refused for kept in company.said_by("ash", Kept)) == [(), ((A, ranges("0")),)]
    assert ash.state_on_disk("a") == Done(attempt(1), ELM)


def test_a_part_of_an_offer_may_be_refused() -> None:
    company = running_on_elm(4)
    company["elm"].done("a", "1")
    company.settle()
    hear(company["ash"], offered(Done(attempt(1), OAK), "0-2"), sender="oak")
    kept = company.said_by("ash", Kept)[-1]
    assert (kept.number, kept.refused) == (7, ((A, ranges("1")),))
    accepted = company["ash"].node.replica.tasks[A].elements
    assert accepted.in_exactly(Done(attempt(1), OAK)) == ranges("0,2")


def test_whose_result_was_refused_takes_the_accepted_one() -> None:
    """elm and oak run the same element, each believing that the other does not; elm is first at the keeper."""
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company.lost = lambda letter: isinstance(letter.message, Bid) or {letter.sender, letter.to} == {"elm", "oak"}
    company["ash"].submit(task("a"))
    company.settle()
    company.hold(WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"], "oak": ["a[0]"]}
    company.lose(company.letters(Records))
    company["elm"].done("a")
    company.deliver(company.letters(Records, to="ash"))
    company["oak"].done("a")
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert {str(member.state_on_disk("a")) for member in company.living()} == {str(Done(attempt(1), ELM))}
    assert company.agree()


def test_of_two_results_that_cross_each_other_only_one_is_ever_accepted() -> None:
    """ash and elm hear each other and have finished the same element: each asks the other to keep its own result."""
    company = Company("ash", "elm")
    company.lost = lambda letter: isinstance(letter.message, Bid)
    company["ash"].submit(task("a"), task("b", 1, edge("a")))
    company.settle()
    company.hold(WINDOW_S)
    company.lose(company.letters(Records))
    for member in company.living():
        member.done("a")
    company.deliver(company.letters(Records))
    accepted = {member.state("a") for member in company.living() if "tell a[0] done" in member.seen()}
    assert len(accepted) <= 1, "two people were told of two results"
    company.wait(REPAIR_S)
    assert len({str(member.state_on_disk("a")) for member in company.living()}) == 1


def test_an_offer_of_a_task_that_is_not_known_is_not_confirmed_before_it_is() -> None:
    company = running_on_elm()
    company.add("fir", cpus=0.0)
    fir = company["fir"]
    hear(fir, offered(Done(attempt(1), ELM)), sender="elm")
    assert company.said_by("fir", Kept) == []
    company.hold(0.2)
    assert company.said_by("fir", DoYouKnow)[:1] == [DoYouKnow(A)]
    company.wait(REPAIR_S)
    hear(fir, offered(Done(attempt(1), ELM)), sender="elm")
    assert [(kept.number, kept.refused) for kept in company.said_by("fir", Kept)] == [(7, ())]


# Switches of a run, turned elsewhere.


def test_a_run_that_is_suspended_elsewhere_is_frozen_here_and_goes_on_when_it_may() -> None:
    company = running_on_elm()
    company["ash"].suspend()
    company.settle()
    assert company["elm"].seen() == ["stop a[0] unstarted", "pause a", "tell run 1-bababa suspended"]
    company["ash"].resume()
    company.settle()
    assert company["elm"].seen() == ["continue a", "tell run 1-bababa resumed"]


def test_nothing_of_a_run_that_is_suspended_elsewhere_starts_here() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a"))
    company["ash"].suspend()
    company.wait(1)
    assert company.runs() == {}
    company["ash"].resume()
    company.wait(2 * WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"]}


def test_what_is_cancelled_elsewhere_is_stopped_here() -> None:
    company = running_on_elm(2)
    company["ash"].cancel(a="0")
    company.settle()
    assert company["elm"].seen() == ["stop a[0] kill", "tell a[0] cancelled"]
    company["elm"].give_back("a", "0")
    company.wait(REPAIR_S)
    assert all(member.state("a", 0) == Cancelled(attempt(1)) for member in company.living())
    assert company["elm"].runs() == ["a[1]"]


def test_a_session_that_is_sealed_elsewhere_ends_here() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("a"), stays_open=True)
    company.finish_all()
    assert RUN not in company["oak"].disk.ends
    company["ash"].seal()
    company.wait(1)
    assert "tell run 1-bababa sealed" in company["oak"].seen()
    assert company["oak"].disk.ends[RUN].counts == {"done": 1}


def test_what_became_of_a_run_is_told_in_words() -> None:
    bare = RunRecord(run_spec(OTHER_RUN))
    on, off = (Switch(Stamp(at, 0, ASH), on=at == 5) for at in (5, 6))
    sealed = RunRecord(bare.spec, sealed=on)
    assert switched(None, bare) == ["added"]
    assert switched(None, sealed) == ["added", "sealed"]
    assert switched(bare, sealed) == ["sealed"]
    assert switched(sealed, RunRecord(bare.spec, suspended=on, sealed=on)) == ["suspended"]
    assert switched(RunRecord(bare.spec, suspended=on), RunRecord(bare.spec, suspended=off)) == ["resumed"]
    assert switched(sealed, sealed) == []


# Data.


def result(elements: str, token: int = 1, maker: NodeId = ELM) -> Records:
    wanted = ranges(elements)
    return Records(results=((A, attempt(token), maker, pack(wanted.first, [b"x"] * len(wanted))),))


def test_results_and_items_of_elements_that_a_task_does_not_have_are_not_taken() -> None:
    company = running_on_elm(2)
    oak = company["oak"]
    hear(oak, result("1-2"))
    hear(oak, Records(items=((A, pack(0, [b"x"] * 5)),)))
    hear(oak, Records(failures=((A, 7, attempt(1), Failure("no")),)))
    assert (oak.disk.holdings(A).results, oak.disk.holdings(A).items) == ((), EMPTY)
    assert not [fact for fact in oak.facts if isinstance(fact, FailureNoted)]
    hear(oak, result("0-1"))
    assert oak.disk.holdings(A).results == ((attempt(1), ELM, ranges("0-1")),)


def test_what_is_here_is_not_written_once_more() -> None:
    company = running_on_elm(2)
    oak = company["oak"]
    for _ in range(2):
        hear(oak, result("0-1"))
    assert len([fact for fact in oak.facts if isinstance(fact, ResultsStored)]) == 1


def test_results_of_what_has_left_memory_are_taken() -> None:
    company = running_on_elm()
    company["elm"].done("a")
    company.wait(REPAIR_S)
    company.kill("oak")
    company.boot("oak")
    oak = company["oak"]
    assert not oak.knows("a"), "the run is over, and a new life begins without it"
    assert not oak.has_result("a")
    hear(oak, result("0", maker=ELM))
    assert oak.has_result("a")


def test_data_that_a_full_disk_refused_is_not_here_until_it_is_written_again() -> None:
    company = running_on_elm(2)
    oak = company["oak"]
    oak.slow_disk = True
    hear(oak, Records(states=((A, Elements({Done(attempt(1), ELM): ranges("0-1")})),)))
    oak.write_all()
    hear(oak, result("0-1"))
    assert oak.node.inventory.results(A) == ranges("0-1")
    oak.refuse()
    assert oak.node.inventory.results(A) == EMPTY
    oak.slow_disk = False
    company.wait(2)
    assert oak.has_result("a", 0)
    assert oak.has_result("a", 1)


def test_when_and_where_something_ran_is_kept_with_its_results() -> None:
    company = running_on_elm()
    company["ash"].facts.clear()
    company["elm"].done("a", "0")
    company.wait(WINDOW_S)
    [kept] = [fact.span for fact in company["ash"].facts if isinstance(fact, Worked)]
    assert (kept.task, kept.node, kept.elements, kept.failed) == (A, "elm", 1, 0)


def test_when_and_where_an_unknown_task_ran_is_left_out() -> None:
    company = Company("ash", "elm")
    company["ash"].facts.clear()
    hear(company["ash"], Records(worked=(Span(B, ELM, 0, 1.0, 2.0, 1.0, 1, 0, 0, 0),)))
    assert company["ash"].facts == []
