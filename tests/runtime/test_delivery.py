"""What a real journal holds of what another node asks for."""

from roost.core.facts import BlobStored, ItemsStored, ResultsStored
from roost.model.ids import BlobHash, NodeId, TaskId, Token
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.states import Leased
from roost.runtime.delivery import answer
from roost.wire.messages import Fetch, Records
from tests.runtime.journalling import NODE, TASK, OpenJournal, done, moved, results, run_added, task_added, values

OAK = NodeId("oak")
CODE, GONE = BlobHash("c0de"), BlobHash("9023")
UNKNOWN = TaskId("9-dedede/x")


def ranges(text: str) -> RangeSet:
    return RangeSet.parse(text)


def content(segments: list[Segment]) -> dict[int, bytes]:
    """Return the value of each element, however they are packed."""
    found = {}
    for segment in segments:
        for index, value in enumerate(segment.values(), segment.start):
            assert index not in found, f"element {index} is there twice"
            found[index] = value
    return found


def items_in(records: Records) -> dict[int, bytes]:
    return content([segment for _, segment in records.items])


def results_in(records: Records) -> dict[int, bytes]:
    return content([segment for _, _, _, segment in records.results])


def test_the_answer_names_the_question_even_if_nothing_is_here(open_journal: OpenJournal) -> None:
    asked = Fetch(7, ((UNKNOWN, ranges("0-3")),), ((UNKNOWN, ranges("0")),), (GONE,))
    assert answer(asked, open_journal.journal) == Records(answers=7)


def test_the_items_that_are_here_are_sent_and_no_others(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(), ItemsStored(TASK, pack(2, values(2, 6))))
    sent = answer(Fetch(1, items=((TASK, ranges("0-3,5,9")),)), open_journal.journal)
    assert items_in(sent) == {2: b"value 2", 3: b"value 3", 5: b"value 5"}
    assert {task for task, _ in sent.items} == {TASK}
    assert (sent.results, sent.blobs, sent.states) == ((), (), ())


def test_functions_are_sent_whole(open_journal: OpenJournal) -> None:
    open_journal.write(BlobStored(CODE, b"a function"))
    sent = answer(Fetch(1, blobs=(GONE, CODE)), open_journal.journal)
    assert sent.blobs == ((CODE, b"a function"),)


def test_accepted_results_are_sent_with_who_made_them_and_under_which_token(open_journal: OpenJournal) -> None:
    theirs = ResultsStored(TASK, Token(4), OAK, pack(3, values(3, 5, "theirs")))
    open_journal.write(run_added(), task_added(), results(TASK, 0, 3), theirs)
    open_journal.write(moved(TASK, done(), 0, 3), moved(TASK, done(4, OAK), 3, 5))
    sent = answer(Fetch(1, results=((TASK, ranges("1-4")),)), open_journal.journal)
    assert results_in(sent) == {1: b"value 1", 2: b"value 2", 3: b"theirs 3", 4: b"theirs 4"}
    assert {(token, maker) for _, token, maker, _ in sent.results} == {(Token(1), "ash"), (Token(4), OAK)}


def test_results_that_were_not_accepted_are_not_sent(open_journal: OpenJournal) -> None:
    """0 was accepted from another node, 1 under another token, 2 not at all, and 3 is finished but not accepted yet."""
    open_journal.write(run_added(), task_added(), results(TASK, 0, 4))
    open_journal.write(moved(TASK, done(1, OAK), 0, 1), moved(TASK, done(2), 1, 2))
    open_journal.write(moved(TASK, Leased(0, Token(1), NODE, 0), 3, 4))
    assert answer(Fetch(1, results=((TASK, ranges("0-3")),)), open_journal.journal) == Records(answers=1)


def test_of_accepted_results_only_those_that_are_here_are_sent(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(), results(TASK, 4, 6), moved(TASK, done(), 0, 10))
    sent = answer(Fetch(1, results=((TASK, ranges("0-9")),)), open_journal.journal)
    assert results_in(sent) == {4: b"value 4", 5: b"value 5"}


def test_what_is_archived_is_still_delivered(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(), results(TASK, 0, 2), moved(TASK, done(), 0, 10))
    open_journal.journal.archive([TASK])
    sent = answer(Fetch(1, results=((TASK, ranges("0-1")),)), open_journal.journal)
    assert results_in(sent) == {0: b"value 0", 1: b"value 1"}
