"""Records that had left memory come back for a request, and what was aborted among them may go on."""

from roost.core.actions import Accepted
from roost.core.events import Recalled
from roost.core.facts import RunFinished
from roost.model.ids import task_id
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, task


def ends(bench: Bench) -> list[RunFinished]:
    return [fact for fact in bench.facts if isinstance(fact, RunFinished)]


def test_a_finished_run_is_recalled_retried_and_finished_again() -> None:
    bench = Bench(task("a", 2), task("b", 2, edge("a")))
    bench.fail("a", 0)
    bench.finish_all()
    assert ends(bench)[-1].counts == {"done": 2, "failed": 1, "aborted": 1}
    bench.recall()
    assert bench.view().counts == {"done": 2, "failed": 1, "aborted": 1}
    bench.seen()
    assert bench.retry(a="0-1") == Accepted(elements=1)
    assert bench.view().finished_at is None
    bench.finish_all()
    assert [end.counts for end in ends(bench)][1:] == [{"done": 4}]
    assert bench.node.queue.replica.runs == {}


def test_a_recalled_run_stays_until_another_is_recalled() -> None:
    bench = Bench(task("a"))
    bench.submit(task("b", run=OTHER_RUN))
    bench.finish_all()
    bench.recall()
    assert list(bench.node.queue.replica.runs) == [RUN]
    bench.recall(OTHER_RUN)
    assert list(bench.node.queue.replica.runs) == [OTHER_RUN]


def test_a_run_that_stayed_without_its_tasks_stays_with_them() -> None:
    bench = Bench(task("a"))
    bench.fail("a")
    bench.feed(Recalled((bench.disk.archived_run(RUN),), ()))
    bench.recall()
    assert bench.retry(a="0") == Accepted(elements=1)


def test_what_was_aborted_goes_on_after_a_retry_and_a_power_cut() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), task("c", 1, edge("b")))
    bench.fail("a")
    bench.recall()
    bench.retry(a="0")
    bench.boot()
    assert sorted(bench.node.queue.replica.tasks) == [task_id(RUN, name) for name in "abc"]
    bench.finish_all()
    assert ends(bench)[-1].counts == {"done": 3}


def test_a_recalled_task_whose_input_came_meanwhile_goes_on_and_survives_a_power_cut() -> None:
    bench = Bench(task("a"))
    bench.submit(task("b", 1, edge("a"), run=OTHER_RUN), task("c", 1, edge("b", run=OTHER_RUN), run=OTHER_RUN))
    bench.fail("a")
    bench.recall()
    bench.retry(a="0")
    bench.finish_all()
    assert bench.disk.ends[OTHER_RUN].counts == {"aborted": 2}
    bench.recall(OTHER_RUN)
    assert bench.starts()[-1] == "b[0]"
    bench.boot()
    bench.finish_all()
    assert bench.disk.ends[OTHER_RUN].counts == {"done": 2}


def test_cancelling_what_was_aborted_in_a_finished_run_writes_its_end_again() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")))
    bench.fail("a")
    bench.recall()
    assert bench.cancel(b="0") == Accepted(elements=1)
    assert ends(bench)[-1].counts == {"failed": 1, "cancelled": 1}
    assert bench.node.queue.replica.runs == {}


def test_a_retry_on_its_way_to_the_disk_keeps_its_run_in_memory() -> None:
    bench = Bench(task("a"))
    bench.fail("a")
    bench.recall()
    bench.slow_disk = True
    bench.retry(a="0")
    bench.feed(Recalled((), ()))
    bench.slow_disk = False
    bench.write_all()
    assert bench.states("a") == {"running": "0"}


def test_a_task_whose_source_is_not_there_is_not_taken() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")))
    bench.finish_all()
    record = bench.disk.tasks[task_id(RUN, "b")]
    bench.feed(Recalled((bench.disk.archived_run(RUN),), (record,)))
    assert bench.node.queue.replica.tasks == {}


def test_a_task_whose_run_is_not_there_is_not_taken() -> None:
    """A full disk refused the run's record, and not what came later of it; others will tell of both again."""
    bench = Bench(task("a"))
    bench.finish_all()
    bench.feed(Recalled((), (bench.disk.tasks[task_id(RUN, "a")],)))
    assert bench.node.queue.replica.tasks == {}
