"""Only what has ended is forgotten, everywhere, and it does not come back."""

import msgspec

from roost.core.actions import Accepted, Refused
from roost.core.events import CapacityChanged, ForgetAsked, GiveWay, Heard, Recalled, SuspendAsked
from roost.core.tombstones import TRIM_EVERY_S
from roost.model.ballots import Ballot
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId, task_id
from roost.model.limits import TOMBSTONE_KEPT_S
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.states import Done, Failed
from roost.model.tombstones import Tombstone
from roost.wire.ballots import Held, Hold, Prepare, Promised
from roost.wire.messages import DoYouKnow, Facts, Fetch, Forgotten, Heartbeat, Kept
from tests.core.company import DEATH_S, MEETING_S, RECORDS, REPAIR_S, Company
from tests.core.harness import GIB, OTHER_RUN, RUN, Bench, edge, ranges, task
from tests.core.mesh.test_mesh import hear
from tests.core.quorum.test_quorum import done, five, started
from tests.tokens import attempt


def forget(bench: Bench, *runs: RunId) -> Accepted | Refused | None:
    """Recall and forget, as a host does."""
    gone = [
        bench.disk.archived_run(run)
        for run in runs
        if run not in bench.node.queue.replica.runs and run in bench.disk.runs
    ]
    if gone:
        bench.feed(Recalled(tuple(gone), (), named=runs))
    return bench.ask(ForgetAsked(bench.cause("forget"), runs))


def ended(*names: str) -> Bench:
    bench = Bench(*(task(name) for name in names or ("a",)))
    bench.finish_all()
    bench.seen()
    return bench


def test_nothing_of_a_forgotten_run_is_left_but_that_it_was() -> None:
    bench = ended()
    assert forget(bench, RUN) == Accepted(elements=1)
    assert bench.seen() == [f"tell run {RUN} forgotten", "accept forget 1"]
    assert (bench.disk.runs, bench.disk.tasks, bench.disk.made, bench.disk.ends) == ({}, {}, {}, {})
    assert list(bench.disk.tombstones) == [RUN]
    assert bench.node.queue.replica.runs == {}
    bench.boot()
    assert [one.run for one in bench.node.queue.forgotten.tombstones()] == [RUN]


def test_what_has_not_ended_is_not_forgotten() -> None:
    bench = Bench(task("a"))
    answer = forget(bench, RUN)
    assert isinstance(answer, Refused)
    assert answer.message == f"run {RUN} has not ended, so it is not forgotten; 'roost cancel {RUN}' ends it"
    bench.finish_all()
    assert bench.disk.ends[RUN].state == "done"


def test_an_open_session_is_not_forgotten() -> None:
    bench = Bench()
    bench.submit(task("a"), stays_open=True)
    bench.finish_all()
    assert isinstance(forget(bench, RUN), Refused)
    bench.seal()
    assert forget(bench, RUN) == Accepted(elements=1)


def test_of_several_one_that_must_stay_keeps_all() -> None:
    bench = ended()
    bench.submit(task("b", run=OTHER_RUN))
    assert isinstance(forget(bench, RUN, OTHER_RUN), Refused)
    assert RUN in bench.disk.runs


def test_what_is_not_there_cannot_be_forgotten_nor_twice() -> None:
    bench = ended()
    forget(bench, RUN)
    for _ in range(2):
        answer = forget(bench, RUN)
        assert isinstance(answer, Refused)
        assert answer.message == f"there is no run {RUN} that could be forgotten"


def test_what_another_run_builds_on_is_forgotten_with_it_or_after_it() -> None:
    bench = ended()
    bench.feed(Recalled((bench.disk.archived_run(RUN),), tuple(bench.disk.tasks.values())))
    bench.submit(task("b", 1, edge("a"), run=OTHER_RUN))
    bench.finish_all()
    answer = forget(bench, RUN)
    assert isinstance(answer, Refused)
    assert answer.message == f"run {OTHER_RUN} builds on run {RUN}; forget it first, or both together"
    assert forget(bench, RUN, OTHER_RUN) == Accepted(elements=2)
    assert bench.disk.runs == {}


