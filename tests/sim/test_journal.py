"""What survives a crash of the simulated disk."""

from random import Random

from roost.core.facts import (
    LivesHeard,
    ResultsStored,
    RunFinished,
    RunMerged,
    StatesMerged,
    StoryTold,
    TaskAdded,
    VoteKept,
)
from roost.core.queue.replica import TaskEntry
from roost.core.telling.summaries import ended_ranges
from roost.model.ballots import Ballot, Vote
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.happenings import DoneOn
from roost.model.ids import CauseId, task_id
from roost.model.online import NEVER_ONLINE
from roost.model.record import RunRecord, Switch
from roost.model.segments import pack
from roost.model.states import Cancelled, Done
from roost.sim.journal import ANSWER_ELEMENTS, SimDisk
from roost.wire.messages import Delivery, Fetch, Purpose
from tests.core.harness import ASH, RUN, edge, ranges, run_spec, task
from tests.stored_results import stored_results
from tests.tokens import attempt

A, B, C = (task_id(RUN, name) for name in "abc")
SEALED = RunRecord(run_spec(), sealed=Switch(Stamp(5, 0, ASH), on=True))
END = RunFinished(RUN, Stamp(9, 0, ASH), "done", {}, 3)


def disk_with(*tasks: object, record: RunRecord = SEALED) -> SimDisk:
    disk = SimDisk(ASH)
    disk.append(1, (RunMerged(record), *(TaskAdded(spec) for spec in tasks)))
    disk.write(1)
    disk.flush(1)
    return disk


def chain() -> SimDisk:
    return disk_with(task("a"), task("b", 1, edge("a")), task("c", 1, edge("b")))


def done(name: str) -> StatesMerged:
    return StatesMerged(name, Elements({Done(attempt(1), ASH): ranges("0")}))


def test_what_was_not_written_is_not_there() -> None:
    disk = SimDisk(ASH)
    disk.append(1, (RunMerged(SEALED),))
    assert disk.restore().runs == ()
    disk.write(1)
    assert [run.record for run in disk.restore().runs] == [SEALED]


def test_writing_a_ticket_writes_those_before_it() -> None:
    disk = disk_with(task("a"), task("b"))
    disk.append(2, (done(A),))
    disk.append(3, (done(B),))
    disk.write(3)
    assert all(ended_ranges(TaskEntry.of(record)) == {"done": ranges("0")} for record in disk.tasks.values())


def test_a_refused_ticket_is_gone_and_those_around_it_are_not() -> None:
    disk = chain()
    for ticket, name in ((2, A), (3, B), (4, C)):
        disk.append(ticket, (done(name),))
    disk.refuse(3)
    disk.write(4)
    assert [bool(record.elements) for record in disk.tasks.values()] == [True, False, True]


def test_a_crash_keeps_a_first_part_of_what_was_queued() -> None:
    kept = set()
    for seed in range(20):
        disk = chain()
        for ticket, name in ((2, A), (3, B), (4, C)):
            disk.append(ticket, (done(name),))
        disk.crash(Random(seed))
        kept.add(tuple(bool(record.elements) for record in disk.tasks.values()))
        disk.write(4)
        assert tuple(bool(record.elements) for record in disk.tasks.values()) in kept, "nothing comes later"
    assert kept == {(False,) * 3, (True, False, False), (True, True, False), (True,) * 3}


def test_a_power_cut_loses_a_last_part_of_what_was_written_and_not_flushed() -> None:
    kept = set()
    for seed in range(30):
        disk = chain()
        for ticket, name in ((2, A), (3, B), (4, C)):
            disk.append(ticket, (done(name),))
        disk.write(4)
        disk.flush(2)
        disk.crash(Random(seed))
        kept.add(tuple(bool(record.elements) for record in disk.tasks.values()))
    assert kept == {(True, False, False), (True, True, False), (True,) * 3}


def test_what_was_written_outlives_the_process_and_the_next_life_makes_it_safe() -> None:
    disk = chain()
    disk.append(2, (done(A),))
    disk.write(2)
    disk.kill(Random(1))
    assert disk.tasks[A].elements
    assert not disk.flushed.tasks[A].elements
    disk.begin_boot()
    assert disk.flushed.tasks[A].elements


def test_archived_tasks_are_left_out_unless_a_living_one_needs_them() -> None:
    disk = chain()
    disk.archive([A, B])
    assert [record.spec.id for record in disk.restore().tasks] == [A, B, C]
    disk.archive([C])
    assert disk.restore().tasks == ()


def test_what_moves_once_more_is_no_longer_archived() -> None:
    disk = chain()
    disk.archive([A, B, C])
    disk.append(2, (StatesMerged(A, Elements()),))
    disk.write(2)
    assert [record.spec.id for record in disk.restore().tasks] == [A]


def test_a_run_whose_end_is_not_written_comes_back_although_all_its_tasks_are_archived() -> None:
    disk = chain()
    disk.archive([A, B, C])
    [run] = disk.restore().runs
    assert (run.tasks, run.counts) == (3, {"aborted": 3})
    disk.append(2, (END,))
    disk.write(2)
    assert disk.restore().runs == ()


def test_an_open_session_comes_back() -> None:
    disk = disk_with(task("a"), record=RunRecord(run_spec()))
    disk.archive([A])
    assert len(disk.restore().runs) == 1


