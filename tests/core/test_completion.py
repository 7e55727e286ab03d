"""When tasks and runs are over, and when they leave memory."""

import pytest

from roost.core.actions import Accepted
from roost.core.completion import ARCHIVE_GROUP, Completion
from roost.core.events import CapacityChanged
from roost.core.facts import RunFinished
from roost.model.clock import NEVER, Stamp
from roost.model.resources import Capacity
from roost.wire.messages import Facts, Kept
from tests.core.company import RECORDS, REPAIR_S, WINDOW_S, Company, Member
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, task


def ends(bench: Bench) -> list[RunFinished]:
    return [fact for fact in bench.facts if isinstance(fact, RunFinished)]


# Runs.


def test_a_run_is_finished_when_all_its_tasks_have_ended() -> None:
    bench = Bench(task("a", 2), task("b", 1, edge("a", "all")))
    bench.done("a", "0-1")
    assert ends(bench) == []
    bench.done("b")
    assert bench.seen()[-3:] == ["tell b[0] done", "tell run 1-bababa done", "archive a b"]
    [end] = ends(bench)
    assert (end.state, end.counts, end.task_count) == ("done", {"done": 3}, 2)
    assert (bench.node.queue.replica.runs, bench.node.queue.replica.tasks) == ({}, {})


@pytest.mark.parametrize(
    ("what", "state", "counts"),
    [
        ("fail", "failed", {"failed": 1, "aborted": 1}),
        ("cancel", "cancelled", {"cancelled": 1, "aborted": 1}),
        ("done", "done", {"done": 2}),
    ],
)
def test_the_worst_that_happened_is_how_a_run_ended(what: str, state: str, counts: dict[str, int]) -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), cpus=1)
    if what == "fail":
        bench.fail("a")
    elif what == "cancel":
        bench.cancel(a="0")
        bench.give_back("a", "0")
    else:
        bench.finish_all()
    [end] = ends(bench)
    assert (end.state, end.counts) == (state, counts)


def test_an_end_is_told_when_it_is_on_disk() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.done("a")
    bench.write()
    bench.seen()
    assert bench.unwritten == 1
    assert bench.node.queue.replica.runs
    bench.write()
    assert bench.seen() == ["tell run 1-bababa done", "archive a"]


def test_an_end_that_the_disk_refuses_is_written_later() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.done("a")
    bench.write()
    bench.refuse()
    bench.slow_disk = False
    bench.seen()
    bench.wait(1.0)
    assert bench.seen() == ["tell run 1-bababa done", "archive a"]


def test_an_outcome_that_the_disk_owes_keeps_its_run_in_memory() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.done("a")
    bench.refuse()
    bench.slow_disk = False
    bench.cancel(a="0")
    assert ends(bench) == [], "the cancelled element has a result that is not written"
    bench.wait(1.0)
    [end] = ends(bench)
    assert end.counts == {"done": 1}


def test_a_run_stays_in_memory_while_an_executor_owes_an_answer() -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.cancel(a="0-1")
    assert ends(bench) == []
    bench.give_back("a", "0")
    assert len(ends(bench)) == 1


def test_a_run_that_was_finished_when_the_power_was_cut_leaves_at_the_next_start() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.done("a")
    bench.write()
    bench.slow_disk = False
    bench.boot()
    assert bench.seen() == ["tell run 1-bababa done", "archive a"]


def test_an_end_from_before_a_retry_does_not_count_after_a_power_cut() -> None:
    bench = Bench(task("a"))
    bench.fail("a")
    bench.recall()
    bench.retry(a="0")
    bench.slow_disk = True
    bench.done("a")
    bench.write()
    assert bench.disk.ends[RUN].counts == {"failed": 1}
    bench.slow_disk = False
    bench.boot()
    assert bench.disk.ends[RUN].counts == {"done": 1}


# Sessions.


def session(count: int, group: int) -> Bench:
    bench = Bench(cpus=4, archive_group=group)
    bench.submit(*(task(f"t{at}") for at in range(count)), stays_open=True)
    return bench


def test_ended_tasks_of_a_session_leave_memory_in_groups() -> None:
    bench = session(7, group=3)
    bench.finish_all()
    assert [line for line in bench.seen() if line.startswith("archive")] == ["archive t0 t1 t2", "archive t3 t4 t5"]
    view = bench.view()
    assert (view.state, view.counts, view.task_count) == ("open", {"done": 7}, 7)


def test_a_sealed_session_is_finished_with_all_that_it_ever_had() -> None:
    bench = session(7, group=3)
    bench.finish_all()
    bench.seal()
    [end] = ends(bench)
    assert (end.counts, end.task_count) == ({"done": 7}, 7)


def test_a_session_whose_tasks_have_all_left_is_finished_after_a_power_cut() -> None:
    bench = session(3, group=3)
    bench.finish_all()
    bench.slow_disk = True
    bench.seal()
    bench.disk.write(10**9)
    bench.slow_disk = False
    bench.boot()
    [end] = ends(bench)
    assert end.counts == {"done": 3}


