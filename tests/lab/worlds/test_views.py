"""What a policy sees of a simulated world."""

from roost.lab.worlds.views import LOOK_MAX, Element, Running, Waiting
from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, ONE


def test_an_element_is_ready_for_whoever_bids_better_than_all_so_far() -> None:
    one = Element(0, 100.0, 100.0)
    assert one.ready_for(5.0) == ONE
    one.best_bid = 3.0
    assert one.ready_for(2.0) == ONE
    assert one.ready_for(3.0) == EMPTY, "as well and earlier"
    assert one.ready == ONE, "first come, first served beats it"


def test_the_queue_shows_each_node_its_own_lengths_and_what_it_has_passed_over() -> None:
    elements = [Element(at, 100.0, 150.0) for at in range(3)]
    seen = [(one.task, one.length_s, one.overtaken) for one in Waiting(elements, {1: 4}, speed=2.0)]
    assert seen == [("lab/0", 50.0, 0), ("lab/1", 50.0, 4), ("lab/2", 50.0, 0)]
    assert all(one.stated_s == 100.0 for one in elements)


def test_nobody_looks_further_into_a_queue_than_real_nodes_do() -> None:
    queue = Waiting([Element(at, 1.0, 1.0) for at in range(LOOK_MAX + 10)], {}, 1.0)
    assert len(queue) == len(list(queue)) == LOOK_MAX


def test_what_others_run_is_as_long_as_it_would_take_here() -> None:
    assert Running(Element(0, 100.0, 150.0), NodeId("elm"), 10.0, 1, speed=0.5).length_s == 200.0
