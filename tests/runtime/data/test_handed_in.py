"""What was handed in is found by what names it, and what elements made is not among it."""

from typing import Any

import msgspec
import pytest

from roost.core.facts import BlobStored, Fact, ItemsStored, ResultsStored, TaskAdded
from roost.model.errors import NotFound
from roost.model.ids import BlobHash, NodeId, TaskId, task_id
from roost.model.segments import pack
from roost.model.task import Manual, Value, Work
from roost.runtime.data.handed_in import HandedIn, handed_in, value_handed_in
from roost.runtime.journal.journal import Journal
from roost.wire.stored import Stored, reference_to
from roost.wire.values import CommandResult, encode_command_result, encode_item
from tests.runtime.journalling import NODE, RUN, OpenJournal, run_added, task_spec
from tests.tokens import attempt

ONE, TWO = Stored("ab" * 16, 12), Stored("cd" * 16, 34)
PICTURE = encode_item({"picture": {"file": "pear.jpg", "content": "ef" * 16, "bytes": 5}})
ELM = NodeId("elm")


def found(journal: Journal, name: str) -> list[HandedIn]:
    return [given for step in handed_in(journal, name) for given in step]


def added(name: str, work: Work | None = None, **more: Any) -> tuple[TaskId, TaskAdded]:
    spec = task_spec(task_id(RUN, name), 3)
    spec = msgspec.structs.replace(spec, work=spec.work if work is None else work, **more)
    return spec.id, TaskAdded(spec)


def answered(task: TaskId, *answers: bytes) -> Fact:
    return ResultsStored(task, attempt(1), ELM, pack(0, list(answers)))


def test_large_arguments_are_found_each_once_in_a_segment(open_journal: OpenJournal) -> None:
    task, fact = added("call", has_items=True)
    values = [reference_to(ONE), b"small " + reference_to(TWO), reference_to(ONE)]
    open_journal.write(run_added(), fact, ItemsStored(task, pack(0, values)))
    journal = open_journal.journal
    assert journal.naming() == [RUN]
    assert found(journal, RUN) == [value_handed_in(ONE, NODE), value_handed_in(TWO, NODE)]


def test_arguments_that_runs_share_are_found_by_their_blob(open_journal: OpenJournal) -> None:
    blob = BlobHash("12" * 16)
    open_journal.write(BlobStored(blob, b"arguments " + reference_to(ONE)))
    (name,) = open_journal.journal.naming()
    assert open_journal.journal.naming_content(ONE.content) == [name]
    assert found(open_journal.journal, name) == [value_handed_in(ONE)]


def test_files_of_answers_and_of_values_are_found_where_they_were_given(open_journal: OpenJournal) -> None:
    manual, ask = added("ask", Manual("Look at it"))
    value, give = added("give", Value("text"))
    stored = reference_to(TWO)
    open_journal.write(run_added(), ask, give, answered(manual, PICTURE, b"{}"), answered(value, stored))
    assert found(open_journal.journal, RUN) == [HandedIn("ef" * 16, 5, RUN, ELM), value_handed_in(TWO, ELM)]


def test_what_elements_made_is_not_handed_in(open_journal: OpenJournal) -> None:
    command, run = added("run")
    function, call = added("call", has_items=True)
    left = encode_command_result(CommandResult(0, files={"out": ("99" * 16, 7)}))
    taken = ItemsStored(function, pack(0, [b"small"]))
    open_journal.write(run_added(), run, call, taken, answered(command, left), answered(function, reference_to(ONE)))
    assert open_journal.journal.naming() == [RUN]
    assert found(open_journal.journal, RUN) == []


def test_what_is_forgotten_meanwhile_is_not_found(open_journal: OpenJournal) -> None:
    assert found(open_journal.journal, RUN) == []
    with pytest.raises(NotFound):
        found(open_journal.journal, f"blob {'12' * 16}")