def test_a_task_that_feeds_one_that_has_not_ended_stays() -> None:
    bench = session(3, group=3)
    bench.submit(task("sink", 1, edge("t0", "all"), edge("t3", "all")), task("t3"), stays_open=True)
    for name in ("t0", "t1", "t2"):
        bench.done(name)
    assert [line for line in bench.seen() if line.startswith("archive")] == ["archive t1 t2"]
    bench.finish_all()
    assert bench.view().counts == {"done": 5}


def test_a_task_that_a_submission_on_its_way_to_the_disk_names_stays() -> None:
    bench = session(3, group=3)
    bench.done("t0")
    bench.done("t1")
    bench.slow_disk = True
    bench.done("t2")
    bench.submit(task("next", 1, edge("t0", "all")), stays_open=True)
    bench.write()
    assert bench.seen()[-1] == "archive t1 t2"
    bench.slow_disk = False
    bench.write_all()
    assert bench.states("next") == {"running": "0"}


def test_a_task_whose_retry_is_on_its_way_to_the_disk_stays() -> None:
    bench = session(3, group=3)
    bench.fail("t0")
    bench.done("t1")
    bench.slow_disk = True
    bench.done("t2")
    bench.retry(t0="0")
    bench.slow_disk = False
    bench.write_all()
    assert bench.states("t0") == {"running": "0"}


def test_a_source_in_another_run_stays_until_what_it_feeds_has_left() -> None:
    bench = Bench(task("a", 2), task("slow"), cpus=4)
    bench.submit(task("b", 2, edge("a"), edge("c", run=OTHER_RUN), run=OTHER_RUN), task("c", 2, run=OTHER_RUN))
    bench.done("a", "0-1")
    bench.done("slow")
    assert bench.disk.ends[RUN].state == "done"
    assert RUN in bench.node.queue.replica.runs
    bench.done("c", "0", run=OTHER_RUN)
    bench.finish_all()
    assert bench.node.queue.replica.runs == {}


def test_two_runs_that_feed_each_other_leave_together() -> None:
    bench = Bench(archive_group=100)
    bench.submit(task("a"), stays_open=True)
    bench.submit(task("b", 1, edge("a"), run=OTHER_RUN), stays_open=True)
    bench.submit(task("c", 1, edge("b", run=OTHER_RUN)), stays_open=True)
    bench.finish_all()
    bench.seal(RUN)
    assert len(bench.node.queue.replica.runs) == 2
    bench.seal(OTHER_RUN)
    assert bench.node.queue.replica.runs == {}


def test_a_recalled_task_is_not_archived_again_before_the_request_that_wants_it() -> None:
    bench = session(3, group=1)
    bench.finish_all()
    bench.recall()
    assert len(bench.node.queue.replica.tasks) == 3
    assert isinstance(bench.submit(task("next", 1, edge("t0", "all")), stays_open=True), Accepted)
    bench.finish_all()
    assert bench.view().counts == {"done": 4}


