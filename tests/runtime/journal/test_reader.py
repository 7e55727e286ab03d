"""What is on disk comes back: records, stories, failures, functions, and all that a node needs to start again."""

import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.core.facts import BlobStored, Fact, FailureNoted, RunMerged, StatesMerged, StoryTold, TaskAdded, VoteKept
from roost.core.queue.replica import Replica
from roost.core.restored import Restored
from roost.core.telling.views import TAKEN_OVER
from roost.model.ballots import Ballot, Vote
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.errors import NotFound
from roost.model.happenings import SubmittedBy
from roost.model.ids import BlobHash, CauseId, NodeId, RunId, TaskId
from roost.model.limits import MIB, STORY_LINES_MAX
from roost.model.pools import POOL_BLOCK, behind
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.states import Absent, Done
from roost.model.task import Failure
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.reader import BLOB_CACHE_BYTES, FAILURES_PER_QUERY, KEYS_PER_QUERY, in_order_of_need
from roost.runtime.journal.recall import recall
from roost.runtime.journal.schema import open_file
from tests import strategies
from tests.runtime.journalling import (
    DONE,
    NODE,
    RUN,
    TASK,
    OpenJournal,
    cancelled,
    done,
    failed,
    finished,
    moved,
    results,
    run_added,
    run_record,
    stamp,
    task_added,
    task_spec,
    told,
)
from tests.tokens import attempt


def test_an_empty_journal_restores_to_nothing(open_journal: OpenJournal) -> None:
    restored = open_journal.journal.restore()
    assert (restored.boot, restored.runs, restored.tasks) == (1, (), ())
    assert restored.last_stamp == Stamp(0, 0, NodeId(""))


def test_votes_are_there_after_a_restart_of_tasks_that_have_voters(open_journal: OpenJournal) -> None:
    vote = Vote(0, Ballot(3, NODE, 1), RangeSet.span(0, 2), Elements({done(): RangeSet.span(0, 1)}))
    strict = msgspec.structs.replace(task_spec(TASK), voters=(NODE,))
    open_journal.write(run_added(), TaskAdded(strict), results(TASK, 0, 1), VoteKept(TASK, vote))
    with open_journal.reopen() as again:
        (held,) = again.journal.restore().holdings
        assert held.votes == (vote,)
        assert again.journal.holdings(TASK).votes == ()
        assert recall(again.journal, Replica(), (), (TASK,)).holdings == (held,)


def test_what_was_written_is_there_after_a_restart(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(at=3), task_added(at=3), moved(TASK, failed(), 0, 4), told(TASK, 7))
    open_journal.write(moved(TASK, done(2), 2, 4))
    with open_journal.reopen() as again:
        restored = again.journal.restore()
    assert restored.boot == 2
    assert restored.last_stamp == stamp(7)
    assert [run.record for run in restored.runs] == [run_record(at=3)]
    elements = Elements({failed(): RangeSet.span(0, 2), done(2): RangeSet.span(2, 4)})
    assert restored.tasks == (TaskRecord(task_spec(at=3), elements),)


def test_the_later_word_on_a_run_stays(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(sealed=False))
    open_journal.write(RunMerged(run_record(at=1, sealed=True, suspended=True)))
    record = open_journal.journal.run_record(RUN)
    assert (record.sealed.on, record.suspended.on) == (True, True)


def test_archived_tasks_and_finished_runs_are_not_restored(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(), moved(TASK, done(), 0, 10), finished(at=9))
    open_journal.journal.archive([TASK])
    with open_journal.reopen() as again:
        restored = again.journal.restore()
        assert (restored.runs, restored.tasks, restored.last_stamp) == ((), (), stamp(9))
        assert again.journal.task_record(TASK).elements.in_state(type(done())) == RangeSet.span(0, 10)
        assert again.journal.finished(RUN) == finished(at=9)


def test_an_archived_task_that_moves_again_is_restored(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(), moved(TASK, failed(), 0, 10))
    open_journal.journal.archive([TASK])
    open_journal.write(moved(TASK, done(2), 0, 10))
    with open_journal.reopen() as again:
        assert [record.spec.id for record in again.journal.restore().tasks] == [TASK]
        again.journal.archive([TASK])
        assert again.journal.archived(RUN).tasks == 1
        again.write(told(TASK, 9))
        assert again.journal.restore().tasks == ()


