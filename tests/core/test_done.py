"""What is written of elements that were answered for well."""

from roost.core.done import facts_of, how_done
from roost.core.events import ElementsDone
from roost.core.facts import KeysNoted, ResultsStored
from roost.model.ids import LeaseId, NodeId, TaskId, Token
from roost.model.segments import pack

ASH, TASK, TOKEN = NodeId("ash"), TaskId("1-a/b"), Token(3)
RESULT, KEY = pack(0, [b"r"]), pack(0, [b"k"])


def test_results_are_written_with_their_keys() -> None:
    event = ElementsDone(LeaseId(1), (RESULT,), 0.0, keys=(KEY,))
    assert facts_of(event, TASK, TOKEN, ASH) == [
        ResultsStored(TASK, TOKEN, ASH, RESULT),
        KeysNoted(TASK, TOKEN, ASH, KEY),
    ]


def test_the_story_says_from_where_a_result_was_taken() -> None:
    assert how_done(ElementsDone(LeaseId(1), (RESULT,), 0.0), ASH) == "done on ash"
    taken = ElementsDone(LeaseId(1), (RESULT,), 0.0, reused_from="1-a/b element 0")
    assert how_done(taken, ASH) == "reused from 1-a/b element 0, by ash"
