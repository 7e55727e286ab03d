"""Finished work is sent back, and manual steps are answered (see also queue/test_invalidation.py)."""

from roost.core.actions import Accepted, Refused
from roost.model.ids import task_id
from roost.model.task import Manual
from tests.core.harness import RUN, Bench, edge, task

A = task_id(RUN, "a")


def manual(name: str) -> Bench:
    return Bench(task(name, work=Manual("look at it")), task("next", 1, edge(name)), task("last", 1, edge("next")))


def test_what_is_done_is_done_again_with_what_was_made_of_it() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), task("c", 1, edge("b")), cpus=1)
    bench.done("a")
    bench.done("b")
    assert bench.send_back(a="0") == Accepted(elements=3)
    assert (bench.states("a"), bench.states("b")) == ({"ready": "0"}, {"waiting": "0"})


def test_nothing_that_is_not_done_can_be_sent_back() -> None:
    answer = Bench(task("a")).send_back(a="0")
    assert isinstance(answer, Refused)
    assert "nothing of what is sent back is done" in answer.message


def test_an_answer_lets_the_next_step_go_on_and_another_one_amends_it() -> None:
    bench = manual("a")
    assert bench.answer("a") == Accepted(elements=1)
    bench.done("next")
    assert bench.states("next") == {"done": "0"}
    assert isinstance(bench.answer("a", value=b"[]"), Accepted)
    assert bench.states("next") == {"running": "0"}


def test_only_steps_of_people_are_answered_and_only_when_they_wait() -> None:
    answer = Bench(task("a")).answer("a")
    assert isinstance(answer, Refused)
    assert "is not done by people" in answer.message
    early = Bench(task("first"), task("a", 1, edge("first"), work=Manual("look at it"))).answer("a")
    assert isinstance(early, Refused)
    assert "waits for nobody's answer now" in early.message