def test_an_open_run_is_restored_with_the_counts_of_its_archived_tasks(open_journal: OpenJournal) -> None:
    ended, live = TaskId("5-kedova/ended"), TaskId("5-kedova/live")
    open_journal.write(run_added(sealed=False), task_added(ended), task_added(live))
    open_journal.write(moved(ended, done(), 0, 5), moved(ended, failed(), 5, 7), moved(ended, cancelled(), 7, 8))
    open_journal.journal.archive([ended])
    archived = open_journal.journal.archived(RUN)
    assert (archived.counts, archived.tasks) == ({"done": 5, "failed": 2, "cancelled": 1, "aborted": 2}, 1)
    assert open_journal.journal.restore().runs == (archived,)


def test_what_a_live_task_needs_is_restored_before_it(open_journal: OpenJournal) -> None:
    first, second, third = (TaskId(f"4-bedofu/{name}") for name in ("a", "b", "c"))
    open_journal.write(run_added(RunId("4-bedofu")), task_added(first), task_added(second, needs=(first,)))
    open_journal.write(task_added(third), finished(RunId("4-bedofu"), at=2))
    open_journal.journal.archive([first, second, third])
    open_journal.write(run_added(), task_added(at=5, needs=(second,)))
    restored = open_journal.journal.restore()
    assert [record.spec.id for record in restored.tasks] == [first, second, TASK]
    assert [(run.record.spec.id, run.tasks) for run in restored.runs] == [("4-bedofu", 1), (RUN, 0)]


def test_a_task_that_needs_one_of_a_run_that_a_full_disk_refused_is_left_out(open_journal: OpenJournal) -> None:
    """Other nodes told of the run; its record was refused, what came later of it was not, and then the node ended."""
    refused, other = TaskId("4-bedofu/a"), TaskId("7-bedofu/b")
    open_journal.write(task_added(refused))
    open_journal.write(run_added(), task_added(at=5, needs=(refused,)), run_added(RunId("7-bedofu")), task_added(other))
    restored = open_journal.journal.restore()
    assert [record.spec.id for record in restored.tasks] == [other]
    assert sorted(run.record.spec.id for run in restored.runs) == sorted([RUN, "7-bedofu"])


def test_tasks_keep_their_order_unless_one_needs_a_later_one() -> None:
    a, b, c, d = (TaskId(f"5-kedova/{name}") for name in "abcd")
    specs = [task_spec(a, needs=(c,)), task_spec(b), task_spec(c, needs=(d, b)), task_spec(d)]
    ordered = in_order_of_need({spec.id: TaskRecord(spec) for spec in specs})
    assert [record.spec.id for record in ordered] == [b, d, c, a]


def test_a_long_chain_of_tasks_is_put_in_order() -> None:
    names = [TaskId(f"5-kedova/t{at}") for at in range(5_000)]
    specs = [task_spec(name, needs=(after,)) for name, after in pairwise(names)]
    ordered = in_order_of_need({spec.id: TaskRecord(spec) for spec in specs})
    assert [record.spec.id for record in ordered] == names[-2::-1]


def test_runs_and_tasks_are_listed_oldest_first(open_journal: OpenJournal) -> None:
    runs = [RunId("3-zuzuzu"), RunId("1-bababa"), RunId("2-dadada")]
    for at, run in enumerate(runs):
        open_journal.write(run_added(run, at=at))
    tasks = [TaskId(f"1-bababa/{name}") for name in ("z", "y", "x")]
    open_journal.write(task_added(tasks[1], at=4), task_added(tasks[2], at=4), task_added(tasks[0], at=3))
    assert open_journal.journal.run_ids() == runs
    assert open_journal.journal.task_ids(runs[1]) == tasks
    assert [record.spec.id for record in open_journal.journal.task_records(runs[1])] == tasks
    assert open_journal.journal.task_ids(runs[0]) == []