def test_what_a_run_builds_on_that_was_just_submitted_stays() -> None:
    bench = ended()
    bench.recall()
    bench.submit(task("b", 1, edge("a"), run=OTHER_RUN))
    answer = forget(bench, RUN)
    assert isinstance(answer, Refused)
    assert answer.message == f"run {OTHER_RUN} builds on run {RUN}; forget it first, or both together"


def test_a_full_disk_changes_nothing() -> None:
    bench = ended()
    bench.feed(Recalled((bench.disk.archived_run(RUN),), ()))
    bench.slow_disk = True
    bench.feed(ForgetAsked(bench.cause("forget"), (RUN,)))
    bench.refuse()
    bench.slow_disk = False
    assert RUN in bench.disk.runs
    assert forget(bench, RUN) == Accepted(elements=1)


def test_while_it_goes_nobody_sets_it_to_work() -> None:
    bench = Bench(task("a"))
    bench.fail("a")
    bench.recall()
    bench.slow_disk = True
    bench.feed(ForgetAsked(bench.cause("forget"), (RUN,)))
    answer = bench.retry(a="0")
    assert isinstance(answer, Refused)
    assert answer.message == f"run {RUN} was forgotten"
    bench.slow_disk = False
    bench.write_all()
    assert bench.disk.runs == {}


def test_tombstones_are_dropped_after_a_long_time() -> None:
    bench = ended()
    forget(bench, RUN)
    before = bench.node.queue.digests.total()
    bench.now += TOMBSTONE_KEPT_S + TRIM_EVERY_S
    bench.node.handle(ForgetAsked(bench.cause("forget"), ()), bench.now)
    bench.node._tombstones.tick()
    assert bench.node.queue.forgotten.tombstones() == []
    assert bench.node.queue.digests.total() != before


# In company.


def in_company(*names: str) -> Company:
    """Nodes of which the first had a run handed in, which has ended everywhere."""
    company = Company(*names)
    company[names[0]].submit(task("a", 2))
    company.wait(1)
    company.finish_all()
    return company


def remembers(company: Company) -> dict[str, bool]:
    return {name: RUN in member.disk.runs for name, member in company.members.items()}


def test_all_nodes_forget_it() -> None:
    company = in_company("ash", "elm", "oak")
    assert set(remembers(company).values()) == {True}
    forget(company["elm"], RUN)
    company.wait(1)
    assert set(remembers(company).values()) == {False}
    assert company.agree()


def test_who_missed_it_learns_it_from_digests_and_does_not_bring_it_back() -> None:
    company = in_company("ash", "elm", "oak")
    company.lost = lambda letter: isinstance(letter.message, RECORDS)
    forget(company["elm"], RUN)
    company.wait(1)
    assert remembers(company) == {"ash": True, "elm": False, "oak": True}
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert set(remembers(company).values()) == {False}
    assert company.agree()


def test_who_was_away_and_had_not_heard_of_its_end_drops_it_when_it_comes_back() -> None:
    company = Company("ash", "elm", "oak", no_room=["oak"])
    company["ash"].submit(task("a", 2))
    company.wait(1)
    company.kill("oak")
    company.finish_all()
    company.wait(1)
    forget(company["ash"], RUN)
    company.wait(1)
    company.boot("oak")
    company.wait(MEETING_S + REPAIR_S)
    assert set(remembers(company).values()) == {False}
    assert company["oak"].node.queue.leases.active == {}
    assert company.agree()


