"""What a node learns of how right its people state lengths."""

import math

import pytest

from roost.core.queue import expectations
from roost.core.queue.expectations import Expectations
from roost.model.ids import RunId
from roost.model.task import TaskSpec
from roost.policy.expected_length import NOTHING_SEEN
from tests.core.harness import OTHER_RUN, RUN, Bench, task

OWNERS = {RUN: "ann", OTHER_RUN: "ben", RunId("3-fifofu"): "ann"}


@pytest.fixture
def learnt() -> Expectations:
    return Expectations(OWNERS.__getitem__)


def length_of(learnt: Expectations, spec: TaskSpec) -> float:
    found = learnt.of(spec)
    assert found is not None
    return found.length_s


def test_what_nobody_stated_is_not_expected_and_teaches_nothing(learnt: Expectations) -> None:
    learnt.note(task("a"), 1, 5.0)
    assert learnt.of(task("a")) is None
    assert length_of(learnt, task("b", stated_s=100.0)) == 100.0


def test_an_owner_is_corrected_in_his_later_runs_and_nobody_else_is(learnt: Expectations) -> None:
    for at in range(12):
        learnt.note(task(f"a{at}", stated_s=100.0), 1, 50.0)
    assert length_of(learnt, task("new", run=RunId("3-fifofu"), stated_s=1000.0)) == pytest.approx(
        1000 * 0.5 ** (12 / 16)
    )
    assert length_of(learnt, task("new", run=OTHER_RUN, stated_s=1000.0)) == 1000.0


def test_a_name_is_corrected_more_than_its_owner(learnt: Expectations) -> None:
    learnt.note(task("scan", stated_s=100.0), 1, 10.0)
    later = RunId("3-fifofu")
    assert length_of(learnt, task("scan", run=later, stated_s=100.0)) < length_of(
        learnt, task("other", run=later, stated_s=100.0)
    )


def test_a_task_teaches_once_however_many_elements_it_has(learnt: Expectations) -> None:
    for _ in range(500):
        learnt.note(task("many", 500, stated_s=100.0), 1, 50.0)
    assert length_of(learnt, task("new", stated_s=100.0)) == pytest.approx(100 * 0.5 ** (1 / 5))


def test_what_a_task_teaches_moves_with_its_elements(learnt: Expectations) -> None:
    learnt.note(task("a", 3, stated_s=100.0), 1, 1.0)
    for _ in range(2):
        learnt.note(task("a", 3, stated_s=100.0), 1, 1000.0)
    assert length_of(learnt, task("new", stated_s=100.0)) == pytest.approx(100.0), "0.01, 10 and 10 are 1 on average"


def test_elements_that_took_no_time_teach_nothing(learnt: Expectations) -> None:
    learnt.note(task("a", stated_s=100.0), 1, 0.0)
    assert length_of(learnt, task("a", stated_s=100.0)) == 100.0


def test_a_task_that_leaves_memory_has_taught_all_the_same(learnt: Expectations) -> None:
    learnt.note(task("a", stated_s=100.0), 1, 10.0)
    before = length_of(learnt, task("new", stated_s=100.0))
    learnt.forget(task("a").id)
    assert length_of(learnt, task("new", stated_s=100.0)) == before < 100.0


def test_it_remembers_so_much_and_forgets_the_oldest_first(
    learnt: Expectations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expectations, "REMEMBERED_MAX", 5)
    learnt.note(task("old", run=OTHER_RUN, stated_s=100.0), 1, 10.0)
    for at in range(20):
        learnt.note(task(f"a{at}", stated_s=100.0), 1, 50.0)
    assert (len(learnt._tasks), len(learnt._ratios)) == (5, 5)
    assert length_of(learnt, task("old", run=OTHER_RUN, stated_s=100.0)) == 100.0, "forgotten"
    assert length_of(learnt, task("new", stated_s=100.0)) < 60.0, "the owner is always the newest"


# In a node.


def test_the_next_task_of_an_owner_is_expected_to_take_what_his_last_ones_did() -> None:
    bench = Bench(cpus=1)
    for at in range(12):
        bench.submit(task(f"a{at}", stated_s=100.0))
        bench.done(f"a{at}", each_s=1.0)
    bench.submit(task("new", stated_s=100.0))
    length_s = bench.node.queue.scheduler.length_s(task("new", stated_s=100.0))
    assert length_s == pytest.approx(100 * 0.01 ** (12 / 16))


def test_a_node_learns_how_fast_it_is_from_all_owners_together(learnt: Expectations) -> None:
    assert learnt.speed == 1.0
    for at in range(6):
        learnt.note(task(f"a{at}", stated_s=100.0), 1, 50.0)
        learnt.note(task(f"b{at}", run=OTHER_RUN, stated_s=100.0), 1, 50.0)
    assert learnt.speed == pytest.approx(2 ** (12 / 16)), "twice as fast, as far as twelve tasks show it"
    assert Expectations(OWNERS.__getitem__, learnt.learnt()).speed == learnt.speed, "also in its next life"


def test_until_it_has_seen_enough_a_node_goes_by_others_with_such_a_processor_and_tells_only_its_own(
    learnt: Expectations,
) -> None:
    learnt.alike = lambda: NOTHING_SEEN.plus(math.log(0.5)).plus(math.log(0.5))
    expected = learnt.of(task("new", stated_s=100.0))
    assert expected is not None
    assert expected.length_s == pytest.approx(100 * 0.5 ** (2 / 6))
    assert learnt.speed == pytest.approx(2 ** (2 / 6))
    assert learnt.speed_seen == 1.0
    learnt.note(task("a", stated_s=100.0), 1, 50.0)
    assert learnt.speed_seen == pytest.approx(2 ** (1 / 5))
