"""The trace: one hash over everything, and the last lines for a story."""

from roost.core.actions import Archive, Send
from roost.core.events import Persisted, Started
from roost.model.ids import NodeId, TaskId
from roost.sim.trace import LINES_KEPT, Trace, Uncounted
from roost.wire.messages import DoYouKnow


def traced(*tickets: int) -> Trace:
    trace = Trace()
    for ticket in tickets:
        trace.event(1.0, Persisted(ticket), "n1")
    return trace


def test_equal_histories_have_equal_hashes_and_others_do_not() -> None:
    assert traced(1, 2).hash == traced(1, 2).hash
    assert traced(1, 2).hash != traced(2, 1).hash
    assert traced(1).hash != traced(1, 1).hash


def test_the_story_has_events_with_their_time_actions_and_remarks() -> None:
    trace = Trace()
    trace.event(12.5, Started(), "n1")
    trace.action(Archive(("a",)))
    trace.remark("power is cut")
    assert trace.story().splitlines() == [
        "12.500000 n1 event Started()",
        "  action Archive(tasks=('a',))",
        "  -- power is cut",
    ]
    assert trace.steps == 3


def test_a_line_names_the_node_where_there_are_several() -> None:
    trace = Trace(lines_kept=1)
    trace.event(1.0, Started(), "n1")
    trace.event(2.0, Started(), "n2")
    assert trace.story() == "2.000000 n2 event Started()"


def test_the_story_keeps_the_last_lines_and_cuts_long_ones() -> None:
    trace = traced(*range(LINES_KEPT + 10))
    trace.remark("x" * 10_000)
    lines = trace.story().splitlines()
    assert len(lines) == LINES_KEPT
    assert lines[-1].endswith("…")
    assert len(lines[-1]) < 400


def test_what_came_in_bytes_is_hashed_by_them() -> None:
    one, same, other = Trace(), Trace(), Trace()
    one.event(1.0, Started(), "n1", b"abc")
    same.event(1.0, Persisted(1), "n1", b"abc")
    other.event(1.0, Started(), "n1", b"abd")
    assert len({one.hash, same.hash, other.hash}) == 3


def test_a_word_to_others_counts_with_all_that_it_says_and_to_whom() -> None:
    said = [
        Send(NodeId("n2"), DoYouKnow(TaskId("1-a/t"))),
        Send(NodeId("n2"), DoYouKnow(TaskId("1-b/t"))),
        Send(NodeId("n3"), DoYouKnow(TaskId("1-a/t"))),
        Send(NodeId("n2"), DoYouKnow(TaskId("1-a/t")), promises=False),
    ]
    hashes = set()
    for send in said:
        trace = Trace()
        trace.action(send)
        hashes.add(trace.hash)
    assert len(hashes) == len(said)


def test_a_world_that_is_measured_counts_its_steps_and_keeps_nothing() -> None:
    trace, none = Uncounted(), Trace()
    trace.event(1.0, Started(), "n1")
    trace.action(Archive(("a",)))
    assert (trace.steps, trace.story(), trace.hash) == (2, "", none.hash)
