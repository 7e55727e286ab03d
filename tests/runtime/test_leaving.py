"""Leaving the cluster: what is left in a home, with a real journal."""

from pathlib import Path

import pytest

from roost.core.facts import Fact
from roost.model.ids import RunId, TaskId
from roost.model.ranges import RangeSet
from roost.runtime.home import Home
from roost.runtime.journal.archive import archived_run_view, archived_task_view
from roost.runtime.leaving import leave_cluster
from roost.runtime.naming import settled_name
from roost.runtime.trust.key_file import KeyStore
from tests.runtime.journalling import (
    RUN,
    TASK,
    OpenJournal,
    done,
    finished,
    moved,
    results,
    run_added,
    task_added,
    values,
)

OTHER_RUN, OTHER_TASK = RunId("6-bababa"), TaskId("6-bababa/work")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    KeyStore(made).ensure("attic")
    settled_name(made, "ash")
    return made


def write(home: Home, *facts: Fact) -> None:
    with OpenJournal(home.journal) as known:
        known.write(*facts)


def test_the_keys_and_the_name_go(home: Home) -> None:
    assert leave_cluster(home) == []
    assert KeyStore(home).load() is None
    assert settled_name(home, "oak") == "oak"


def test_what_had_not_ended_is_over_here_and_what_is_done_of_it_can_be_read(home: Home) -> None:
    write(home, run_added(), task_added(), results(TASK, 0, 4), moved(TASK, done(), 0, 4))
    assert leave_cluster(home) == [RUN]
    with OpenJournal(home.journal) as known:
        restored = known.journal.restore()
        assert (restored.tasks, restored.runs) == ((), ())
        view = archived_run_view(known.journal, RUN)
        assert (view.state, view.counts, view.task_count) == ("cancelled", {"done": 4, "aborted": 6}, 1)
        elements = known.journal.task_record(TASK).elements
        (segment,) = known.journal.results(TASK, elements, RangeSet.span(0, 4))
        assert list(segment.values()) == values(0, 4)
        assert [line.cause for line in known.journal.story(TASK)] == ["leave"]
        assert str(archived_task_view(known.journal, TASK).ranges["aborted"]) == "4-9"


def test_its_digest_is_that_of_what_is_known_so_that_a_return_merges(home: Home) -> None:
    write(home, run_added(), task_added(), moved(TASK, done(), 0, 4))
    with OpenJournal(home.journal) as known:
        records = known.journal.task_records(RUN)
    leave_cluster(home)
    with OpenJournal(home.journal) as known:
        assert known.journal.task_records(RUN) == records
        ((run, _, of_tasks),) = known.journal.restore().digests
        ended = known.journal.finished(RUN)
        assert ended is not None
        assert (run, of_tasks) == (RUN, ended.digest)


def test_runs_that_had_ended_stay_as_they_were(home: Home) -> None:
    write(home, run_added(OTHER_RUN), task_added(OTHER_TASK), moved(OTHER_TASK, done(), 0, 10))
    with OpenJournal(home.journal) as known:
        known.write(finished(OTHER_RUN, at=9000))
        known.journal.archive([OTHER_TASK])
        before = known.journal.finished(OTHER_RUN)
    assert leave_cluster(home) == []
    with OpenJournal(home.journal) as known:
        assert known.journal.finished(OTHER_RUN) == before
