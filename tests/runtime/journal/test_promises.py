"""Which tickets are plain enough to be promised."""

import pytest

from roost.core.facts import (
    BlobStored,
    Fact,
    FailureNoted,
    ItemsStored,
    ResultsStored,
    RunFinished,
    RunMerged,
    StatesMerged,
    StoryTold,
    TaskAdded,
    Worked,
)
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.happenings import SubmittedBy
from roost.model.ids import BlobHash, CauseId, NodeId, task_id
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord
from roost.model.segments import pack
from roost.model.spans import span_of
from roost.model.states import Done
from roost.model.task import Edge, EdgeKind, Failure, Function, RunKind, RunSpec
from roost.runtime.journal.promises import Promises
from tests.runtime.driving import NODE, RUN, TASK, spec
from tests.tokens import attempt

AT = Stamp(1, 0, NODE)
CALL = Function(BlobHash("code"), "3.11")
SCATTERED = RangeSet.from_bounds(range(400))
ONE = RangeSet.span(0, 1)
SUBMITTED = SubmittedBy("ada", "here")


def run(*names: str) -> RunMerged:
    final = tuple(task_id(RUN, name) for name in names)
    return RunMerged(RunRecord(RunSpec(RUN, "x", RunKind.SESSION, "ada", "here", AT, final=final)))


def done(ranges: RangeSet) -> StatesMerged:
    return StatesMerged(TASK, Elements({Done(attempt(1), NODE): ranges}))


A_CALL: tuple[Fact, ...] = (
    run(),
    TaskAdded(spec(work=CALL)),
    ItemsStored(TASK, pack(0, [b"arguments"])),
    StoryTold(TASK, AT, ONE, SUBMITTED, CauseId("submit-1")),
)
A_RESULT: tuple[Fact, ...] = (
    done(ONE),
    ResultsStored(TASK, attempt(1), NODE, pack(0, [b"value"])),
    FailureNoted(TASK, 1, attempt(1), Failure("no")),
    RunFinished(RUN, AT, "done", {"done": 1}, 1),
    Worked(span_of(TASK, NODE, 0, ONE, 0.5, 0.0, 1.0)),
)


def test_a_call_and_its_result_are_plain() -> None:
    assert Promises().take([(1, A_CALL), (2, A_RESULT)])


@pytest.mark.parametrize(
    "fact",
    [
        BlobStored(BlobHash("code"), b"c"),
        TaskAdded(spec()),
        TaskAdded(spec(work=CALL, edges=tuple(Edge(TASK, EdgeKind.AFTER, "") for _ in range(100)))),
        run(*(f"step-{at}" for at in range(100))),
        done(SCATTERED),
        StoryTold(TASK, AT, SCATTERED, SUBMITTED, CauseId("submit-1")),
        ItemsStored(TASK, pack(0, [b"x" * 100_000])),
        ResultsStored(TASK, attempt(1), NodeId("elm"), pack(0, [b""] * 2_000)),
        FailureNoted(TASK, 1, attempt(1), Failure("no", detail="x" * 100_000)),
        FailureNoted(TASK, 1, attempt(1), Failure("no", raised=bytes(60_000))),
    ],
    ids=lambda fact: type(fact).__name__,
)
def test_what_may_be_large_or_is_read_from_disk_is_not(fact: Fact) -> None:
    promises = Promises()
    assert not promises.take([(1, A_CALL), (2, (fact,))])
    assert not promises.tickets, "all or none"


@pytest.mark.parametrize(
    ("facts", "fit"), [(A_CALL, 8), ((ItemsStored(TASK, pack(0, [b"x" * 20_000])),), 3)], ids=["facts", "bytes"]
)
def test_what_was_taken_before_counts(facts: tuple[Fact, ...], fit: int) -> None:
    promises = Promises()
    taken = [promises.take([(ticket, facts)]) for ticket in range(1, fit + 2)]
    assert taken == [*[True] * fit, False]
    assert [ticket for ticket, _ in promises.tickets] == list(range(1, fit + 1))
