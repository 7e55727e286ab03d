"""Which elements have their inputs, which never will, and what that costs."""

import msgspec
import pytest

from roost.core.queue.dataflow import Dataflow
from roost.core.queue.replica import Replica
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import task_id
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.states import Cancelled, Done, Failed, Retried
from roost.model.task import TaskSpec
from roost.model.token import NO_TOKEN
from tests.core.harness import ASH, RUN, edge, inside, mapping, ranges, run_spec, task
from tests.tokens import attempt

B = POOL_BLOCK


class Graph:
    def __init__(self, *tasks: TaskSpec) -> None:
        self.replica = Replica()
        self.replica.add_run(RunRecord(run_spec()))
        self.flow = Dataflow(self.replica)
        for spec in tasks:
            self.flow.add(self.replica.add_task(TaskRecord(spec)))

    def move(self, name: str, state, elements: str) -> list[str]:
        """Merge a state; return the names of the tasks for which that changed something."""
        name = task_id(RUN, name)
        self.replica.tasks[name].merge(Elements({state: ranges(elements)}))
        changed = [target.partition("/")[2] for target in self.flow.source_moved(name)]
        self.flow.check()
        return changed

    def done(self, name: str, elements: str) -> list[str]:
        return self.move(name, Done(attempt(1), ASH), elements)

    def fail(self, name: str, elements: str) -> list[str]:
        return self.move(name, Failed(0, attempt(1), ASH, 1), elements)

    def retry(self, name: str, elements: str) -> list[str]:
        return self.move(name, Retried(1, attempt(1)), elements)

    def of(self, name: str) -> dict[str, str]:
        name = task_id(RUN, name)
        sets = {"ready": self.flow.ready(name), "waiting": self.flow.waiting(name), "aborted": self.flow.aborted(name)}
        return {word: str(members) for word, members in sets.items() if members}


def test_a_task_without_edges_is_ready() -> None:
    assert Graph(task("a", 3)).of("a") == {"ready": "0-2"}


def test_an_each_edge_waits_for_the_element_of_the_same_index() -> None:
    graph = Graph(task("a", 4), task("b", 4, edge("a", "each")))
    assert graph.of("b") == {"waiting": "0-3"}
    assert graph.done("a", "1,3") == ["b"]
    assert graph.of("b") == {"ready": "1,3", "waiting": "0,2"}


@pytest.mark.parametrize("kind", ["all", "after"])
def test_a_whole_edge_waits_for_all_of_its_source(kind: str) -> None:
    graph = Graph(task("a", 3), task("b", 2, edge("a", kind)))
    assert graph.done("a", "0-1") == []
    assert graph.of("b") == {"waiting": "0-1"}
    assert graph.done("a", "2") == ["b"]
    assert graph.of("b") == {"ready": "0-1"}


def test_a_broadcast_edge_waits_for_the_one_element_of_its_source() -> None:
    graph = Graph(task("a"), task("b", 3, edge("a", "broadcast")))
    assert graph.of("b") == {"waiting": "0-2"}
    graph.done("a", "0")
    assert graph.of("b") == {"ready": "0-2"}


def test_an_element_is_ready_when_every_edge_is_satisfied() -> None:
    graph = Graph(task("a", 2), task("b", 2), task("c", 2, edge("a", "each"), edge("b", "all")))
    graph.done("a", "0")
    assert graph.of("c") == {"waiting": "0-1"}
    graph.done("b", "0-1")
    assert graph.of("c") == {"ready": "0", "waiting": "1"}


def test_what_is_added_later_finds_its_sources_as_they_are() -> None:
    graph = Graph(task("a", 2))
    graph.done("a", "0")
    graph.flow.add(graph.replica.add_task(TaskRecord(task("b", 2, edge("a", "each")))))
    assert graph.of("b") == {"ready": "0", "waiting": "1"}


def test_a_lost_element_dooms_its_own_successor_over_each() -> None:
    graph = Graph(task("a", 3), task("b", 3, edge("a", "each")))
    assert graph.fail("a", "1") == ["b"]
    assert graph.of("b") == {"aborted": "1", "waiting": "0,2"}


@pytest.mark.parametrize("kind", ["all", "after"])
def test_a_lost_element_dooms_everything_over_a_whole_edge(kind: str) -> None:
    graph = Graph(task("a", 3), task("b", 2, edge("a", kind)))
    graph.move("a", Cancelled(attempt(1)), "1")
    assert graph.of("b") == {"aborted": "0-1"}


