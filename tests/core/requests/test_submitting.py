"""What is submitted: checked whole, written first, answered last."""

import pytest

from roost.core.actions import Accepted, Refused
from roost.core.events import Submitted
from roost.core.facts import BlobStored, ItemsStored, RunMerged, StoryTold, TaskAdded
from roost.model.happenings import SubmittedBy
from roost.model.ids import CauseId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Needs, Value
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, function, inside, mapping, run_spec, task
from tests.stored_results import stored_results
from tests.tokens import attempt


def refusal(answer: Accepted | Refused | None) -> str:
    assert isinstance(answer, Refused)
    return answer.message


def a_pool(length: int | None = None) -> Bench:
    m = mapping("m")
    bench = Bench(m, inside("p", m), task("r", 1, edge("p", "gather")), cpus=9.0)
    if length is not None:
        bench.map("m", _0=length)
    bench.seen()
    return bench


def test_a_submission_is_answered_when_it_is_on_disk() -> None:
    bench = Bench()
    bench.slow_disk = True
    bench.submit(task("a", 3), task("b", 3, edge("a")))
    assert bench.seen() == []
    assert bench.node.queue.replica.tasks == {}
    bench.write()
    assert bench.seen() == [
        "accept submit 6",
        "tell run 1-bababa added",
        "start a[0]",
        "start a[1]",
    ]


def test_tasks_that_join_a_run_are_told_one_by_one_and_those_of_a_new_one_with_it() -> None:
    bench = Bench(cpus=0.0)
    bench.submit(task("a", 3), stays_open=True)
    assert bench.seen()[1:] == ["tell run 1-bababa added"]
    bench.submit(task("b", 2), stays_open=True)
    assert bench.seen()[1:] == ["tell b[0-1] added"]


def test_everything_about_a_submission_is_in_one_ticket() -> None:
    bench = Bench()
    bench.slow_disk = True
    items = ((task_id(RUN, "a"), pack(0, [b"x", b"y"])),)
    bench.submit(task("a", 2, has_items=True), items=items)
    assert bench.unwritten == 1
    assert [type(fact) for fact in bench.facts] == [RunMerged, TaskAdded, ItemsStored, StoryTold]
    assert BlobStored not in map(type, bench.facts)


def test_a_submission_is_told_once_for_all_its_tasks_unless_more_may_come() -> None:
    whole = Bench(task("a"), task("b"))
    told = [fact for fact in whole.facts if isinstance(fact, StoryTold) and isinstance(fact.what, SubmittedBy)]
    assert [(line.task, line.cause) for line in told] == [(TaskId(RUN), CauseId("submit-1"))]
    session = Bench()
    session.submit(task("a"), task("b"), stays_open=True)
    told = [fact for fact in session.facts if isinstance(fact, StoryTold) and isinstance(fact.what, SubmittedBy)]
    assert [line.task for line in told] == [task_id(RUN, "a"), task_id(RUN, "b")]


def test_what_cannot_be_is_refused_with_one_sentence_and_changes_nothing() -> None:
    bench = Bench()
    circle = (task("a", 1, edge("b")), task("b", 1, edge("a")))
    assert "in a circle" in refusal(bench.submit(*circle))
    assert "which does not exist" in refusal(bench.submit(task("a", 1, edge("ghost"))))
    assert "no elements" in refusal(bench.submit(task("a", 0)))
    assert (bench.facts, bench.node.queue.replica.runs, bench.node.queue.replica.tasks) == ([], {}, {})


def test_a_finished_submission_takes_no_more_tasks() -> None:
    bench = Bench(task("a", 5))
    assert refusal(bench.submit(task("b"))) == "run 1-bababa takes no more tasks; start a new one"


def test_a_name_is_given_once_even_while_the_first_is_on_its_way_to_the_disk() -> None:
    bench = Bench()
    bench.slow_disk = True
    bench.submit(task("a"), stays_open=True)
    assert "is being submitted already" in refusal(bench.submit(task("a"), stays_open=True))
    bench.write()
    assert "two tasks are named 'a'" in refusal(bench.submit(task("a"), stays_open=True))


