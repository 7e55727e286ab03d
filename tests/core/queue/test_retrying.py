"""What failed or was cancelled is tried again, and what is done stays done."""

from roost.core.actions import Accepted
from roost.core.queue.retrying import retried
from roost.model.ids import task_id
from roost.model.pools import POOL_BLOCK
from roost.model.states import Retried
from tests.core.harness import RUN, Bench, edge, inside, mapping, ranges, task

A = task_id(RUN, "a")


def test_what_failed_begins_another_round_and_what_was_cancelled_another_edition() -> None:
    bench = Bench(task("a", 4), cpus=2)
    bench.fail("a", 0)
    bench.cancel(a="3")
    states = {
        str(part): state
        for state, part in retried(bench.node.queue.replica, bench.node.queue.dataflow, {A: ranges("0-3")})[A].items()
    }
    assert {part: (type(state), state.edition) for part, state in states.items()} == {
        "0": (Retried, 0),
        "3": (Retried, 1),
    }
    assert retried(bench.node.queue.replica, bench.node.queue.dataflow, {A: ranges("1-2")}) == {}


def test_what_was_cancelled_runs_again_with_what_was_aborted_behind_it() -> None:
    bench = Bench(task("a", 2), task("b", 2, edge("a")), task("c", 1, edge("b", "all")), cpus=9)
    bench.done("a", "0")
    bench.cancel(a="0-1", b="0-1")
    bench.give_back("a", "1")
    bench.give_back("b", "0")
    assert bench.disk.ends[RUN].state == "cancelled"
    bench.recall()
    bench.seen()
    assert bench.retry(a="0-1", b="0-1") == Accepted(elements=3)
    assert sorted(bench.starts()) == ["a[1]", "b[0]"]
    bench.finish_all()
    assert bench.disk.ends[RUN].counts == {"done": 5}


def test_only_what_is_named_of_what_was_cancelled_runs_again() -> None:
    bench = Bench(task("a", 3), cpus=0)
    bench.cancel(a="0-2")
    bench.recall()
    assert bench.retry(a="1") == Accepted(elements=1)
    assert bench.states("a") == {"ready": "1", "cancelled": "0,2"}


def test_it_can_be_cancelled_once_more_and_run_again_once_more() -> None:
    bench = Bench(task("a"), cpus=0)
    for _ in range(3):
        bench.cancel(a="0")
        bench.recall()
        assert bench.states("a") == {"cancelled": "0"}
        assert bench.retry(a="0") == Accepted(elements=1)
        assert bench.states("a") == {"ready": "0"}


def test_a_cancelled_mapper_opens_its_pool_again_with_whatever_length_it_gives_then() -> None:
    m = mapping("m")
    whole = f"0-{POOL_BLOCK - 1}"
    bench = Bench(m, inside("p", m), task("r", 1, edge("p", "all")), cpus=9)
    bench.cancel(m="0", p=whole, r="0")
    bench.give_back("m", "0")
    bench.recall()
    bench.retry(m="0", p=whole, r="0")
    bench.map("m", _0=3)
    bench.seen()
    assert bench.states("p") == {"running": "0-2"}
    bench.finish_all()
    bench.recall()
    assert bench.view().counts == {"done": 5}


def test_of_a_pool_that_was_cancelled_runs_again_what_exists() -> None:
    m = mapping("m")
    whole = f"0-{POOL_BLOCK - 1}"
    bench = Bench(m, inside("p", m), cpus=9)
    bench.cancel(p=whole)
    assert bench.retry(p=whole) == Accepted(), "nobody knows yet what exists of it"
    bench.map("m", _0=2)
    bench.recall()
    assert bench.retry(p=whole) == Accepted(elements=2)
    bench.finish_all()
    bench.recall()
    assert (bench.states("p"), bench.view().state) == ({"done": "0-1"}, "done")


def test_a_result_of_the_attempt_that_was_cancelled_does_not_count() -> None:
    bench = Bench(task("a"), cpus=1)
    bench.cancel(a="0")
    bench.retry(a="0")
    bench.done("a")
    assert bench.states("a") == {"running": "0"}, "what was cancelled has ended only now; it is made again"
    bench.finish_all()
    assert bench.disk.ends[RUN].state == "done"


def test_a_retry_with_nothing_to_retry_is_accepted_for_nothing() -> None:
    bench = Bench(task("a"))
    assert bench.retry(a="0") == Accepted(elements=0)


def test_a_retry_of_one_element_lifts_the_doom_of_what_gathers_it() -> None:
    m = mapping("m")
    bench = Bench(m, inside("p", m), task("r", 1, edge("p", "gather")), cpus=9.0)
    bench.map("m", _0=3)
    bench.seen()
    bench.fail("p", 1)
    bench.done("p", "0,2")
    bench.recall()
    assert (bench.states("r"), bench.view().state) == ({"aborted": "0"}, "failed")
    bench.retry(p="1")
    assert bench.starts() == ["p[1]"]
    bench.finish_all()
    bench.recall()
    assert bench.view().counts == {"done": 5}
