"""Records that have left memory come back from a real journal, with all that they need."""

from roost.core.events import Heard
from roost.core.facts import ItemsStored, RunForgotten, VoteKept
from roost.core.holdings import Holdings
from roost.core.queue.replica import Replica
from roost.model.ballots import Ballot, Vote
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.record import TaskRecord
from roost.model.segments import pack
from roost.model.tombstones import Tombstone
from roost.runtime.journal.recall import recall
from roost.wire.messages import DoYouKnow
from tests.runtime.journalling import (
    NODE,
    RUN,
    OpenJournal,
    done,
    finished,
    moved,
    results,
    run_added,
    run_record,
    stamp,
    task_added,
    task_spec,
    values,
)
from tests.tokens import attempt

FIRST, SECOND, THIRD = (TaskId(f"{RUN}/{name}") for name in ("first", "second", "third"))
LATER = RunId("6-bababa")
BEYOND = TaskId(f"{LATER}/beyond")


def written(journal: OpenJournal) -> OpenJournal:
    """Write a chain of three tasks, and a second run that builds on the last of them."""
    journal.write(
        run_added(),
        run_added(LATER, at=5),
        task_added(FIRST),
        task_added(SECOND, needs=(FIRST,)),
        task_added(THIRD, needs=(SECOND,)),
        task_added(BEYOND, needs=(THIRD, FIRST), at=5),
        ItemsStored(SECOND, pack(2, values(2, 5))),
        moved(FIRST, done(), 0, 10),
        results(FIRST, 0, 4),
    )
    return journal


def names(records: tuple[TaskRecord, ...]) -> list[str]:
    return [record.spec.id for record in records]


def test_tasks_come_with_their_runs_and_with_all_that_they_need_in_order(open_journal: OpenJournal) -> None:
    recalled = recall(written(open_journal).journal, Replica(), [], [BEYOND])
    assert names(recalled.tasks) == [FIRST, SECOND, THIRD, BEYOND]
    assert [run.record.spec.id for run in recalled.runs] == [RUN, LATER]
    assert recalled.tasks[0].elements.at(3) == done()


def test_the_data_that_is_on_this_disk_is_named_task_by_task(open_journal: OpenJournal) -> None:
    recalled = recall(written(open_journal).journal, Replica(), [], [SECOND])
    first, second = recalled.holdings
    assert (first.task, first.results) == (FIRST, ((attempt(1), NODE, RangeSet.span(0, 4)),))
    assert (second.task, second.items) == (SECOND, RangeSet.span(2, 5))


def test_what_is_in_memory_does_not_come_and_neither_does_what_only_it_needs(open_journal: OpenJournal) -> None:
    replica = Replica()
    replica.add_run(run_record())
    replica.add_task(TaskRecord(task_spec(FIRST)))
    replica.add_task(TaskRecord(task_spec(SECOND, needs=(FIRST,))))
    recalled = recall(written(open_journal).journal, replica, [RUN], [THIRD, SECOND])
    assert (names(recalled.tasks), recalled.runs) == ([THIRD], ())


def test_a_run_comes_alone_unless_it_is_wanted_whole(open_journal: OpenJournal) -> None:
    journal = written(open_journal).journal
    alone = recall(journal, Replica(), [RUN], [])
    assert ([run.record.spec.id for run in alone.runs], alone.tasks) == ([RUN], ())
    whole = recall(journal, Replica(), [RUN], [], whole=True)
    assert names(whole.tasks) == [FIRST, SECOND, THIRD]


def test_a_run_comes_with_its_end_and_what_was_archived(open_journal: OpenJournal) -> None:
    written(open_journal).write(finished(at=9))
    open_journal.journal.archive([FIRST])
    [run] = recall(open_journal.journal, Replica(), [RUN], []).runs
    assert (run.counts, run.tasks) == ({"done": 10}, 1)
    assert run.finished == finished(at=9)


def test_what_was_never_heard_of_does_not_come(open_journal: OpenJournal) -> None:
    nowhere = recall(written(open_journal).journal, Replica(), [RunId("9-dedede")], [TaskId("9-dedede/x")], whole=True)
    assert (nowhere.runs, nowhere.tasks, nowhere.holdings) == ((), (), ())


def test_the_message_for_which_it_was_looked_up_comes_along(open_journal: OpenJournal) -> None:
    about = Heard(NodeId("oak"), stamp(7), DoYouKnow(FIRST))
    assert recall(open_journal.journal, Replica(), [], [FIRST], about=about).about is about
    assert recall(open_journal.journal, Replica(), [], [FIRST]).about is None


def test_what_was_voted_on_a_forgotten_task_comes_without_the_task(open_journal: OpenJournal) -> None:
    vote = Vote(0, Ballot(3, NODE, 1), RangeSet.span(0, 2))
    written(open_journal).write(VoteKept(FIRST, vote))
    open_journal.write(RunForgotten(Tombstone(RUN, stamp(9))))
    recalled = recall(open_journal.journal, Replica(), [RUN], [FIRST, SECOND])
    assert (recalled.runs, recalled.tasks) == ((), ())
    assert recalled.holdings == (Holdings(FIRST, votes=(vote,)),)