def test_doom_goes_all_the_way_down() -> None:
    chain = [task(f"t{at}", 2, *([edge(f"t{at - 1}", "each")] if at else [])) for at in range(5)]
    graph = Graph(*chain, task("end", 1, edge("t4", "all")))
    assert graph.fail("t0", "0") == ["t1", "t2", "t3", "t4", "end"]
    assert graph.of("t4") == {"aborted": "0", "waiting": "1"}
    assert graph.of("end") == {"aborted": "0"}


def test_a_retry_lifts_the_doom_all_the_way_down() -> None:
    graph = Graph(task("a", 2), task("b", 2, edge("a", "each")), task("c", 1, edge("b", "all")))
    graph.fail("a", "0")
    assert graph.retry("a", "0") == ["b", "c"]
    assert (graph.of("b"), graph.of("c")) == ({"waiting": "0-1"}, {"waiting": "0"})


@pytest.mark.parametrize("kind", ["each", "all", "after"])
def test_what_is_done_can_be_taken_though_something_that_it_was_made_of_is_lost_now(kind: str) -> None:
    """One side of a partition makes b of a; the other sends a back, and it fails there."""
    graph = Graph(task("a", 2), task("b", 2, edge("a", "each")), task("c", 2, edge("b", kind)))
    graph.done("a", "0-1")
    graph.done("b", "0-1")
    graph.move("a", Failed(0, attempt(2), ASH, 1, edition=1), "0-1")
    assert graph.of("c") == {"ready": "0-1"}
    assert graph.flow.has_ended(task_id(RUN, "b"))
    assert not graph.flow.has_ended(task_id(RUN, "c"))


def test_doom_stays_while_one_of_two_reasons_is_left() -> None:
    graph = Graph(task("a"), task("b"), task("c", 1, edge("a", "all"), edge("b", "all")))
    graph.fail("a", "0")
    graph.fail("b", "0")
    graph.retry("a", "0")
    assert graph.of("c") == {"aborted": "0"}
    graph.retry("b", "0")
    assert graph.of("c") == {"waiting": "0"}


def test_a_task_has_ended_when_nothing_of_it_can_run_any_more() -> None:
    graph = Graph(task("a", 2), task("b", 2, edge("a", "each")))
    assert not graph.flow.has_ended(task_id(RUN, "b"))
    graph.fail("a", "0-1")
    assert graph.flow.has_ended(task_id(RUN, "b"))


def test_what_was_aborted_behind_a_task_is_found_through_others() -> None:
    graph = Graph(task("a"), task("b", 1, edge("a")), task("c", 1, edge("b")), task("d"))
    graph.fail("a", "0")
    assert graph.flow.aborted_behind([task_id(RUN, "a")]) == [task_id(RUN, "b"), task_id(RUN, "c")]
    assert graph.flow.aborted_behind([task_id(RUN, "d")]) == []


def test_a_task_that_is_dropped_is_no_longer_followed() -> None:
    graph = Graph(task("a"), task("b", 1, edge("a")))
    graph.done("a", "0")
    graph.flow.drop(task_id(RUN, "b"))
    graph.replica.drop_task(task_id(RUN, "b"))
    assert graph.flow.targets(task_id(RUN, "a")) == []
    graph.flow.check()


def test_of_pools_that_are_dropped_source_first_nothing_is_followed_any_more() -> None:
    """A mapper of which an element was cancelled may still get its result; its pool and what follows have left."""
    mapper = mapping("list", 2)
    pool = inside("pool", mapper, edge("list", "spread"))
    graph = Graph(mapper, pool, task("end", 1, edge("pool", "all")))
    graph.move("list", Cancelled(attempt(1)), "0-1")
    for name in ("pool", "end"):
        graph.flow.drop(task_id(RUN, name))
        del graph.replica.tasks[task_id(RUN, name)]
    assert graph.done("list", "0") == []


def test_a_fan_in_of_ten_thousand_costs_ten_thousand_steps_and_not_their_square(monkeypatch) -> None:
    count = 10_000
    graph = Graph(*(task(f"s{at}") for at in range(count)))
    sink = task("sink", 1, *(edge(f"s{at}", "all") for at in range(count)))
    graph.flow.add(graph.replica.add_task(TaskRecord(sink)))
    steps = []
    for name in ("_note_whole", "_recompute"):
        real = getattr(Dataflow, name)
        monkeypatch.setattr(Dataflow, name, lambda self, *args, real=real: (steps.append(1), real(self, *args))[1])
    done = Elements({Done(attempt(1), ASH): RangeSet.of([0])})
    for at in range(count):
        source = task_id(RUN, f"s{at}")
        graph.replica.tasks[source].merge(done)
        graph.flow.source_moved(source)
    assert graph.of("sink") == {"ready": "0"}
    assert len(steps) == 2 * count


