"""What a real journal holds of what another node asks for."""

from roost.core.facts import BlobStored, ItemsStored, ResultsStored
from roost.core.queue.replica import TaskEntry
from roost.model.elements import Elements
from roost.model.ids import BlobHash, NodeId, TaskId
from roost.model.limits import ANSWER_BYTES_MAX
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.states import Done, Leased
from roost.runtime.data.delivery import Room, accepted_results, answer
from roost.wire.messages import Delivery, Fetch, Purpose
from tests.runtime.journalling import NODE, TASK, OpenJournal, done, moved, results, run_added, task_added, values
from tests.tokens import attempt

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


def items_in(records: Delivery) -> dict[int, bytes]:
    return content([segment for _, segment in records.items])


def results_in(records: Delivery) -> dict[int, bytes]:
    return content([segment for _, _, _, segment in records.results])


def test_the_answer_names_the_question_even_if_nothing_is_here(open_journal: OpenJournal) -> None:
    asked = Fetch(Purpose.INPUTS, 7, ((UNKNOWN, ranges("0-3")),), ((UNKNOWN, ranges("0")),), (GONE,))
    assert answer(asked, open_journal.journal, {}) == Delivery(Purpose.INPUTS, 7)


def test_the_items_that_are_here_are_sent_and_no_others(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(), ItemsStored(TASK, pack(2, values(2, 6))))
    sent = answer(Fetch(Purpose.INPUTS, 1, items=((TASK, ranges("0-3,5,9")),)), open_journal.journal, {})
    assert items_in(sent) == {2: b"value 2", 3: b"value 3", 5: b"value 5"}
    assert {task for task, _ in sent.items} == {TASK}
    assert (sent.results, sent.blobs) == ((), ())


def test_functions_are_sent_whole(open_journal: OpenJournal) -> None:
    open_journal.write(BlobStored(CODE, b"a function"))
    sent = answer(Fetch(Purpose.INPUTS, 1, blobs=(GONE, CODE)), open_journal.journal, {})
    assert sent.blobs == ((CODE, b"a function"),)


def test_accepted_results_are_sent_with_who_made_them_and_under_which_token(open_journal: OpenJournal) -> None:
    theirs = ResultsStored(TASK, attempt(4), OAK, pack(3, values(3, 5, "theirs")))
    open_journal.write(run_added(), task_added(), results(TASK, 0, 3), theirs)
    open_journal.write(moved(TASK, done(), 0, 3), moved(TASK, done(4, OAK), 3, 5))
    sent = answer(Fetch(Purpose.INPUTS, 1, results=((TASK, ranges("1-4")),)), open_journal.journal, {})
    assert results_in(sent) == {1: b"value 1", 2: b"value 2", 3: b"theirs 3", 4: b"theirs 4"}
    assert {(token, maker) for _, token, maker, _ in sent.results} == {(attempt(1), "ash"), (attempt(4), OAK)}


def test_results_of_one_attempt_are_sent_whether_or_not_they_were_accepted(open_journal: OpenJournal) -> None:
    theirs = ResultsStored(TASK, attempt(4), OAK, pack(1, values(1, 5, "theirs")))
    open_journal.write(run_added(), task_added(), results(TASK, 0, 3), theirs)
    wanted = (
        (TASK, attempt(4), OAK, ranges("0-3")),
        (TASK, attempt(5), OAK, ranges("0")),
        (UNKNOWN, attempt(4), OAK, ranges("0")),
    )
    sent = answer(Fetch(Purpose.VOTE, made=wanted), open_journal.journal, {})
    assert results_in(sent) == {1: b"theirs 1", 2: b"theirs 2", 3: b"theirs 3"}
    assert {(token, maker) for _, token, maker, _ in sent.results} == {(attempt(4), OAK)}


def test_results_that_were_not_accepted_are_not_sent(open_journal: OpenJournal) -> None:
    """0 was accepted from another node, 1 under another token, 2 not at all, and 3 is finished but not accepted yet."""
    open_journal.write(run_added(), task_added(), results(TASK, 0, 4))
    open_journal.write(moved(TASK, done(1, OAK), 0, 1), moved(TASK, done(2), 1, 2))
    open_journal.write(moved(TASK, Leased(0, attempt(1), NODE, 0), 3, 4))
    assert answer(Fetch(Purpose.INPUTS, 1, results=((TASK, ranges("0-3")),)), open_journal.journal, {}) == Delivery(
        Purpose.INPUTS, 1
    )