def test_what_is_not_there_is_not_found(open_journal: OpenJournal) -> None:
    journal = open_journal.journal
    for ask in (
        lambda: journal.run_record(RUN),
        lambda: journal.task_record(TASK),
        lambda: journal.archived(RUN),
        lambda: journal.blob(BlobHash("00ff")),
    ):
        with pytest.raises(NotFound, match="there is no "):
            ask()
    assert journal.finished(RUN) is None
    assert (journal.story(TASK), list(journal.failures(TASK, RangeSet.span(0, 9)))) == ([], [])


def test_what_is_told_of_a_run_is_in_the_story_of_each_of_its_tasks_with_all_their_elements(
    open_journal: OpenJournal,
) -> None:
    other = TaskId("5-kedova/print")
    submitted = StoryTold(TaskId(RUN), stamp(2), RangeSet(), SubmittedBy("ada", "ash"), CauseId("submit"))
    open_journal.write(run_added(), task_added(TASK, 10), task_added(other, 3), submitted, told(TASK, 5))
    story = open_journal.journal.story
    assert [(line.task, line.at, str(line.ranges), line.what) for line in story(TASK)] == [
        (TASK, stamp(2), "0-9", SubmittedBy("ada", "ash")),
        (TASK, stamp(5), "0", DONE),
    ]
    assert [(line.task, str(line.ranges), line.cause) for line in story(other)] == [(other, "0-2", "submit")]
    assert story(TaskId("5-kedova/ghost")) == []
    open_journal.write(*(told(TASK, at) for at in range(6, 6 + STORY_LINES_MAX)))
    assert story(TASK)[0].at == stamp(6), "the oldest give way"


def test_the_last_failure_of_each_element_is_kept(open_journal: OpenJournal) -> None:
    notes = [(3, 2, "second"), (3, 1, "first"), (5, 1, "other"), (7, 1, "not asked for")]
    open_journal.write(*(FailureNoted(TASK, at, attempt(token), Failure(reason)) for at, token, reason in notes))
    found = list(open_journal.journal.failures(TASK, RangeSet.parse("0-5")))
    assert found == [(3, Failure("second")), (5, Failure("other"))]


def test_failures_are_read_a_few_at_a_time_and_none_is_missed(open_journal: OpenJournal) -> None:
    count = 2 * FAILURES_PER_QUERY + 1
    open_journal.write(*(FailureNoted(TASK, at, attempt(1), Failure(f"{at}")) for at in range(count)))
    found = list(open_journal.journal.failures(TASK, RangeSet.span(0, count)))
    assert found == [(at, Failure(f"{at}")) for at in range(count)]


def test_functions_are_stored_once_and_remembered_within_a_limit(open_journal: OpenJournal) -> None:
    journal = open_journal.journal
    names = [BlobHash(f"{number:032x}") for number in range(5)]
    size = BLOB_CACHE_BYTES // 4
    open_journal.write(*(BlobStored(name, bytes([number]) * size) for number, name in enumerate(names)))
    open_journal.write(BlobStored(names[0], b"the same name never means something else"))
    for number, name in enumerate(names * 2):
        assert journal.blob(name) == bytes([number % 5]) * size
    assert journal.has_blob(names[0])
    assert not journal.has_blob(BlobHash("ff"))
    unknown = [BlobHash(f"{number:x}") for number in range(2 * KEYS_PER_QUERY)]
    assert journal.known_blobs([names[0], *unknown, names[4]]) == {names[0], names[4]}
    assert journal.known_blobs([]) == frozenset()


def test_a_function_larger_than_the_memory_for_them_is_still_read(open_journal: OpenJournal) -> None:
    open_journal.write(BlobStored(BlobHash("aa"), b"x" * (BLOB_CACHE_BYTES + MIB)))
    for _ in range(2):
        assert len(open_journal.journal.blob(BlobHash("aa"))) == BLOB_CACHE_BYTES + MIB


A_TASK, B_TASK = TaskId("5-kedova/a"), TaskId("5-kedova/b")
KNOWN: list[Fact] = [run_added(), task_added(A_TASK, at=1), task_added(B_TASK, at=2, needs=(A_TASK,))]
merging_facts = st.one_of(
    st.sampled_from(KNOWN),
    st.builds(StatesMerged, strategies.task_ids, strategies.elements),
    st.builds(RunMerged, st.builds(RunRecord, st.just(run_record().spec), strategies.switches, strategies.switches)),
    st.builds(lambda at, state: finished(at=at, state=state), st.integers(0, 3), st.just("done")),
)