def test_what_somebody_sent_back_behind_a_partition_is_not_lost() -> None:
    company = in_company("ash", "elm")
    company.cut("ash")
    company.wait(MEETING_S)
    forget(company["ash"], RUN)
    company["elm"].recall()
    assert company["elm"].send_back(a="0") == Accepted(elements=1)
    company.wait(1)
    assert remembers(company) == {"ash": False, "elm": True}
    company.heal()
    company.wait(MEETING_S + REPAIR_S)
    company.finish_all()
    company.wait(1)
    assert set(remembers(company).values()) == {True}
    assert company["ash"].disk.ends[RUN].state == "done"
    forget(company["ash"], RUN)
    company.wait(REPAIR_S)
    assert set(remembers(company).values()) == {False}


def test_who_asks_about_a_task_of_a_forgotten_run_is_told() -> None:
    company = in_company("ash", "elm")
    forget(company["ash"], RUN)
    company.wait(1)
    company.said.clear()
    company["ash"].feed(Heard(NodeId("elm"), Stamp(1, 0, NodeId("elm")), DoYouKnow(task_id(RUN, "a"))))
    (told,) = company.said_by("ash", RECORDS)
    assert isinstance(told, Forgotten)
    assert [tombstone.run for tombstone in told.tombstones] == [RUN]


def test_who_asks_about_a_task_and_hears_that_its_run_was_forgotten_asks_no_more() -> None:
    company = in_company("ash", "elm")
    company.lost = lambda letter: letter.to == "elm" and not isinstance(letter.message, Heartbeat)
    forget(company["ash"], RUN)
    company["elm"].node.medium.questions.ask_about(task_id(RUN, "lost"))
    company.wait(1)
    assert company.said_by("elm", DoYouKnow)
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert remembers(company) == {"ash": False, "elm": False}
    company.said.clear()
    company.wait(MEETING_S)
    assert not company.said_by("elm", DoYouKnow)


def test_an_end_that_a_full_disk_refused_does_not_come_after_the_tombstone() -> None:
    bench = Bench(task("a"), cpus=1)
    bench.slow_disk = True
    bench.fail("a")
    bench.write()
    bench.refuse()
    bench.slow_disk = False
    bench.feed(ForgetAsked(bench.cause("forget"), (RUN,)))
    bench.wait(60)
    assert forget(bench, RUN) == Accepted(elements=1)
    bench.wait(60)
    assert (bench.disk.runs, bench.disk.ends) == ({}, {})


def test_a_run_that_leaves_memory_while_its_tombstone_waits_is_forgotten_all_the_same() -> None:
    company = Company("ash", "elm")
    company["ash"].submit(task("a"))
    company.wait(1)
    company.finish_all()
    elm = company["elm"]
    assert RUN not in elm.node.queue.replica.runs
    elm.node.queue.forgotten.heard[RUN] = Tombstone(RUN, Stamp(10**9, 0, NodeId("ash")))
    company.wait(1)
    assert RUN not in elm.disk.runs


def test_what_waits_to_be_forgotten_stays_when_somebody_is_heard_to_have_set_it_to_work() -> None:
    company = in_company("ash", "elm")
    elm = company["elm"]
    elm.recall()
    elm.slow_disk = True
    elm.feed(SuspendAsked(elm.cause("suspend"), RUN, on=False))
    elm.feed(Heard(NodeId("ash"), Stamp(1, 0, NodeId("ash")), Forgotten((Tombstone(RUN, elm.stamp()),))))
    assert elm.node.queue.forgotten.is_going(RUN), "something about it is on its way to the disk"
    touched = msgspec.structs.replace(elm.node.queue.replica.runs[RUN].record, touched=(Stamp(5, 0, NodeId("oak")),))
    elm.feed(Heard(NodeId("ash"), Stamp(2, 0, NodeId("ash")), Facts(runs=(touched,))))
    assert not elm.node.queue.forgotten.is_going(RUN)
    elm.slow_disk = False
    elm.write_all()
    assert elm.disk.runs[RUN].touched == touched.touched