def test_a_result_that_counts_in_memory_is_sent_before_that_is_written(open_journal: OpenJournal) -> None:
    asked = Fetch(Purpose.INPUTS, 1, results=((TASK, ranges("7")),))
    open_journal.write(run_added(), task_added(), ResultsStored(TASK, attempt(3), OAK, pack(7, [b"seven"])))
    assert answer(asked, open_journal.journal, {}).results == ()
    entry = TaskEntry.fresh(open_journal.journal.task_record(TASK).spec)
    entry.merge(Elements({Done(attempt(3), OAK): ranges("7")}))
    assert results_in(answer(asked, open_journal.journal, {TASK: entry})) == {7: b"seven"}


def test_of_accepted_results_only_those_that_are_here_are_sent(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(), results(TASK, 4, 6), moved(TASK, done(), 0, 10))
    sent = answer(Fetch(Purpose.INPUTS, 1, results=((TASK, ranges("0-9")),)), open_journal.journal, {})
    assert results_in(sent) == {4: b"value 4", 5: b"value 5"}


def test_what_is_archived_is_still_delivered(open_journal: OpenJournal) -> None:
    open_journal.write(run_added(), task_added(), results(TASK, 0, 2), moved(TASK, done(), 0, 10))
    open_journal.journal.archive([TASK])
    sent = answer(Fetch(Purpose.INPUTS, 1, results=((TASK, ranges("0-1")),)), open_journal.journal, {})
    assert results_in(sent) == {0: b"value 0", 1: b"value 1"}


# As much as one answer holds.


def test_an_answer_is_bounded_and_whoever_asks_on_gets_everything(open_journal: OpenJournal) -> None:
    big = [bytes([index]) * 300_000 for index in range(10)]
    open_journal.write(run_added(), task_added(), ItemsStored(TASK, pack(0, big)))
    open_journal.write(ResultsStored(TASK, attempt(1), NODE, pack(0, big)), moved(TASK, done(), 0, 10))
    left_items, left_results, answers = ranges("0-9"), ranges("0-9"), 0
    found_items: dict[int, bytes] = {}
    found_results: dict[int, bytes] = {}
    more = True
    while more:
        sent = answer(
            Fetch(Purpose.INPUTS, 1, ((TASK, left_items),), ((TASK, left_results),)), open_journal.journal, {}
        )
        assert sum(map(len, [*items_in(sent).values(), *results_in(sent).values()])) <= ANSWER_BYTES_MAX
        found_items |= items_in(sent)
        found_results |= results_in(sent)
        left_items -= RangeSet.of(items_in(sent))
        left_results -= RangeSet.of(results_in(sent))
        answers, more = answers + 1, sent.more
    assert found_items == found_results == dict(enumerate(big))
    assert answers == 7


def test_a_value_larger_than_an_answer_travels_alone(open_journal: OpenJournal) -> None:
    huge = bytes(2 * ANSWER_BYTES_MAX)
    open_journal.write(run_added(), task_added(), ItemsStored(TASK, pack(0, [b"small", huge, b"small"])))
    sizes = []
    left = ranges("0-2")
    while left:
        sent = answer(Fetch(Purpose.INPUTS, 1, ((TASK, left),)), open_journal.journal, {})
        sizes.append([len(value) for value in items_in(sent).values()])
        left -= RangeSet.of(items_in(sent))
    assert sizes == [[5], [len(huge)], [5]]


def test_functions_that_do_not_fit_wait_for_the_next_answer(open_journal: OpenJournal) -> None:
    content = bytes(ANSWER_BYTES_MAX - 100)
    names = [BlobHash(f"{number:032x}") for number in range(2)]
    open_journal.write(*(BlobStored(name, content) for name in names))
    first = answer(Fetch(Purpose.INPUTS, 1, blobs=tuple(names)), open_journal.journal, {})
    assert ([name for name, _ in first.blobs], first.more) == ([names[0]], True)
    second = answer(Fetch(Purpose.INPUTS, 1, blobs=(names[1],)), open_journal.journal, {})
    assert ([name for name, _ in second.blobs], second.more) == ([names[1]], False)


def test_results_come_from_the_first_element_on_whoever_made_them(open_journal: OpenJournal) -> None:
    mine, theirs = (ResultsStored(TASK, attempt(1), node, pack(0, values(0, 8))) for node in (NODE, OAK))
    open_journal.write(run_added(), task_added(), mine, theirs)
    for index in range(8):
        open_journal.write(moved(TASK, done(1, OAK if index % 2 else NODE), index, index + 1))
    found = list(accepted_results(open_journal.journal, TASK, ranges("1-6"), Room(300)))
    assert [(segment.start, node) for _, _, node, segment in found] == [(1, OAK), (2, NODE), (3, OAK), (4, NODE)]
