"""When a run will have ended: on made-up histories, whose end is known."""

import random
import statistics
from collections import defaultdict

import pytest

from roost.policy.pace import Pace
from roost.policy.prediction import Outlook, StepLeft, outlook
from tests.policy.histories import Step, drawn, lived_through

MOMENTS = (0.25, 0.5, 0.75, 0.9)
HISTORIES = 240


def test_the_true_end_lies_in_the_interval_in_most_histories() -> None:
    hits: dict[tuple[str, float], list[bool]] = defaultdict(list)
    for seed in range(HISTORIES):
        history = drawn(random.Random(seed))
        shape = history.steps[0].name.rstrip("0123456789")
        for moment in MOMENTS:
            told = history.outlook_at(history.end * moment)
            if told.low_s is not None and told.high_s is not None:
                left = history.end * (1 - moment)
                hits[shape, moment].append(told.low_s <= left <= told.high_s)
    assert sum(map(len, hits.values())) > 0.98 * HISTORIES * len(MOMENTS)
    rates = {case: sum(found) / len(found) for case, found in hits.items()}
    assert {case: rate for case, rate in rates.items() if rate < 0.8} == {}
    assert statistics.mean(rates.values()) > 0.9


def test_the_interval_of_one_large_array_is_narrow() -> None:
    widths = []
    for seed in range(30):
        history = lived_through([Step("only", 400, 5.0, 0.3)], 8, random.Random(seed))
        told = history.outlook_at(history.end / 2)
        assert told.low_s is not None
        assert told.high_s is not None
        widths.append((told.high_s - told.low_s) / (history.end / 2))
    assert statistics.median(widths) < 0.35


def test_nothing_is_said_before_an_element_has_finished() -> None:
    history = lived_through([Step("only", 10, 5.0, 0.1)], 2, random.Random(1))
    told = history.outlook_at(1.0)
    assert (told.low_s, told.why) == (None, "no element has finished yet")


def test_what_is_over_takes_no_more_time() -> None:
    assert outlook([StepLeft("a", 0)], {}, 0.0, 4.0) == Outlook(0.0, 0.0)


KNOWN = {"a": Pace(100, 10.0, 1.0, 0.4)}


def bounds(*steps: StepLeft, busy: float = 4.0, lanes: float = 4.0) -> tuple[float, float]:
    told = outlook(steps, KNOWN, busy, lanes)
    assert told.low_s is not None
    assert told.high_s is not None
    return told.low_s, told.high_s


def test_work_is_shared_by_the_lanes_that_were_busy() -> None:
    low, high = bounds(StepLeft("a", 400, (5.0,) * 4, ready=396))
    assert low < 1000 < high
    assert (low, high) == (pytest.approx(940, rel=0.05), pytest.approx(1090, rel=0.05))


def test_what_runs_has_done_a_part_already() -> None:
    fresh = bounds(StepLeft("a", 4, (0.0,) * 4))
    late = bounds(StepLeft("a", 4, (9.0,) * 4))
    assert late[0] < fresh[0]
    assert late[1] < fresh[1]


def test_a_step_of_which_nothing_is_known_widens_the_interval_and_is_named() -> None:
    known = bounds(StepLeft("a", 40, (0.0,) * 4, ready=36))
    steps = (StepLeft("a", 40, (0.0,) * 4, ready=36), StepLeft("b", 40, sources=("a",)))
    told = outlook(steps, KNOWN, 4.0, 4.0)
    assert told.low_s == pytest.approx(known[0])
    assert told.high_s is not None
    assert told.high_s > known[1] + 100
    assert told.why == "nothing of b has finished yet"


def test_steps_like_many_known_ones_are_taken_to_be_like_them() -> None:
    paces = {f"s{number}": Pace(5, 10.0, 0.5, 0.1) for number in range(4)}
    steps = [StepLeft(f"s{number}", 0) for number in range(4)] + [StepLeft("next", 8, ready=4)]
    told = outlook(steps, paces, 4.0, 4.0)
    assert told.low_s is not None
    assert told.low_s > 10
    assert told.why == ""


def test_a_chain_is_not_shortened_by_many_lanes() -> None:
    steps = [StepLeft("a", 1, (0.0,))]
    paces = {"a": Pace(10, 10.0, 0.1, 0.1)}
    for number in range(9):
        name, before = f"b{number}", steps[-1].name
        steps.append(StepLeft(name, 1, sources=(before,)))
        paces[name] = Pace(10, 10.0, 0.1, 0.1)
    told = outlook(steps, paces, 1.0, 64.0)
    assert told.low_s == pytest.approx(100, rel=0.1)


def test_what_people_do_is_left_out_and_said() -> None:
    told = outlook([StepLeft("a", 4, ready=4), StepLeft("look", 1, manual=True)], KNOWN, 1.0, 4.0)
    assert told.why == "without the time that people take for look"
    only = outlook([StepLeft("look", 1, manual=True)], KNOWN, 0.0, 4.0)
    assert (only.low_s, only.why) == (None, "only people's steps are left")


def test_a_pool_whose_size_is_not_known_yet_is_not_over() -> None:
    told = outlook([StepLeft("a", 0, growing=True)], KNOWN, 1.0, 4.0)
    assert told.high_s is not None
    assert told.high_s >= 10
    assert outlook([StepLeft("b", 0, growing=True)], KNOWN, 1.0, 4.0).why == "nothing of b has finished yet"


def test_more_lanes_may_be_busy_later_while_the_graph_is_the_limit() -> None:
    waiting = (StepLeft("a", 100, (0.0,)),)
    told, crowded = outlook(waiting, KNOWN, 1.0, 10.0), outlook(waiting, KNOWN, 1.0, 1.0)
    assert told.low_s is not None
    assert crowded.low_s is not None
    assert told.low_s < crowded.low_s / 5
