"""What is cancelled is answered when it is confirmed dead."""

from roost.core.actions import Accepted
from roost.model.pools import POOL_BLOCK
from tests.core.harness import RUN, Bench, edge, inside, mapping, task


def a_pool(length: int | None = None) -> Bench:
    m = mapping("m")
    bench = Bench(m, inside("p", m), task("r", 1, edge("p", "gather")), cpus=9.0)
    if length is not None:
        bench.map("m", _0=length)
    bench.seen()
    return bench


def test_a_cancellation_is_answered_when_what_ran_is_confirmed_dead() -> None:
    bench = Bench(task("a", 3), cpus=2)
    assert bench.cancel(a="0-2") is None
    assert bench.seen() == ["tell a[0-1] cancelled", "tell a[2] cancelled", "stop a[0] kill", "stop a[1] kill"]
    bench.give_back("a", "0")
    assert bench.seen() == []
    bench.give_back("a", "1")
    assert bench.seen() == ["accept cancel 3", "tell run 1-bababa cancelled", "archive a"]


def test_what_does_not_run_is_cancelled_at_once() -> None:
    bench = Bench(task("a", 3), cpus=1)
    assert bench.cancel(a="1-2") == Accepted(elements=2)
    assert bench.states("a") == {"running": "0", "cancelled": "1-2"}


def test_what_is_leased_can_be_spared() -> None:
    bench = Bench(task("a", 4), cpus=2)
    assert bench.cancel(unleased=True, a="1-3") == Accepted(elements=2)
    assert bench.seen() == ["tell a[2-3] cancelled", "accept cancel 2"]
    assert bench.states("a") == {"running": "0-1", "cancelled": "2-3"}


def test_what_is_spared_if_it_is_leased_is_not_leased_while_its_cancellation_is_written() -> None:
    bench = Bench(task("a", 4), cpus=2)
    bench.slow_disk = True
    assert bench.cancel(unleased=True, a="0-3") is None
    bench.done("a", "0")
    assert not [line for line in bench.seen() if line.startswith("start")]
    bench.slow_disk = False
    bench.write_all()
    bench.done("a", "1")
    seen = bench.seen()
    assert "tell a[2-3] cancelled" in seen
    assert not [line for line in seen if line.startswith(("start", "stop"))]
    assert bench.disk.ends[RUN].counts == {"done": 2, "cancelled": 2}


def test_what_was_to_be_withdrawn_goes_on_if_the_disk_refuses_that() -> None:
    bench = Bench(task("a", 3), cpus=2)
    bench.slow_disk = True
    bench.cancel(unleased=True, a="0-2")
    bench.done("a", "0")
    bench.refuse()
    bench.slow_disk = False
    bench.wait(60.0)
    bench.finish_all()
    assert bench.disk.ends[RUN].counts == {"done": 3}


def test_what_is_done_stays_done() -> None:
    bench = Bench(task("a", 3), cpus=1)
    bench.done("a", "0")
    bench.seen()
    bench.cancel(a="0-2")
    bench.give_back("a", "1-2")
    assert "accept cancel 2" in bench.seen()
    assert bench.disk.ends[RUN].counts == {"done": 1, "cancelled": 2}


def test_a_result_that_comes_before_the_kill_beats_the_cancellation() -> None:
    bench = Bench(task("a"), task("b"), cpus=1)
    bench.cancel(a="0")
    bench.done("a", "0")
    assert bench.states("a") == {"done": "0"}
    assert bench.seen()[:4] == ["tell a[0] cancelled", "stop a[0] kill", "accept cancel 1", "start b[0]"]


def test_a_result_that_is_written_before_the_cancellation_leaves_nothing_to_cancel() -> None:
    bench = Bench(task("a"), task("b"), cpus=1)
    bench.slow_disk = True
    bench.done("a", "0")
    bench.cancel(a="0")
    bench.slow_disk = False
    bench.write_all()
    seen = bench.seen()
    assert [line for line in seen if "a[0]" in line] == ["tell a[0] done"]
    assert "accept cancel 0" in seen


def test_cancelling_a_suspended_run_kills_what_is_frozen() -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.suspend()
    bench.seen()
    bench.cancel(a="0-1")
    assert bench.seen() == ["tell a[0] cancelled", "tell a[1] cancelled", "stop a[0] kill"]
    bench.give_back("a", "0")
    assert bench.seen() == ["accept cancel 2", "tell run 1-bababa cancelled", "archive a"]


def test_a_pool_of_unknown_length_is_cancelled_with_all_that_it_might_have() -> None:
    bench = a_pool()
    bench.cancel(p=f"0-{POOL_BLOCK - 1}")
    bench.map("m", _0=3)
    bench.recall()
    assert bench.states("p") == {"cancelled": "0-2"}
    assert bench.states("r") == {"aborted": "0"}
    assert bench.view().counts == {"done": 1, "cancelled": 3, "aborted": 1}


def test_what_of_a_cancelled_pool_does_not_exist_keeps_nothing_from_its_end() -> None:
    bench = a_pool()
    bench.cancel(p="5-9")
    bench.map("m", _0=2)
    bench.finish_all()
    bench.recall()
    assert (bench.states("p"), bench.view().state) == ({"done": "0-1"}, "done")