def test_a_wide_fan_in_of_a_session_is_not_looked_through_at_every_event(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    real = Completion._free_to_leave

    def counted(self: Completion, run):
        looked_at.append(len(run.archivable))
        return real(self, run)

    monkeypatch.setattr(Completion, "_free_to_leave", counted)
    count = 2000
    bench = Bench(cpus=4, archive_group=ARCHIVE_GROUP)
    monkeypatch.setattr(bench.node, "check", lambda: None)
    sources = [task(f"s{at}") for at in range(count)]
    bench.submit(*sources, task("sink", 1, *(edge(f"s{at}", "all") for at in range(count))), stays_open=True)
    bench.finish_all()
    assert sum(looked_at) < 4 * count


# When it ended.


def told_end(member: Member) -> Stamp:
    assert RUN not in member.node.queue.replica.runs or member.node.queue.replica.runs[RUN].finished_at
    return member.disk.runs[RUN].finished


def ends_told(company: Company) -> set[Stamp]:
    return {told_end(member) for member in company.living()}


def test_a_run_ended_when_the_last_of_it_did_and_not_when_that_was_written() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.done("a")
    bench.write()
    ended = bench.now
    bench.wait(5.0)
    bench.write()
    assert bench.disk.runs[RUN].finished.wall_ms == int(1000 * ended)


def test_all_nodes_come_to_the_same_end_without_a_further_message() -> None:
    company = Company("a", "b", "c", no_room=["b", "c"])
    company["a"].submit(task("t"))
    company.wait(WINDOW_S)
    company.said.clear()
    company["a"].done("t")
    company.wait(0.01)
    assert ends_told(company) != {NEVER}
    assert len(ends_told(company)) == 1
    # The keeper tells all of the result, and nobody anything else.
    (keeper,) = (who for who, said in company.said if isinstance(said, Kept) and said.at != NEVER)
    told = [who for who, said in company.said if isinstance(said, Facts) and (said.runs or said.states)]
    assert told == [keeper]


def test_who_accept_the_last_two_results_at_once_agree_on_the_end() -> None:
    company = Company("a", "b", "c", no_room=["c"])
    company["a"].submit(task("t", 2))
    company.wait(WINDOW_S)
    assert (company["a"].runs(), company["b"].runs()) == (["t[0]"], ["t[1]"])
    company["a"].done("t", "0")
    company["b"].done("t", "1")
    # Both offers, and both confirmations, cross; then everybody hears of both ends in another order.
    company.deliver(company.letters(RECORDS))
    company.deliver(reversed(company.letters(RECORDS, to="c")))
    company.wait(0.01)
    assert len(ends_told(company)) == 1


def test_who_missed_the_last_word_learns_when_it_was() -> None:
    company = Company("a", "b", "c", no_room=["b", "c"])
    company["a"].submit(task("t"))
    company.wait(WINDOW_S)
    company.cut("b")
    company["a"].done("t")
    company.wait(0.5)
    ended = told_end(company["a"])
    company.heal()
    company.wait(REPAIR_S)
    assert ends_told(company) == {ended}


def test_a_run_that_was_tried_again_ended_later() -> None:
    company = Company("a", "b", no_room=["b"])
    company["a"].submit(task("t"))
    company.wait(WINDOW_S)
    company["a"].fail("t")
    company.wait(1.0)
    (first,) = ends_told(company)
    company["a"].recall(RUN)
    company["a"].retry(t="0")
    company.wait(1.0)
    assert company["a"].node.queue.replica.runs[RUN].finished_at is None
    company["a"].done("t")
    company.wait(0.1)
    (second,) = ends_told(company)
    assert second > first


def test_what_aborts_a_run_is_when_it_ended() -> None:
    company = Company("a", "b", no_room=["b"])
    company["a"].submit(task("t"))
    company["a"].submit(task("u", 1, edge("t"), run=OTHER_RUN))
    company.wait(WINDOW_S)
    company["a"].fail("t")
    company.wait(0.1)
    ends = {member.disk.runs[run].finished for member in company.living() for run in (RUN, OTHER_RUN)}
    assert len(ends) == 1
    assert NEVER not in ends


def test_a_session_ended_when_it_was_sealed() -> None:
    company = Company("a", "b", no_room=["b"])
    company["a"].submit(task("t"), stays_open=True)
    company.wait(WINDOW_S)
    company["a"].done("t")
    company.wait(1.0)
    sealed_at = company.now
    company["a"].seal()
    company.wait(0.1)
    (ended,) = ends_told(company)
    assert ended.wall_ms >= int(1000 * sealed_at)


def test_a_run_whose_end_a_crash_left_unwritten_did_not_end_after_the_crash() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.done("a")
    bench.write()
    crashed = bench.now
    bench.slow_disk = False
    bench.now += 3600.0
    bench.boot()
    assert 0 < bench.disk.runs[RUN].finished.wall_ms <= int(1000 * crashed)


def test_a_run_does_not_end_over_what_was_aborted_and_goes_on_by_a_retry_on_another_node() -> None:
    # World 270090: who had only the step that was tried again in memory called the run cancelled.
    company = Company("ash", "elm", "oak", cpus=2.0)
    ash, elm = company["ash"], company["elm"]
    ash.submit(task("a"), task("b", 2, edge("a", "all")))
    company.wait(1)
    [runner] = [name for name, running in company.runs().items() if "a[0]" in running]
    company[runner].fail("a")
    company.wait(REPAIR_S)
    assert [end.state for end in ends(ash)] == ["failed"]
    assert not ash.node.queue.replica.runs
    elm.recall()
    elm.retry(a="0")
    company.wait(1)
    # All are busy with something else, so that nobody leases the next step.
    for member in company.living():
        member.feed(CapacityChanged(Capacity.of(0.0, 2**30, "3.11")))
    [runner] = [name for name, running in company.runs().items() if "a[0]" in running]
    company[runner].done("a")
    company.wait(REPAIR_S)
    for member in company.living():
        assert member.states("b") == {"ready": "0-1"}
        assert [end.state for end in ends(member)] == ["failed"]
    for member in company.living():
        member.feed(CapacityChanged(Capacity.of(2.0, 2**30, "3.11")))
    company.finish_all()
    company.wait(REPAIR_S)
    company.finish_all()
    assert [end.state for end in ends(ash)] == ["failed", "done"]


def test_a_session_that_ends_looks_once_at_what_was_aborted_and_has_left_memory() -> None:
    company = Company("elm")
    ash = company.add("ash", archive_group=1)
    company.wait(REPAIR_S)
    ash.submit(task("a"), task("b", 1, edge("a", "all")), stays_open=True)
    company.wait(1)
    ash.fail("a")
    company.wait(1)
    assert ash.node.queue.replica.runs[RUN].archived == {"failed": 1, "aborted": 1}
    ash.seal()
    company.wait(1)
    assert [(end.state, end.counts) for end in ends(ash)] == [("failed", {"failed": 1, "aborted": 1})]
    assert not ash.node.queue.replica.runs