@pytest.fixture(scope="module")
def empty_journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "journal.db"
    Journal.open(path).close()
    return path


def restored_from(facts: Sequence[Fact], group_size: int, path: Path) -> Restored:
    writing, reading = open_file(path)
    writing.execute("PRAGMA synchronous = OFF")
    with OpenJournal(path, Journal(path, writing, reading)) as journal:
        for at in range(0, len(facts), group_size):
            journal.write(*facts[at : at + group_size])
        assert not journal.reasons
        return journal.journal.restore()


@settings(max_examples=50)
@given(facts=st.lists(merging_facts, max_size=12), group_size=st.integers(1, 5), data=st.data())
def test_facts_in_any_order_and_twice_are_restored_alike(
    empty_journal: Path, facts: list[Fact], group_size: int, data: st.DataObject
) -> None:
    facts = KNOWN + facts
    shuffled = data.draw(st.permutations(facts + data.draw(st.lists(st.sampled_from(facts), max_size=5))))
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / "straight.db", Path(folder) / "shuffled.db"]
        for path in paths:
            shutil.copy(empty_journal, path)
        straight = restored_from(facts, len(facts), paths[0])
        assert restored_from(shuffled, group_size, paths[1]) == straight
    assert [record.spec.id for record in straight.tasks] == [A_TASK, B_TASK]


def test_failures_are_known_by_the_token_of_their_attempt(open_journal: OpenJournal) -> None:
    open_journal.write(
        run_added(), task_added(), *(FailureNoted(TASK, at, attempt(at + 5), Failure("x")) for at in (1, 3))
    )
    wanted = RangeSet.span(0, 10)
    noted = [(1, attempt(6), Failure("x")), (3, attempt(8), Failure("x"))]
    assert list(open_journal.journal.noted_failures(TASK, wanted)) == noted
    assert list(open_journal.journal.failure_tokens(TASK, wanted)) == [(at, token) for at, token, _ in noted]


@pytest.mark.parametrize("length", [0, 3])
def test_a_pool_that_was_archived_counts_the_elements_that_exist(open_journal: OpenJournal, length: int) -> None:
    mapper, pool = TaskId("5-kedova/mapper"), TaskId("5-kedova/pool")
    spec = msgspec.structs.replace(
        task_spec(pool, needs=(mapper,)), elements=RangeSet.span(0, POOL_BLOCK), mapper=mapper, depth=1
    )
    open_journal.write(run_added(), task_added(mapper, 1), TaskAdded(spec))
    ends = StatesMerged(pool, Elements({Absent(): behind(0, length)}))
    cancelled_behind = moved(pool, cancelled(), length, length + 5)
    open_journal.write(moved(mapper, done(), 0, 1), cancelled_behind, ends)
    if length:
        open_journal.write(moved(pool, done(), 0, 2))
    open_journal.journal.archive([mapper, pool])
    expected = {"done": 3, "aborted": 1} if length else {"done": 1}
    with open_journal.reopen() as again:
        assert again.journal.archived(RUN).counts == expected


def test_what_was_taken_over_is_counted_of_archived_tasks_too(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(TASK, 5), moved(TASK, done(), 0, 2))
    open_journal.write(moved(TASK, Done(attempt(2), NODE, reused=True), 2, 5))
    open_journal.journal.archive([TASK])
    assert open_journal.journal.archived(RUN).counts == {"done": 5, TAKEN_OVER: 3}


def test_a_pool_of_which_nothing_became_known_counts_nothing(open_journal: OpenJournal) -> None:
    pool = TaskId("5-kedova/pool")
    spec = msgspec.structs.replace(task_spec(pool), elements=RangeSet.span(0, POOL_BLOCK), mapper=TASK, depth=1)
    open_journal.write(run_added(), TaskAdded(spec), moved(pool, cancelled(), 0, POOL_BLOCK))
    open_journal.journal.archive([pool])
    assert open_journal.journal.archived(RUN).counts == {}