def test_the_check_notices_what_does_not_follow_from_the_replica() -> None:
    graph = Graph(task("a", 2), task("b", 2, edge("a", "each")), task("c", 1, edge("a", "all")))
    graph.flow._flows[task_id(RUN, "b")].available = ranges("0")
    with pytest.raises(InvariantViolated, match="available and doomed"):
        graph.flow.check()
    graph = Graph(task("a", 2), task("c", 1, edge("a", "all")))
    graph.flow._flows[task_id(RUN, "c")].whole_missing = frozenset()
    with pytest.raises(InvariantViolated, match="edges say"):
        graph.flow.check()


# Pools.


def pool(count: int = 1) -> Graph:
    """m maps lists into the pool p, which q follows step by step; r gathers for each list, and s takes all."""
    m = mapping("m", count)
    p = inside("p", m)
    q = inside("q", m, edge("p"))
    return Graph(m, p, q, task("r", count, edge("q", "gather")), task("s", 1, edge("q", "all")))


def lists(graph: Graph, name: str, **lengths: int) -> None:
    """Elements of a mapper are done, with lists of these lengths."""
    for key, length in lengths.items():
        index = key.removeprefix("_")
        graph.replica.tasks[task_id(RUN, name)].merge(Elements({Done(attempt(1), ASH, length): ranges(index)}))
        for fed, news in list(graph.flow.lengths(task_id(RUN, name))):
            graph.replica.tasks[fed].merge(news)
            graph.flow.source_moved(fed)
    graph.flow.source_moved(task_id(RUN, name))
    graph.flow.check()


def test_nothing_of_a_pool_exists_before_its_list_is_there() -> None:
    graph = pool()
    assert (graph.of("p"), graph.of("r"), graph.of("s")) == ({}, {"waiting": "0"}, {"waiting": "0"})
    assert not graph.flow.has_ended(task_id(RUN, "p"))
    assert not graph.flow.is_whole(task_id(RUN, "p"))


def test_a_pool_has_as_many_elements_as_the_list_has_items() -> None:
    graph = pool()
    lists(graph, "m", _0=3)
    assert graph.of("p") == {"ready": "0-2"}
    assert graph.of("q") == {"waiting": "0-2"}
    graph.done("p", "1")
    assert graph.of("q") == {"ready": "1", "waiting": "0,2"}


def test_a_pool_may_have_the_length_of_a_list_of_which_it_takes_no_single_item() -> None:
    m = mapping("m")
    p = msgspec.structs.replace(inside("p", m), edges=(edge("m", "all"),))
    graph = Graph(m, p)
    lists(graph, "m", _0=3)
    assert graph.of("p") == {"ready": "0-2"}


def test_an_empty_list_is_an_empty_pool_which_is_gathered_at_once() -> None:
    graph = pool()
    lists(graph, "m", _0=0)
    assert graph.of("p") == {}
    assert graph.flow.has_ended(task_id(RUN, "p"))
    assert (graph.of("r"), graph.of("s")) == ({"ready": "0"}, {"ready": "0"})


def test_what_gathers_waits_for_all_of_its_list_and_for_no_other() -> None:
    graph = pool(2)
    lists(graph, "m", _0=2, _1=1)
    graph.done("p", f"0-1,{B}")
    graph.done("q", "0")
    assert graph.of("r") == {"waiting": "0-1"}
    graph.done("q", str(B))
    assert (graph.of("r"), graph.of("s")) == ({"ready": "1", "waiting": "0"}, {"waiting": "0"})
    graph.done("q", "1")
    assert (graph.of("r"), graph.of("s")) == ({"ready": "0-1"}, {"ready": "0"})


def test_all_of_a_pool_is_not_there_while_a_list_is_missing() -> None:
    graph = pool(2)
    lists(graph, "m", _0=0)
    assert (graph.of("r"), graph.of("s")) == ({"ready": "0", "waiting": "1"}, {"waiting": "0"})


