"""What failed or was cancelled is run once more."""

from roost.core.actions import Accepted
from tests.core.harness import RUN, Bench, edge, task


def test_a_retry_begins_failed_elements_anew_and_leaves_the_others_alone() -> None:
    bench = Bench(task("a", 3), cpus=3)
    bench.fail("a", 0)
    bench.done("a", "1")
    bench.seen()
    assert bench.retry(a="0-2") == Accepted(elements=1)
    assert bench.seen() == ["tell a[0] ready", "accept retry 1", "start a[0]"]


def test_a_retry_gives_all_retries_anew() -> None:
    bench = Bench(task("a", 1, retries=1), task("b"), cpus=2)
    for _ in range(2):
        bench.fail("a")
    assert bench.states("a") == {"failed": "0"}
    bench.retry(a="0")
    bench.fail("a")
    assert bench.states("a") == {"running": "0"}


def test_a_retry_lets_what_was_aborted_go_on() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), task("c"), cpus=1)
    bench.fail("a")
    assert bench.states("b") == {"aborted": "0"}
    bench.retry(a="0")
    assert bench.states("b") == {"waiting": "0"}


def test_a_retry_while_the_run_is_finishing_is_not_lost() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.fail("a")
    bench.write()
    assert bench.unwritten == 1, "the end of the run is on its way to the disk"
    bench.retry(a="0")
    bench.slow_disk = False
    bench.write_all()
    assert bench.states("a") == {"running": "0"}
    bench.done("a")
    assert bench.disk.ends[RUN].state == "done"


def test_a_retry_in_a_suspended_run_says_that_it_is_held_back() -> None:
    bench = Bench(task("a"), task("b"), cpus=0)
    bench.suspend()
    bench.cancel(a="0", b="0")
    bench.recall()
    answer = bench.retry(a="0")
    assert isinstance(answer, Accepted)
    assert (answer.elements, answer.warnings) == (
        1,
        (f"run {RUN} is suspended, so nothing of it starts before 'roost resume {RUN}'",),
    )
    bench.cancel(a="0")
    bench.recall()
    assert bench.resume() == Accepted((f"run {RUN} is no longer suspended; nothing of it waits",))
