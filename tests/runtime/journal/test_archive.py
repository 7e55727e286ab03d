import pytest

from roost.core.facts import FailureNoted
from roost.model.errors import NotFound
from roost.model.ids import RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Failure
from roost.runtime.journal.archive import archived_run_view, archived_task_view, explain_archived
from tests.runtime.journalling import (
    RUN,
    TASK,
    OpenJournal,
    cancelled,
    done,
    failed,
    finished,
    moved,
    run_added,
    task_added,
)
from tests.tokens import attempt


@pytest.fixture
def ended(open_journal: OpenJournal) -> OpenJournal:
    """A run of ten elements: 0-4 done, 5 and 6 failed, 7 cancelled, 8 and 9 never came to it."""
    failures = [FailureNoted(TASK, index, attempt(1), Failure("exit code 3")) for index in (5, 6)]
    open_journal.write(run_added(), task_added(), *failures)
    open_journal.write(
        moved(TASK, done(), 0, 5),
        moved(TASK, failed(), 5, 7),
        moved(TASK, cancelled(), 7, 8),
        finished(at=9000, state="failed"),
    )
    return open_journal


def test_a_run_is_seen_as_it_ended(ended: OpenJournal) -> None:
    view = archived_run_view(ended.journal, RUN)
    assert (view.state, view.counts, view.task_count, view.finished_at) == ("failed", {"failed": 10}, 1, 9.0)
    assert view.record.spec.id == RUN


def test_a_run_that_is_not_there_or_has_not_ended_is_not_found(open_journal: OpenJournal) -> None:
    with pytest.raises(NotFound, match="6-bababa"):
        archived_run_view(open_journal.journal, RunId("6-bababa"))
    open_journal.write(run_added())
    with pytest.raises(NotFound, match=RUN):
        archived_run_view(open_journal.journal, RUN)


def test_what_never_came_to_its_turn_was_aborted(ended: OpenJournal) -> None:
    view = archived_task_view(ended.journal, TASK)
    assert {state: str(ranges) for state, ranges in view.ranges.items()} == {
        "done": "0-4",
        "failed": "5-6",
        "cancelled": "7",
        "aborted": "8-9",
    }
    assert view.spec.id == TASK
    assert view.done_on == {done().node: 5}


def test_states_without_elements_are_left_out(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(), moved(TASK, done(), 0, 10))
    assert archived_task_view(open_journal.journal, TASK).ranges == {"done": RangeSet.span(0, 10)}
    with pytest.raises(NotFound):
        archived_task_view(open_journal.journal, TaskId("5-kedova/other"))


def test_the_end_of_a_task_is_told_in_words_with_its_reasons_once(ended: OpenJournal) -> None:
    assert explain_archived(ended.journal, TASK, None) == [
        "5 of 10 elements: done",
        "2 of 10 elements: failed, and 'roost retry' tries it again; exit code 3",
        "1 of 10 elements: cancelled by a person, and 'roost retry' runs it again",
        "2 of 10 elements: aborted: something that it needs failed or was cancelled",
    ]


def test_one_element_is_told_alone(ended: OpenJournal) -> None:
    assert explain_archived(ended.journal, TASK, 3) == ["element 3: done"]
    assert explain_archived(ended.journal, TASK, 6) == [
        "element 6: failed, and 'roost retry' tries it again; exit code 3"
    ]