def test_a_lost_element_dooms_just_what_gathers_it_and_a_retry_lifts_that() -> None:
    graph = pool(2)
    lists(graph, "m", _0=2, _1=1)
    graph.fail("p", "1")
    assert graph.of("q") == {"aborted": "1", "waiting": f"0,{B}"}
    assert graph.of("r") == {"aborted": "0", "waiting": "1"}
    assert graph.of("s") == {"aborted": "0"}
    graph.retry("p", "1")
    assert (graph.of("r"), graph.of("s")) == ({"waiting": "0-1"}, {"waiting": "0"})


def test_a_mapper_that_is_lost_dooms_what_would_have_come_of_it() -> None:
    graph = pool(2)
    graph.fail("m", "1")
    lists(graph, "m", _0=1)
    assert graph.of("p") == {"ready": "0"}
    assert (graph.of("r"), graph.of("s")) == ({"aborted": "1", "waiting": "0"}, {"aborted": "0"})


def test_what_does_not_exist_dooms_nothing_though_it_was_cancelled() -> None:
    graph = pool()
    graph.move("p", Cancelled(NO_TOKEN), f"5-{B - 1}")
    lists(graph, "m", _0=2)
    graph.done("p", "0-1")
    graph.done("q", "0-1")
    assert (graph.of("r"), graph.of("s")) == ({"ready": "0"}, {"ready": "0"})


def nested() -> Graph:
    """m maps into p, whose lists are mapped into n; g gathers n for each of p, h for each of m, r all of g."""
    m = mapping("m", 2)
    p = inside("p", m, is_mapped=True)
    n = inside("n", p, edge("m"))
    g = inside("g", m, edge("n", "gather"))
    return Graph(m, p, n, g, task("h", 2, edge("n", "gather")), task("r", 2, edge("g", "gather")))


def test_pools_inside_pools_are_gathered_level_by_level() -> None:
    graph = nested()
    lists(graph, "m", _0=2, _1=0)
    lists(graph, "p", _0=1, _1=2)
    first, second = 0, B
    assert graph.of("n") == {"ready": f"{first},{second}-{second + 1}"}
    assert (graph.of("h"), graph.of("g")) == ({"ready": "1", "waiting": "0"}, {"waiting": "0-1"})
    graph.done("n", f"{second}-{second + 1}")
    assert (graph.of("g"), graph.of("h")) == ({"ready": "1", "waiting": "0"}, {"ready": "1", "waiting": "0"})
    graph.done("n", str(first))
    assert (graph.of("g"), graph.of("h")) == ({"ready": "0-1"}, {"ready": "0-1"})
    graph.done("g", "0-1")
    assert graph.of("r") == {"ready": "0-1"}


def test_what_is_lost_deep_inside_dooms_its_own_way_out_only() -> None:
    graph = nested()
    lists(graph, "m", _0=2, _1=1)
    lists(graph, "p", _0=1, _1=1, **{f"_{B}": 1})
    graph.fail("n", str(B))
    assert graph.of("g") == {"aborted": "1", "waiting": f"0,{B}"}
    assert (graph.of("h"), graph.of("r")) == ({"aborted": "0", "waiting": "1"}, {"aborted": "0", "waiting": "1"})


def test_a_list_of_a_later_edition_is_the_only_one_that_counts() -> None:
    graph = pool()
    lists(graph, "m", _0=3)
    block = f"0-{B - 1}"
    graph.move("p", Retried(0, attempt(1), 1), block)
    graph.replica.tasks[task_id(RUN, "m")].merge(Elements({Done(attempt(9), ASH, 1, 1): ranges("0")}))
    ((name, news), *_) = [found for found in graph.flow.lengths(task_id(RUN, "m")) if found[0] == task_id(RUN, "p")]
    assert (name, news.known()) == (task_id(RUN, "p"), ranges(f"1-{B - 1}"))


def test_what_takes_all_of_a_list_and_of_its_pool_waits_for_both_when_the_list_is_made_again() -> None:
    m = mapping("m")
    graph = Graph(m, inside("p", m), task("s", 1, edge("m", "all"), edge("p", "all")))
    lists(graph, "m", _0=1)
    graph.done("p", "0")
    assert graph.of("s") == {"ready": "0"}
    graph.move("m", Retried(0, attempt(1), 1), "0")
    assert graph.of("s") == {"waiting": "0"}


def test_it_notices_lengths_that_a_pool_was_not_told() -> None:
    graph = pool()
    graph.replica.tasks[task_id(RUN, "m")].merge(Elements({Done(attempt(1), ASH, 2): ranges("0")}))
    graph.flow.source_moved(task_id(RUN, "m"))
    with pytest.raises(InvariantViolated, match="does not know of"):
        graph.flow.check()
