"""LAN's protocol does what the document says."""

from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.lab.office.accounts import of_waits
from roost.lab.office.protocol import Office, Outcome
from roost.lab.office.readings import OF_THE_LOG, Reading, every
from roost.lab.office.workflows import Workflow, draw_workflows

LOW = Workflow(0, (False,) * 4)
URGENT = Workflow(0, (True,) * 4)


@dataclass
class Asked:
    reading: Reading = OF_THE_LOG

    def run(self, *workflows: Workflow, nodes: int = 1, seed: int = 1, failing: int = 0) -> Outcome:
        return Office(self.reading, workflows, nodes, seed, failing=failing).run()


def test_one_node_takes_195_seconds_for_each_task_but_the_first() -> None:
    """As in listing 4.3: a window of 15 s, 120 s, and a look 60 s after the end."""
    assert Asked().run(LOW).make_span_min == pytest.approx((15 + 120 + 3 * 195) / 60)


def test_an_interactive_task_waits_for_the_window_as_in_the_log() -> None:
    assert Asked().run(URGENT).make_span_min == Asked().run(LOW).make_span_min


def test_by_the_other_reading_it_begins_at_once() -> None:
    reading = msgspec.structs.replace(OF_THE_LOG, interactive="at once")
    assert Asked(reading).run(URGENT).make_span_min == 8.0
    assert Asked(reading).run(LOW).make_span_min > 8.0


def test_with_idle_nodes_a_chain_waits_for_four_windows() -> None:
    outcome = Asked().run(LOW, nodes=9)
    assert outcome.make_span_min == pytest.approx(8.0 + 4 * 0.25, abs=0.01)
    assert outcome.lost > 0


def test_interactive_tasks_go_before_low_ones() -> None:
    both = Asked().run(LOW, URGENT)
    assert both.make_span_min < Asked().run(LOW, LOW).make_span_min


@settings(max_examples=40, deadline=None)
@given(reading=st.sampled_from(every()), nodes=st.integers(1, 9), count=st.integers(1, 8), seed=st.integers(0, 99))
def test_make_spans_are_eight_minutes_and_four_waits_in_every_reading(
    reading: Reading, nodes: int, count: int, seed: int
) -> None:
    outcome = Asked(reading).run(*draw_workflows(seed, count, nodes), nodes=nodes, seed=seed)
    # An execution that stops for another one of the same task costs nobody's chain anything.
    assert outcome.make_span_min == pytest.approx(of_waits(outcome.wait_min), abs=0.001)
    assert outcome.executions - outcome.stopped == 4 * count


@settings(max_examples=25, deadline=None)
@given(failing=st.integers(0, 8), seed=st.integers(0, 99))
def test_all_ends_though_nodes_fail(failing: int, seed: int) -> None:
    outcome = Asked().run(*draw_workflows(seed, 10, 9), nodes=9, seed=seed, failing=failing)
    assert 40 <= outcome.executions - outcome.stopped <= 40 + failing


def test_failures_make_it_longer() -> None:
    workflows = draw_workflows(1, 10, 9)
    spans = [Asked().run(*workflows, nodes=9, failing=failing).make_span_min for failing in (0, 2, 5, 8)]
    assert spans == sorted(spans)


def test_the_same_seed_gives_the_same() -> None:
    workflows = draw_workflows(5, 15, 6)
    assert Asked().run(*workflows, nodes=6, seed=5) == Asked().run(*workflows, nodes=6, seed=5)