def test_the_largest_stamp_and_the_latest_end_stay() -> None:
    disk = chain()
    later = RunFinished(RUN, Stamp(20, 0, ASH), "failed", {}, 3)
    disk.append(2, (later, END, StoryTold(A, Stamp(15, 0, ASH), ranges("0"), DoneOn(ASH), CauseId("x"))))
    disk.write(2)
    assert disk.ends[RUN] == later
    assert disk.restore().last_stamp == Stamp(20, 0, ASH)


def test_results_are_kept_with_their_tokens() -> None:
    disk = chain()
    disk.append(2, (ResultsStored(A, attempt(3), ASH, pack(0, [b"x"])),))
    disk.write(2)
    assert stored_results(disk, A, 0) == [(attempt(3), b"x")]


def test_missing_tasks_come_with_what_they_need_and_without_what_is_there() -> None:
    disk = chain()
    assert [record.spec.id for record in disk.missing([C], {})] == [A, B, C]
    assert [record.spec.id for record in disk.missing([C], {A, B})] == [C]
    assert disk.missing([C], {C}) == ()


def test_a_recalled_run_has_the_counts_of_its_archived_tasks() -> None:
    disk = disk_with(task("a", 3))
    disk.append(2, (StatesMerged(A, Elements({Cancelled(attempt(1)): ranges("0-1")})),))
    disk.write(2)
    disk.archive([A])
    assert disk.archived_run(RUN).counts == {"cancelled": 2, "aborted": 1}


def test_every_life_has_its_number() -> None:
    disk = SimDisk(ASH)
    assert [disk.begin_boot(), disk.begin_boot(), disk.restore().boot] == [1, 2, 2]


def test_a_life_has_a_larger_number_than_any_that_is_noted_and_flushed() -> None:
    disk = SimDisk(ASH)
    disk.append(1, (LivesHeard(8),))
    disk.write(1)
    disk.flush(1)
    disk.crash(Random(1))
    assert disk.begin_boot() == 9


def test_a_disk_that_is_closed_in_order_has_everything() -> None:
    disk = chain()
    disk.append(2, (done(A),))
    disk.close()
    disk.crash(Random(1))
    assert disk.tasks[A].elements


def test_when_the_node_was_on_line_is_noted_with_the_next_ticket_and_lost_with_it() -> None:
    disk, log = chain(), NEVER_ONLINE.begun(10.0)
    disk.note_online(log)
    assert disk.online == NEVER_ONLINE, "nothing was written since"
    disk.append(2, (done(A),))
    disk.write(2)
    disk.flush(2)
    disk.note_online(log.seen(80.0))
    disk.append(3, (done(A),))
    disk.kill(Random(1))
    assert disk.restore().online == log
    disk.note_online(log.seen(80.0))
    disk.close()
    disk.crash(Random(1))
    assert disk.restore().online == log.seen(80.0), "a polite end is noted"


def test_whoever_listens_hears_what_is_written() -> None:
    disk = chain()
    heard: list[object] = []
    disk.on_written = heard.append
    disk.append(2, (done(A),))
    disk.append(3, (done(B),))
    assert heard == []
    disk.write(2)
    disk.refuse(3)
    assert heard == [(done(A),)]


def test_votes_come_back_and_results_that_nobody_accepted_can_be_had() -> None:
    disk = disk_with(task("a", 10))
    vote = Vote(0, Ballot(1, ASH, 1), ranges("0-9"))
    disk.append(2, (ResultsStored(A, attempt(1), ASH, pack(0, [b"x"] * 2)), VoteKept(A, vote)))
    disk.write(2)
    assert disk.restore().holdings[0].votes == (vote,)
    sent = disk.answer(Fetch(Purpose.VOTE, made=((A, attempt(1), ASH, ranges("1-9")),)), {})
    assert isinstance(sent, Delivery)
    assert sent.results == ((A, attempt(1), ASH, pack(1, [b"x"])),)
    disk.crash(Random(0))
    assert len(disk.votes.get(A, [])) == len(disk.made)


def test_an_answer_holds_a_few_elements_and_says_that_there_are_more() -> None:
    disk = disk_with(task("a", 10))
    disk.append(2, (ResultsStored(A, attempt(1), ASH, pack(0, [b"x"] * 10)),))
    disk.append(3, (StatesMerged(A, Elements({Done(attempt(1), ASH): ranges("0-9")})),))
    disk.write(3)
    first = disk.answer(Fetch(Purpose.INPUTS, 1, results=((A, ranges("0-9")),)), {})
    assert isinstance(first, Delivery)
    assert (len(first.results), first.more) == (ANSWER_ELEMENTS, True)
    last = disk.answer(Fetch(Purpose.INPUTS, 1, results=((A, ranges("8-9")),)), {})
    assert isinstance(last, Delivery)
    assert (len(last.results), last.more) == (2, False)


def test_states_are_merged_when_somebody_reads_and_copies_do_not_share_them() -> None:
    disk = disk_with(task("a", 4))
    disk.append(2, (StatesMerged(A, Elements({Done(attempt(1), ASH): ranges("0")})),))
    disk.write(2)
    copy = SimDisk(ASH)
    copy.take(disk)
    disk.append(3, (StatesMerged(A, Elements({Done(attempt(1), ASH): ranges("1")})),))
    disk.write(3)
    assert copy.tasks[A].elements.known() == ranges("0")
    assert disk.tasks[A].elements.known() == ranges("0-1")