def test_a_run_is_not_forgotten_before_who_handed_it_in_is_answered() -> None:
    company = Company("ash", "elm")
    company.lost = lambda letter: isinstance(letter.message, Kept)
    ash = company["ash"]
    ash.submit(task("a"), safe=2)
    company.settle()
    ash.cancel(a="0")
    company.wait(0.2)
    answer = forget(ash, RUN)
    assert isinstance(answer, Refused)
    assert answer.temporary
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert forget(ash, RUN) == Accepted(elements=1)


# With a quorum.

YEWS = Elements({Done(attempt(5), NodeId("yew")): ranges("0")})
ITS_BALLOT = Ballot(8, NodeId("yew"), 1)


def holding_a_result_of_yew(company: Company) -> Company:
    """Let ash, which hears nobody, hold a result of yew in a run that has failed otherwise, as it knows."""
    ash = started(company)["ash"]
    company.cut("ash")
    sent = ((attempt(5), NodeId("yew"), pack(0, [b"x"])),)
    hear(ash, Hold(task("a").id, 0, ITS_BALLOT, YEWS, sent, NodeId("yew")), "yew")
    failed = Elements({Failed(0, attempt(2), NodeId("elm"), 1): ranges("0")})
    hear(ash, Facts(states=((task("a").id, failed),)), "elm")
    return company


def test_a_voter_that_has_forgotten_a_run_keeps_its_word_when_it_comes_back() -> None:
    company = holding_a_result_of_yew(five("elm"))
    ash, elm = company["ash"], company["elm"]
    forget(ash, RUN)
    assert not ash.disk.made, "the results went"
    elm.fail("a", 0)
    company.wait(DEATH_S)
    elm.recall()
    assert elm.retry(a="0") == Accepted(elements=1)
    company.heal()
    company.wait(MEETING_S + REPAIR_S)
    company.said.clear()
    hear(ash, Prepare(task("a").id, 0, Ballot(9, NodeId("oak"), 1), ranges("0")), "oak")
    assert company.said_by("ash", Promised)[-1].held == ((ITS_BALLOT, YEWS),)
    # Who proposes names ash as the source, for it told of the result.
    hear(ash, Hold(task("a").id, 0, Ballot(9, NodeId("oak"), 1), YEWS, (), NodeId("ash")), "oak")
    assert not company.said_by("ash", Held)
    (question,) = company.letters(Fetch, of="ash")
    assert question.to == "yew", "who made it may have it"


def test_nobody_votes_on_what_is_about_to_be_forgotten() -> None:
    ash = holding_a_result_of_yew(five("elm"))["ash"]
    ash.slow_disk = True
    forget(ash, RUN)
    hear(ash, Hold(task("a").id, 0, Ballot(9, NodeId("yew"), 1), YEWS, (), NodeId("yew")), "yew")
    ash.write_all()
    assert [vote.ballot for vote in ash.disk.votes[task("a").id]] == [ITS_BALLOT]


def test_a_result_that_counted_before_the_run_was_forgotten_stays_the_only_one() -> None:
    """Who was away had not heard of it, and sets the element to work again."""
    company = started(Company("ash", "elm", "oak", no_room=["ash", "oak"]))
    oak = company["oak"]
    company.cut("oak")
    company["elm"].done("a")
    oak.feed(CapacityChanged(Capacity.of(1.0, 8 * GIB, "3.11"), GiveWay.GIVE_BACK))
    company.wait(2 * DEATH_S)
    assert done(company) == ["ash", "elm"]
    forget(company["ash"], RUN)
    company.wait(1)
    oak.fail("a", 0)
    oak.recall()
    assert oak.retry(a="0") == Accepted(elements=1)
    company.heal()
    company.wait(MEETING_S + REPAIR_S)
    company.finish_all()
    company.wait(REPAIR_S)
    assert set(remembers(company).values()) == {True}
    assert sum(len(member.node.quorum) for member in company.living()) == 1, "another result waits"
    assert done(company) == []