def test_items_match_the_elements_one_to_one() -> None:
    a = task_id(RUN, "a")
    bench = Bench()
    for items in ((), ((a, pack(0, [b"x"])),), ((a, pack(0, [b"x"] * 2)), (a, pack(1, [b"y"])))):
        assert "do not match its 2 elements" in refusal(bench.submit(task("a", 2, has_items=True), items=items))
    assert "do not match" in refusal(bench.submit(task("a", 1), items=((a, pack(0, [b"x"])),)))
    stray = ((task_id(RUN, "z"), pack(0, [b"x"])),)
    assert "'1-bababa/z', which is not among the tasks" in refusal(bench.submit(task("a"), items=stray))


def test_what_will_never_fit_is_accepted_with_a_warning() -> None:
    answer = Bench(cpus=2).submit(task("a", cpus=3), function("f", python="3.9"))
    assert isinstance(answer, Accepted)
    assert answer.warnings == (
        "'1-bababa/a' will wait: it needs 3 CPUs and this node offers 2",
        "'1-bababa/f' will wait: its function was made by Python 3.9 and this node runs Python 3.11",
    )


def test_what_an_author_requires_is_warned_of_by_whoever_can_ask_the_others() -> None:
    bench = Bench(cpus=2.0)
    assert bench.submit(task("a", needs=Needs.of(9.0, condition="gpu"))) == Accepted((), 1)
    assert bench.node.queue.leases.in_hand() == []


def test_what_an_author_requires_and_nobody_can_read_is_refused() -> None:
    bench = Bench()
    refused = refusal(bench.submit(task("a", needs=Needs(condition="gpu and"))))
    assert refused.startswith(f"what task '{RUN}/a' requires cannot be read: column 8: ")
    assert bench.node.queue.replica.tasks == {}


def test_a_task_may_build_on_one_of_another_run() -> None:
    bench = Bench(task("a", 2))
    bench.submit(task("b", 2, edge("a", run=RUN), run=OTHER_RUN))
    bench.done("a", "1")
    assert bench.states("b", OTHER_RUN) == {"waiting": "0", "running": "1"}


def test_what_a_submission_on_its_way_to_the_disk_builds_on_stays_in_memory() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.submit(task("b", 1, edge("a", run=RUN), run=OTHER_RUN))
    awaited = bench.node.tickets.awaits
    assert [awaited(name) for name in (RUN, task_id(RUN, "a"), OTHER_RUN)] == [True, True, True]
    bench.write()
    assert not awaited(task_id(RUN, "a"))


def test_a_submission_says_how_many_tasks_its_run_has() -> None:
    bench = Bench(task("a"), task("b"))
    assert bench.disk.runs[RUN].task_count == 2
    assert bench.node.queue.replica.runs[RUN].is_complete


def test_a_value_is_done_when_it_is_accepted_and_says_how_long_its_pool_is() -> None:
    v = mapping("v", work=Value("[1,2]"))
    bench = Bench()
    given = ((v.id, pack(0, [b"[1,2]"]), 2),)
    bench.ask(Submitted(bench.cause("submit"), run_spec(), (v, inside("p", v)), given=given))
    assert bench.states("v") == {"done": "0"}
    assert sorted(bench.starts()) == ["p[0]", "p[1]"]
    assert stored_results(bench.disk, v.id, 0) == [(attempt(1), b"[1,2]")]


def test_the_lengths_of_pools_outlive_the_node_also_if_they_were_not_written() -> None:
    bench = a_pool()
    bench.slow_disk = True
    bench.map("m", _0=2)
    bench.write()
    bench.slow_disk = False
    bench.boot()
    assert bench.states("p")["running"] == "0-1"
    bench.finish_all()
    bench.recall()
    assert bench.view().counts == {"done": 4}


@pytest.mark.parametrize("length", [0, 1, 40])
def test_a_run_with_a_pool_is_counted_alike_before_and_after_it_is_archived(length: int) -> None:
    bench = a_pool(length)
    bench.finish_all()
    assert not bench.node.queue.replica.tasks
    bench.boot()
    bench.recall()
    assert bench.view().counts == {"done": length + 2}
    assert bench.states("p") == ({"done": str(RangeSet.span(0, length))} if length else {})
