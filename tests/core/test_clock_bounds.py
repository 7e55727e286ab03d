"""One absurd clock does not date the work of all, and is forgotten when it is set."""

from roost.core.clock_bounds import SENSIBLE_CLOCK_S, ClockBounds
from roost.core.events import Heard
from roost.core.node import Node
from roost.core.restored import Restored
from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.model.limits import CLOCK_LEAD_MAX_S
from roost.model.resources import Capacity
from roost.wire.messages import Kept
from tests.core.harness import ASH, RUN, Bench, task

ELM, FIR, OAK = (NodeId(name) for name in ("elm", "fir", "oak"))
TODAY = SENSIBLE_CLOCK_S + 1_000_000.0
TEN_YEARS = 10 * 365 * 86_400.0


def ms(at_s: float) -> int:
    return int(at_s * 1000)


def hear(clocks: ClockBounds, node: NodeId, shown_s: float, now: float = TODAY) -> None:
    """A node says something, when its clock shows this."""
    clocks.heard(node, Stamp(ms(shown_s), 0, node), ms(shown_s), now)


def knowing(**ahead: float) -> ClockBounds:
    clocks = ClockBounds(ASH)
    for name, by_s in ahead.items():
        hear(clocks, NodeId(name), TODAY + by_s)
    return clocks


def lead(clocks: ClockBounds, now: float = TODAY) -> float:
    return clocks.latest(now) - now - CLOCK_LEAD_MAX_S


def test_alone_a_node_goes_by_its_own_clock() -> None:
    assert lead(ClockBounds(ASH)) == 0.0


def test_one_clock_that_is_ahead_of_two_is_not_followed() -> None:
    assert lead(knowing(elm=TEN_YEARS, fir=0.5)) == 0.5
    assert lead(knowing(elm=TEN_YEARS)) == 0.0


def test_a_node_that_is_behind_most_others_follows_them() -> None:
    assert lead(knowing(elm=3600.0, fir=3601.0)) == 3600.0


def test_one_clock_that_is_behind_moves_nothing() -> None:
    assert lead(knowing(elm=-TEN_YEARS)) == 0.0
    assert lead(knowing(elm=-TEN_YEARS, fir=0.0)) == 0.0
    assert lead(knowing(elm=-60.0, fir=-60.0)) == 0.0


def test_a_node_that_leads_all_others_absurdly_does_not_go_by_its_own_clock() -> None:
    clocks = knowing(elm=-TEN_YEARS, fir=-TEN_YEARS)
    assert clocks.wall(TODAY) == TODAY - TEN_YEARS
    assert clocks.leads(Stamp(ms(TODAY), 0, ASH), TODAY)
    clocks.gone(ELM)
    assert clocks.wall(TODAY) == TODAY


def test_a_clock_that_was_never_set_does_not_count_against_one_that_was() -> None:
    clocks = ClockBounds(ASH)
    hear(clocks, ELM, TODAY, 1_000.0)
    assert lead(clocks, 1_000.0) == TODAY - 1_000.0


def test_whoever_is_gone_does_not_count() -> None:
    clocks = knowing(elm=3600.0, fir=3600.0)
    clocks.gone(ELM)
    assert lead(clocks) == 0.0


def test_a_clock_that_is_set_again_counts_as_it_is_now() -> None:
    clocks = knowing(elm=TEN_YEARS, fir=TEN_YEARS)
    assert lead(clocks) == TEN_YEARS
    hear(clocks, FIR, TODAY + 10.0, TODAY + 10.0)
    hear(clocks, ELM, TODAY + 10.0, TODAY + 10.0)
    assert lead(clocks, TODAY + 10.0) == 0.0


def node_with(last_stamp: Stamp) -> Node:
    return Node(ASH, Capacity.of(1.0, 2**30, "3.11"), Restored(1, last_stamp))


def test_what_an_absurd_clock_says_leaves_no_trace_in_later_stamps() -> None:
    node = node_with(Stamp(0, 0, ASH))
    absurd = Stamp(ms(TODAY + TEN_YEARS), 3, ELM)
    node.handle(Heard(ELM, absurd, Kept(1), absurd.wall_ms), TODAY)
    assert node.stamp_at(TODAY + 1).wall_ms == ms(TODAY + 1)


def test_stamps_that_lead_a_little_are_followed_as_ever() -> None:
    node = node_with(Stamp(0, 0, ASH))
    seen = Stamp(ms(TODAY + 60), 3, ELM)
    node.handle(Heard(ELM, seen, Kept(1), seen.wall_ms), TODAY)
    assert node.stamp_at(TODAY + 1) == Stamp(ms(TODAY + 60), 4, ASH)


def test_a_node_whose_own_clock_was_wrong_once_recovers_when_it_is_right() -> None:
    node = node_with(Stamp(ms(TODAY + TEN_YEARS), 5, ASH))
    assert node.stamp_at(TODAY) == Stamp(ms(TODAY), 0, ASH)
    later = node_with(Stamp(ms(TODAY + 60), 5, ASH))
    assert later.stamp_at(TODAY) == Stamp(ms(TODAY + 60), 6, ASH)


def test_a_run_that_was_suspended_by_an_absurd_clock_can_be_resumed_by_a_right_one() -> None:
    bench = Bench(task("a"))
    right = bench.now
    bench.now += TEN_YEARS
    bench.suspend()
    bench.now = right
    bench.boot()
    bench.resume()
    assert not bench.node.queue.replica.runs[RUN].suspended
    assert not bench.disk.runs[RUN].suspended.on


def test_a_run_that_ended_by_an_absurd_clock_ends_again_after_a_retry() -> None:
    bench = Bench(task("a"))
    right = bench.now
    bench.now += TEN_YEARS
    bench.fail("a")
    assert bench.disk.ends[RUN].state == "failed"
    bench.now = right
    bench.boot()
    bench.recall()
    bench.retry(a="0")
    bench.done("a")
    assert bench.disk.ends[RUN].state == "done"


def test_a_task_of_the_far_future_does_not_wait_behind_all_that_comes_later() -> None:
    late = task("late", at=TEN_YEARS)
    bench = Bench(task("first"), late, cpus=1.0)
    bench.wait(CLOCK_LEAD_MAX_S + 100.0)
    bench.submit(task("newer", at=CLOCK_LEAD_MAX_S + 100.0, run="2-dedede"))
    bench.seen()
    bench.done("first")
    assert bench.starts() == ["late[0]"]
