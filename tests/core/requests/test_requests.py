"""What people ask for: checked whole, written first, answered last."""

from typing import Any

import pytest

from roost.core.actions import Accepted, Refused
from roost.core.events import CancelAsked, RetryAsked, Sealed
from roost.model.ids import CauseId, RunId, task_id
from tests.core.harness import OTHER_RUN, RUN, Bench, ranges, task


def refusal(answer: Accepted | Refused | None) -> str:
    assert isinstance(answer, Refused)
    return answer.message


# Submitting.


# Sessions.


# Cancelling.


def test_an_unknown_task_is_not_cancelled_nor_retried() -> None:
    bench = Bench(task("a"))
    assert refusal(bench.cancel(a="0", ghost="0")) == "there is no task '1-bababa/ghost'"
    assert refusal(bench.retry(ghost="0")) == "there is no task '1-bababa/ghost'"
    assert bench.states("a") == {"running": "0"}


# Trying again.


# Suspending.


# A disk that refuses.


@pytest.mark.parametrize("what", ["submit", "cancel", "retry", "suspend", "seal"])
def test_a_request_that_the_disk_refuses_changes_nothing_and_may_be_asked_again(what: str) -> None:
    bench = Bench(task("a", 3), task("b"), cpus=3)
    bench.fail("a", 0)
    before = (bench.states("a"), list(bench.node.queue.replica.tasks))
    bench.seen()
    ask = {
        "submit": lambda: bench.submit(task("c", run=OTHER_RUN)),
        "cancel": lambda: bench.cancel(a="0-2"),
        "retry": lambda: bench.retry(a="0"),
        "suspend": bench.suspend,
        "seal": bench.seal,
    }[what]
    bench.slow_disk = True
    ask()
    bench.refuse()
    [line] = bench.seen()
    assert line == (
        f"refuse {what}: this node cannot write its journal (no space left on device), "
        "so nothing was changed; try again when there is room"
    )
    assert all(answer.temporary for answer in bench.outcomes.values() if isinstance(answer, Refused))
    assert (bench.states("a"), list(bench.node.queue.replica.tasks)) == before
    bench.slow_disk = False
    ask()
    if what == "cancel":
        bench.give_back("a", "1-2")
    assert any(line.startswith(f"accept {what}") for line in bench.seen())


def test_requests_about_runs_that_nobody_knows_name_them() -> None:
    bench = Bench()
    cause = bench.cause("seal")
    assert "9-zazaza" in refusal(bench.ask(Sealed(cause, RunId("9-zazaza"))))


# Pools.


@pytest.mark.parametrize("asked", [CancelAsked, RetryAsked])
def test_a_request_is_about_all_tasks_that_it_names_also_those_that_need_no_change(asked: Any) -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.done("a", "0")
    bench.slow_disk = True
    assert not bench.node.tickets.awaits(task_id(RUN, "a"))
    bench.feed(asked(CauseId("x-1"), ((task_id(RUN, "a"), ranges("0")),)))
    assert bench.node.tickets.awaits(task_id(RUN, "a"))
    bench.write_all()
    assert not bench.node.tickets.awaits(task_id(RUN, "a"))
    assert bench.outcomes[CauseId("x-1")] == Accepted(elements=0)
