from roost.core.facts import BlobStored, ItemsStored, ResultsStored
from roost.model.ids import BlobHash, NodeId, TaskId
from roost.model.segments import pack
from roost.model.task import Edge, EdgeKind, Function
from roost.runtime.data.arriving import Arriving
from tests.runtime.driving import TASK, spec
from tests.tokens import attempt

SOURCE, OTHER = TaskId("1-bababa/source"), TaskId("1-bababa/other")
CODE = BlobHash("code")
DATA = pack(0, [b"x"])


def test_a_task_waits_for_the_last_ticket_that_brings_something_of_its_inputs() -> None:
    arriving = Arriving(NodeId("ash"))
    work = spec(work=Function(CODE, "3.11"), edges=(Edge(SOURCE, EdgeKind.EACH, "x"),))
    assert arriving.needed_for(work) == 0
    arriving.note(3, [ItemsStored(TASK, DATA)])
    assert arriving.needed_for(work) == 3
    arriving.note(5, [ResultsStored(SOURCE, attempt(1), NodeId("elm"), DATA), BlobStored(CODE, b"def")])
    assert arriving.needed_for(work) == 5
    arriving.settled(4)
    assert arriving.needed_for(work) == 5
    arriving.settled(5)
    assert arriving.needed_for(work) == 0


def test_what_concerns_others_holds_nothing_up() -> None:
    arriving = Arriving(NodeId("ash"))
    arriving.note(3, [ItemsStored(OTHER, DATA), ResultsStored(TASK, attempt(1), NodeId("elm"), DATA)])
    assert arriving.needed_for(spec()) == 0, "its own results are no input of it"
    after = spec(edges=(Edge(OTHER, EdgeKind.AFTER, ""),))
    arriving.note(4, [ResultsStored(OTHER, attempt(1), NodeId("elm"), DATA)])
    assert arriving.needed_for(after) == 0, "only the order counts, not the data"


def test_results_of_others_are_on_their_way_until_they_are_written() -> None:
    arriving = Arriving(NodeId("ash"))
    arriving.note(3, [ResultsStored(TASK, attempt(1), NodeId("ash"), DATA)])
    assert not arriving.results(TASK), "what this node made is told when it is written"
    arriving.note(4, [ResultsStored(TASK, attempt(1), NodeId("elm"), DATA)])
    arriving.note(6, [ResultsStored(TASK, attempt(1), NodeId("elm"), pack(7, [b"y"]))])
    assert str(arriving.results(TASK)) == "0,7"
    assert not arriving.results(OTHER)
    arriving.settled(4)
    assert str(arriving.results(TASK)) == "7"
    arriving.settled(6)
    assert not arriving.results(TASK)
