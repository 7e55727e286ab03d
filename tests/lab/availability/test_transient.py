"""Nodes that are away for a time, by closed forms."""

from decimal import Decimal
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.elimination import sojourn
from roost.lab.availability.over_time import chances
from roost.lab.availability.precision import NEVER
from roost.lab.availability.transient import Transient, presence, unavailability
from roost.model.errors import InvalidInput

DAYS = Transient(Decimal(10) ** 6, Decimal(1000))
TIMES = st.decimals(min_value="0.001", max_value="1e9", allow_nan=False, places=3)


def lacking(nodes: Transient, replicas: int, level: str, at_s: Decimal | None = None) -> Decimal:
    return unavailability(nodes, replicas, Consistency(level, level), at_s)


def birth_and_death(nodes: Transient, replicas: int) -> dict[int, dict[int, float]]:
    """The chain of figure 3.4, by how many nodes are away."""
    fails, returns = 1 / float(nodes.up_s), 1 / float(nodes.down_s)
    return {
        away: ({away + 1: (replicas - away) * fails} if away < replicas else {})
        | ({away - 1: away * returns} if away else {})
        for away in range(replicas + 1)
    }


@given(TIMES, TIMES, st.integers(1, 9), st.sampled_from(["ONE", "QUORUM", "ALL"]))
@settings(max_examples=60, deadline=None)
def test_the_closed_form_is_the_chain_of_figure_3_4(up_s: Decimal, down_s: Decimal, replicas: int, level: str) -> None:
    nodes = Transient(up_s, down_s)
    needed = Consistency(level, level).read_asks(replicas)
    shares = sojourn(birth_and_death(nodes, replicas)).shares
    expected = sum(share for away, share in shares.items() if replicas - away < needed)
    assert float(lacking(nodes, replicas, level)) == pytest.approx(expected, rel=1e-9, abs=0)


@given(TIMES, TIMES, st.integers(1, 5), st.sampled_from(["1e-3", "1", "30", "4e3", "1e8"]))
@settings(max_examples=40, deadline=None)
def test_point_availability_is_the_chain_at_that_time(up_s: Decimal, down_s: Decimal, replicas: int, at: str) -> None:
    nodes = Transient(up_s, down_s)
    (found,) = chances(birth_and_death(nodes, replicas), [float(at)])
    expected = found[replicas]
    assert float(lacking(nodes, replicas, "ONE", Decimal(at))) == pytest.approx(expected, rel=1e-9, abs=1e-290)


def test_a_fresh_group_decays_to_the_long_run() -> None:
    points = [lacking(DAYS, 3, "QUORUM", Decimal(at)) for at in (0, 1, 100, 1000, 10_000, 10**9)]
    assert points[0] == 0
    assert points == sorted(points)
    assert points[-1] == pytest.approx(lacking(DAYS, 3, "QUORUM"))


@given(TIMES, TIMES, st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_more_copies_are_better_at_one_and_worse_at_all(up_s: Decimal, down_s: Decimal, replicas: int) -> None:
    nodes = Transient(up_s, down_s)
    assert lacking(nodes, replicas + 1, "ONE") < lacking(nodes, replicas, "ONE")
    more, fewer = lacking(nodes, replicas + 1, "ALL"), lacking(nodes, replicas, "ALL")
    assert fewer < more <= 1 or fewer > Decimal("0.99999")


@given(TIMES, TIMES, st.integers(1, 9), st.sampled_from(["ONE", "QUORUM", "ALL"]))
@settings(max_examples=60, deadline=None)
def test_being_back_sooner_never_lowers_availability(up_s: Decimal, down_s: Decimal, replicas: int, level: str) -> None:
    assert lacking(Transient(up_s, down_s / 2), replicas, level) <= lacking(Transient(up_s, down_s), replicas, level)


@given(TIMES, TIMES, st.integers(1, 9), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_asking_fewer_copies_never_lowers_availability(
    up_s: Decimal, down_s: Decimal, replicas: int, needed: int
) -> None:
    nodes = Transient(up_s, down_s)
    fewer, more = min(needed, replicas), min(needed + 1, replicas)
    assert lacking(nodes, replicas, str(fewer)) <= lacking(nodes, replicas, str(more))


def test_a_tiny_lack_has_all_its_digits() -> None:
    share = Decimal(1) / 1001
    assert float(lacking(DAYS, 20, "ONE")) == pytest.approx(float(share**20), rel=1e-15)
    by_hand = sum(comb(5, away) * share**away * (1 - share) ** (5 - away) for away in (3, 4, 5))
    assert float(lacking(DAYS, 5, "QUORUM")) == pytest.approx(float(by_hand), rel=1e-15)


def test_nodes_that_never_fail_or_never_return() -> None:
    assert lacking(Transient(NEVER, Decimal(5)), 3, "ALL") == 0
    assert lacking(Transient(Decimal(5), Decimal(0)), 3, "ALL") == 0
    assert lacking(Transient(Decimal(5), NEVER), 3, "ONE") == 1
    assert presence(Transient(Decimal(5), NEVER), Decimal(5)).there == pytest.approx(Decimal("0.3678794412"))


@pytest.mark.parametrize(("up", "down"), [("0", "1"), ("-1", "1"), ("1", "-1"), ("NaN", "1")])
def test_times_that_mean_nothing_are_refused(up: str, down: str) -> None:
    with pytest.raises(InvalidInput, match="nodes have to be there for some time"):
        presence(Transient(Decimal(up), Decimal(down)))
