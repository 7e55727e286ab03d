"""Facts become few statements, and a task never costs more to read than a bounded number of rows."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from roost.core.facts import Fact, FailureNoted, KeysNoted, RunMerged, VoteKept
from roost.core.quorum.voting import folded
from roost.executors.reuse.entries import Entry, encode_entry
from roost.model.ballots import Ballot, Vote
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.happenings import (
    AnsweredBy,
    FailedOn,
    GivenBackBy,
    HowLost,
    LeasedBy,
    MadeOfDropped,
    NodeLost,
    ResultDropped,
    SubmittedBy,
    drawer_of,
)
from roost.model.ids import NodeId, TaskId, run_of
from roost.model.limits import ATTEMPT_MAX, BOOT_MAX, HAPPENED_MAX, ROUND_MAX, SPANS_KEPT_MAX, STORY_LINES_MAX
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.spans import Span
from roost.model.task import Failure
from roost.model.token import Token
from roost.runtime.journal.rows import DELTAS_PER_FOLD, LINES_PER_CUT, VOTES_PER_FOLD, Group, RowWriter, merge_deltas
from roost.runtime.journal.schema import open_file
from roost.wire.codec import decode
from tests.runtime.journalling import (
    DONE,
    NODE,
    RUN,
    TASK,
    OpenJournal,
    done,
    finished,
    moved,
    results,
    run_record,
    stamp,
    task_added,
    told,
    worked,
)
from tests.sentences import HAPPENINGS
from tests.tokens import attempt

OTHER = TaskId("5-kedova/other")
DROPPED = ResultDropped(NODE, attempt(1), NodeId("elm"), attempt(2))


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    writer, reader = open_file(tmp_path / "journal.db")
    writer.execute("PRAGMA synchronous = OFF")
    yield writer
    reader.close()
    writer.close()


def group_of(*facts: Fact) -> Group:
    group = Group()
    group.add(facts)
    return group


def count(connection: sqlite3.Connection, table: str) -> int:
    found: int = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    return found


def stored_elements(connection: sqlite3.Connection) -> Elements:
    return merge_deltas(row[0] for row in connection.execute("SELECT delta FROM deltas"))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 127, 128, 129, 300])
def test_any_number_of_rows_is_written_whole(connection: sqlite3.Connection, size: int) -> None:
    RowWriter(connection).write(group_of(*(results(TASK, at, at + 1) for at in range(size))))
    assert connection.execute("SELECT start FROM results ORDER BY start").fetchall() == [(at,) for at in range(size)]


def test_a_thousand_facts_take_a_few_dozen_statements(connection: sqlite3.Connection) -> None:
    facts: list[Fact] = [task_added(TaskId(f"5-kedova/t{at}")) for at in range(1_000)]
    facts += [moved(TaskId(f"5-kedova/t{at}"), done(), 0, 1) for at in range(1_000)]
    statements: list[str] = []
    connection.set_trace_callback(statements.append)
    RowWriter(connection).write(group_of(*facts))
    connection.set_trace_callback(None)
    assert len(statements) < 40
    assert count(connection, "tasks") == count(connection, "deltas") == 1_000


def test_deltas_of_a_busy_task_are_folded_and_mean_the_same(connection: sqlite3.Connection) -> None:
    rows = RowWriter(connection)
    most = 0
    for at in range(10 * DELTAS_PER_FOLD):
        rows.write(group_of(moved(TASK, done(1 + at % 2), at, at + 1)))
        most = max(most, count(connection, "deltas"))
    assert most <= DELTAS_PER_FOLD
    elements = stored_elements(connection)
    assert elements.known() == RangeSet.span(0, 10 * DELTAS_PER_FOLD)
    assert elements.at(0) == done(1)
    assert elements.at(1) == done(2)


def test_votes_of_a_busy_task_are_folded_and_mean_the_same(connection: sqlite3.Connection) -> None:
    writer = RowWriter(connection)
    votes = [
        Vote(0, Ballot(number, NodeId("ash"), 1), RangeSet.span(number, number + 2))
        for number in range(VOTES_PER_FOLD + 3)
    ]
    for vote in votes:
        writer.write(group_of(VoteKept(TASK, vote)))
    stored = [decode(row[0], Vote) for row in connection.execute("SELECT vote FROM votes WHERE task = ?", (TASK,))]
    assert folded(stored) == folded(votes)
    assert count(connection, "votes") <= VOTES_PER_FOLD + 3
    again = [Vote(0, Ballot(99, NodeId("ash"), 1), RangeSet.span(0, 1000))] * VOTES_PER_FOLD
    for vote in again:
        writer.write(group_of(VoteKept(TASK, vote)))
    assert count(connection, "votes") <= 4


def test_deltas_of_a_task_that_come_together_are_one_row(connection: sqlite3.Connection) -> None:
    facts = [moved(TASK, done(), at, at + 1) for at in range(500)]
    RowWriter(connection).write(group_of(*facts))
    assert count(connection, "deltas") == 1
    assert stored_elements(connection) == Elements({done(): RangeSet.span(0, 500)})


def test_the_newest_lines_of_a_story_are_kept(open_journal: OpenJournal) -> None:
    total = STORY_LINES_MAX + 3 * LINES_PER_CUT
    for at in range(total, 0, -1):
        open_journal.append(told(TASK, at), told(TASK, at))
    open_journal.write(told(TaskId("5-kedova/other"), 1))
    story = open_journal.journal.story(TASK)
    assert [line.at for line in story] == [stamp(at) for at in range(total - STORY_LINES_MAX + 1, total + 1)]


def test_lines_of_dropped_results_are_not_crowded_out_of_a_story_and_are_bounded_too(
    connection: sqlite3.Connection,
) -> None:
    rows = RowWriter(connection)
    rows.write(group_of(told(TASK, 1, DROPPED)))
    for at in range(2, STORY_LINES_MAX + 3 * LINES_PER_CUT):
        rows.write(group_of(told(TASK, at)))
    assert connection.execute("SELECT wall_ms FROM story WHERE drawer = 'result dropped'").fetchall() == [
        (stamp(1).wall_ms,)
    ]
    for at in range(3 * STORY_LINES_MAX):
        rows.write(group_of(told(TASK, at, MadeOfDropped(NODE, attempt(1), TASK))))
    assert count(connection, "story") <= 1 + 2 * STORY_LINES_MAX + LINES_PER_CUT


def test_whatever_happens_is_read_as_it_was_written(open_journal: OpenJournal) -> None:
    open_journal.write(*(told(TASK, at, what) for at, what in enumerate(HAPPENINGS)))
    assert [line.what for line in open_journal.journal.story(TASK)] == HAPPENINGS
    reported = [what for what in HAPPENINGS if drawer_of(what)]
    assert [line.what for line in open_journal.journal.happened(RUN)] == reported


def test_an_answer_and_a_death_outlive_thousands_of_leases(open_journal: OpenJournal) -> None:
    early = [told(TASK, 1, AnsweredBy("anna")), told(TASK, 2, NodeLost(NodeId("elm"), HowLost.SILENT))]
    open_journal.write(*early)
    for start in range(3, 3003, 100):
        open_journal.append(*(told(TASK, at, LeasedBy(NODE, 1, attempt(at))) for at in range(start, start + 100)))
    open_journal.write()
    story = open_journal.journal.story(TASK)
    assert story[:2] == early
    assert [line.at.wall_ms for line in story[2:]] == list(range(3003 - STORY_LINES_MAX, 3003))
    assert open_journal.journal.happened(RUN) == early


def test_an_answer_outlives_thousands_of_deaths_of_its_task_and_of_others(open_journal: OpenJournal) -> None:
    early, death = told(TASK, 1, AnsweredBy("anna")), NodeLost(NodeId("elm"), HowLost.SILENT)
    open_journal.write(early)
    for start in range(2, 2002, 100):
        deaths = [told(task, at, death) for at in range(start, start + 100) for task in (TASK, OTHER)]
        open_journal.append(*deaths)
    open_journal.write(*(told(TaskId(f"{RUN}/t{at}"), 3000 + at, death) for at in range(HAPPENED_MAX)))
    assert open_journal.journal.story(TASK)[0] == early
    found = open_journal.journal.happened(RUN)
    assert found[0] == early
    assert [line.at.wall_ms for line in found[1:]] == list(range(3000, 3000 + HAPPENED_MAX))


def test_a_story_takes_bounded_room(connection: sqlite3.Connection) -> None:
    rows = RowWriter(connection)
    for at in range(3 * STORY_LINES_MAX):
        rows.write(group_of(told(TASK, at)))
        assert count(connection, "story") <= STORY_LINES_MAX + LINES_PER_CUT


def test_a_timeline_takes_bounded_room_and_keeps_its_sums(connection: sqlite3.Connection) -> None:
    rows, total = RowWriter(connection), 3 * SPANS_KEPT_MAX
    for at in range(1, total + 1):
        rows.write(group_of(worked(TASK, float(at), lane=at % 3)))
        assert count(connection, "spans") < 2 * SPANS_KEPT_MAX
    spans = [decode(row[0], Span) for row in connection.execute("SELECT span FROM spans")]
    assert sum(span.elements for span in spans) == total
    assert sum(span.busy_s for span in spans) == pytest.approx(0.5 * total)


def test_the_same_piece_of_a_timeline_is_kept_once(open_journal: OpenJournal) -> None:
    open_journal.write(worked(TASK, 2.0), worked(TASK, 2.0), worked(TASK, 3.0), worked(TaskId("6-bababa/a"), 2.0))
    assert [span.end for span in open_journal.journal.spans(RUN)] == [2.0, 3.0]


def test_lines_of_the_same_moment_stay_in_the_order_they_were_told(open_journal: OpenJournal) -> None:
    happened = [SubmittedBy("ada", "ash"), LeasedBy(NODE, 1, attempt(1)), FailedOn(NODE, "no"), GivenBackBy(NODE), DONE]
    open_journal.write(*(told(TASK, 1, what) for what in happened))
    assert [line.what for line in open_journal.journal.story(TASK)] == happened


def test_what_happened_last_to_a_task_decides_whether_it_is_archived(connection: sqlite3.Connection) -> None:
    rows = RowWriter(connection)
    group = group_of(task_added(), moved(TASK, done(), 0, 1))
    group.archive([TASK])
    rows.write(group)
    assert connection.execute("SELECT ended FROM tasks").fetchone() == (1,)
    group = Group()
    group.archive([TASK])
    group.add([moved(TASK, done(2), 0, 1)])
    rows.write(group)
    assert connection.execute("SELECT ended FROM tasks").fetchone() == (0,)


def test_a_task_that_moved_in_a_transaction_that_was_undone_is_revived_by_the_next(
    connection: sqlite3.Connection,
) -> None:
    rows = RowWriter(connection)
    group = group_of(task_added())
    group.archive([TASK])
    rows.write(group)
    connection.execute("BEGIN")
    rows.write(group_of(moved(TASK, done(), 0, 1)))
    connection.execute("ROLLBACK")
    rows.forget()
    rows.write(group_of(moved(TASK, done(), 0, 1)))
    assert connection.execute("SELECT ended FROM tasks").fetchone() == (0,)


def test_the_later_end_of_a_run_replaces_the_earlier(open_journal: OpenJournal) -> None:
    for at, state in ((5, "done"), (3, "failed"), (5, "done")):
        open_journal.write(finished(at=at, state=state))
    assert open_journal.journal.finished(finished(at=5).run) == finished(at=5)


def test_the_last_stamp_never_falls(open_journal: OpenJournal) -> None:
    open_journal.write(told(TASK, 9))
    open_journal.write(told(TASK, 4))
    assert open_journal.journal.restore().last_stamp == stamp(9)


def test_two_runs_with_one_id_are_an_error(connection: sqlite3.Connection) -> None:
    rows = RowWriter(connection)
    rows.write(group_of(RunMerged(run_record(at=1))))
    with pytest.raises(InvariantViolated, match="two different runs share the id"):
        rows.write(group_of(RunMerged(run_record(at=2))))


def keys(*entries: Entry, start: int = 0, token: int = 1, task: TaskId = TASK) -> KeysNoted:
    return KeysNoted(task, attempt(token), NODE, pack(start, [encode_entry(entry) for entry in entries]))


def test_the_newest_result_of_an_element_is_found_by_its_key(open_journal: OpenJournal) -> None:
    key, newer = b"k" * 16, TaskId("6-lamiso/resize")
    open_journal.write(keys(Entry(key), Entry(key)))
    open_journal.write(keys(Entry(key), task=newer))
    found = {(kept.task, kept.element) for kept in open_journal.journal.keyed([key])}
    assert found == {(newer, 0), (TASK, 1)}
    assert set(open_journal.journal.entries(TASK, RangeSet.parse("0-9"))) == {0, 1}


def test_what_was_taken_over_and_what_must_not_be_found_has_no_key(open_journal: OpenJournal) -> None:
    open_journal.write(keys(Entry(task="1-a/b", index=3), Entry(why="changed")))
    assert open_journal.journal.keyed([b""]) == []
    assert open_journal.journal.entries(TASK, RangeSet.parse("0"))[0].entry.index == 3


def test_keys_of_an_earlier_attempt_do_not_replace_later_ones(open_journal: OpenJournal) -> None:
    early, late = b"e" * 16, b"l" * 16
    open_journal.write(keys(Entry(late), token=2))
    open_journal.write(keys(Entry(early), token=1))
    assert [kept.token for kept in open_journal.journal.keyed([early, late])] == [attempt(2)]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (attempt(255), attempt(256)),
        (attempt(ATTEMPT_MAX), Token(life=1, round=1)),
        (Token(life=1, round=ROUND_MAX), attempt(1, life=2)),
        (Token(life=BOOT_MAX), Token(edition=1)),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_of_two_failures_that_of_the_later_attempt_stays(
    open_journal: OpenJournal, earlier: Token, later: Token, turned: bool
) -> None:
    noted = [FailureNoted(TASK, 0, earlier, Failure("x")), FailureNoted(TASK, 0, later, Failure("a"))]
    for fact in reversed(noted) if turned else noted:
        open_journal.write(fact)
    assert list(open_journal.journal.noted_failures(TASK, RangeSet.span(0, 1))) == [(0, later, Failure("a"))]


def test_many_keys_are_looked_for_at_once(open_journal: OpenJournal) -> None:
    many = [index.to_bytes(16, "big") for index in range(1000)]
    open_journal.write(keys(*map(Entry, many)))
    assert len(open_journal.journal.keyed(many)) == 1000


def test_what_a_run_went_through_is_not_crowded_out_and_found_by_its_run(open_journal: OpenJournal) -> None:
    lost = told(TASK, 1, NodeLost(NodeId("elm"), HowLost.SILENT))
    answered = told(TASK, 2, AnsweredBy("anna"))
    open_journal.write(lost, answered)
    for at in range(3, STORY_LINES_MAX + 3 * LINES_PER_CUT):
        open_journal.append(told(TASK, at))
    open_journal.write(msgspec.structs.replace(lost, task=TaskId("5-kedov/other")))
    assert open_journal.journal.happened(run_of(TASK)) == [lost, answered]
