"""The journal as a node uses it: lives, numbers, and what survives a kill or a disk that refuses."""

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from roost.core.facts import LivesHeard
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.runtime.journal.journal import Journal
from tests.runtime.journalling import OpenJournal, run_added, values

ROOT = Path(__file__).parents[3]
ROUNDS = 10

#: Writes tickets until it is killed, and says each one that it was promised.
WRITE_UNTIL_KILLED = """
import sys
from itertools import count
from pathlib import Path
from roost.model.ids import TaskId
from tests.runtime.journalling import OpenJournal, done, moved, results, run_added, task_added, told

class Talking(OpenJournal):
    def on_written(self, ticket):
        super().on_written(ticket)
        print(ticket, flush=True)

first, journal = int(sys.argv[2]), Talking(Path(sys.argv[1]))
for number in count(1):
    task = TaskId(f"5-kedova/t{first + number}")
    ticket = journal.append(
        run_added(), task_added(task, 4, at=first + number), results(task, 0, 4), moved(task, done(), 0, 2),
        moved(task, done(), 2, 4), told(task, 1),
    )
    journal.wait_for(ticket - 20)
"""

#: Meets a disk that takes no more bytes in the middle of a commit, then one with room again.
WRITE_TO_A_LIMITED_FILE = """
import resource
import sys
from pathlib import Path
from roost.core.facts import BlobStored
from roost.model.ids import BlobHash
from tests.runtime.journalling import TASK, OpenJournal, done, moved, run_added, task_added, told

with OpenJournal(Path(sys.argv[1])) as journal:
    journal.write(run_added(), task_added())
    journal.journal.archive([TASK])
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    journal.write(told(TASK, 1), moved(TASK, done(), 0, 5), BlobStored(BlobHash("aa"), b"x" * 300_000))
    assert journal.journal.restore().tasks == ()
    assert journal.journal.story(TASK) == []
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    journal.write(moved(TASK, done(), 0, 5))
    assert len(journal.journal.restore().tasks) == 1
print(journal.answers, journal.reasons)
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def kill_after(process: subprocess.Popen[str], lines: int, delay_s: float) -> int:
    """Kill the process this long after it has said so many lines; return the last number that it said.

    Without the delay every kill would come just after an answer, when nothing is half written.
    """
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        said = [process.stdout.readline() for _ in range(lines)]
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(delay_s)
        process.send_signal(signal.SIGKILL)
        # The last line may be cut off by the kill; what was not said whole was not promised.
        said += [line for line in process.stdout if line.endswith("\n")]
        assert process.stderr.read() == ""
    return int(said[-1])


def check_whole(journal: Journal, task: TaskId) -> None:
    """Insist that all facts of the ticket that made this task are there."""
    record = journal.task_record(task)
    elements = RangeSet.span(0, 4)
    found = [value for segment in journal.results(task, record.elements, elements) for value in segment.values()]
    assert found == values(0, 4)
    assert len(journal.story(task)) == 1


def test_every_acknowledged_ticket_survives_a_kill_and_none_is_there_in_part(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    moments = random.Random(7)
    promised: set[TaskId] = set()
    first = 0
    for round_ in range(ROUNDS):
        process = start(WRITE_UNTIL_KILLED, path, first)
        last = kill_after(process, moments.randint(1, 20), moments.uniform(0, 0.02))
        promised.update(TaskId(f"5-kedova/t{first + number}") for number in range(1, last + 1))
        with OpenJournal(path) as journal:
            assert journal.boot == 2 * round_ + 2
            present = journal.journal.task_ids(RunId("5-kedova"))
            assert promised.issubset(present)
            for task in present[-60:]:
                check_whole(journal.journal, task)
            rows = journal.journal.restore().tasks
            assert len(rows) == len(present)
        first = len(present)


def test_a_write_that_fails_in_the_middle_of_a_commit_leaves_nothing_and_the_next_succeeds(tmp_path: Path) -> None:
    process = start(WRITE_TO_A_LIMITED_FILE, tmp_path / "journal.db")
    said, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint) == (0, "")
    assert said.startswith("[('written', 1), ('failed', (2,)), ('written', 3)] ['the journal cannot be written: ")


def test_every_life_has_its_number(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    for boot in (1, 2, 3):
        with OpenJournal(path) as journal:
            assert journal.boot == boot
            assert journal.journal.restore().boot == boot


def test_a_life_has_a_larger_number_than_any_that_was_noted(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with OpenJournal(path) as journal:
        journal.write(LivesHeard(8))
        journal.write(LivesHeard(5))
    with OpenJournal(path) as journal:
        assert journal.boot == 9


def test_a_node_keeps_the_name_that_it_had_first(tmp_path: Path) -> None:
    for proposed in ("ash", "oak"):
        journal = Journal.open(tmp_path / "journal.db")
        assert journal.identity(NodeId(proposed)) == "ash"
        journal.close()


def test_no_run_number_is_given_twice(open_journal: OpenJournal) -> None:
    journal = open_journal.journal
    assert [journal.next_run_number() for _ in range(3)] == [1, 2, 3]
    open_journal.write(run_added(RunId("40-bababa")), run_added(RunId("9-bababa")))
    assert journal.next_run_number() == 41
    with open_journal.reopen() as again:
        assert again.journal.next_run_number() == 41


def test_appending_returns_before_the_disk_has_answered(open_journal: OpenJournal) -> None:
    for _ in range(100):
        open_journal.append(run_added())
    assert open_journal.writer.backlog <= 100
    open_journal.wait_for(100)
    assert open_journal.writer.backlog == 0


def test_a_journal_that_was_never_started_can_be_closed(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "journal.db")
    with pytest.raises(AssertionError, match="start the journal first"):
        journal.append(1, ())
    journal.close()


def test_a_node_can_get_another_name_or_none(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path / "journal.db")
    assert journal.identity(NodeId("ash")) == "ash"
    journal.rename(NodeId("elm"))
    assert journal.identity(NodeId("oak")) == "elm"
    journal.rename(None)
    assert journal.identity(NodeId("oak")) == "oak"
    journal.close()
