"""What sets a run to work again is in its record, and in those of all that it builds on."""

from roost.core.touching import sources_of, touched
from roost.model.ids import RunId
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, task

THIRD = RunId("3-gagaga")


def built_on_each_other() -> Bench:
    bench = Bench(task("a"), cpus=0)
    bench.submit(task("b", 1, edge("a"), run=OTHER_RUN), task("free", run=OTHER_RUN))
    bench.submit(task("c", 1, edge("free", run=OTHER_RUN), run=THIRD))
    return bench


def test_a_run_names_those_that_build_on_it() -> None:
    bench = built_on_each_other()
    runs = bench.node.queue.replica.runs
    assert [runs[run].record.needed_by for run in (RUN, OTHER_RUN, THIRD)] == [(OTHER_RUN,), (THIRD,), ()]
    assert list(sources_of(bench.node.queue.replica, THIRD)) == [OTHER_RUN]


def test_whoever_builds_on_a_run_touches_what_that_builds_on_too() -> None:
    bench = built_on_each_other()
    runs = bench.node.queue.replica.runs
    assert runs[RUN].record.touched == runs[OTHER_RUN].record.touched != ()
    assert runs[THIRD].record.touched == ()


def test_a_session_touches_what_it_builds_on_once() -> None:
    bench = Bench(task("a"), cpus=0)
    bench.submit(task("b", 1, edge("a"), run=OTHER_RUN), stays_open=True)
    before = bench.node.queue.replica.runs[RUN].record
    bench.submit(task("c", 1, edge("a"), run=OTHER_RUN), stays_open=True)
    assert bench.node.queue.replica.runs[RUN].record == before


def test_retries_and_work_that_is_sent_back_are_noted_on_disk() -> None:
    bench = Bench(task("a", 2), cpus=2)
    bench.fail("a", 0)
    bench.done("a", "1")
    bench.recall()
    bench.retry(a="0")
    after_retry = bench.disk.runs[RUN].touched
    assert len(after_retry) == 1
    bench.finish_all()
    bench.recall()
    bench.send_back(a="1")
    assert bench.disk.runs[RUN].touched > after_retry


def test_it_takes_one_moment_for_all_of_them() -> None:
    bench = built_on_each_other()
    records = touched(bench.node.queue.replica, [THIRD], bench.node.stamp_at(bench.node.now), RunId("4-kakaka"))
    assert [record.spec.id for record in records] == [THIRD, OTHER_RUN, RUN]
    assert len({record.touched for record in records}) == 1
    assert [record.needed_by for record in records] == [("4-kakaka",), (), ()]
