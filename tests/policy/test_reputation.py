"""A node's reputation falls when it comes back from a failure, and only then."""

import pytest

from roost.policy.reputation import REPUTATION_MIN, SPOTLESS, reputation_at_start


def test_the_first_start_costs_nothing() -> None:
    """LAN 3.6.1: "In the first time that a node starts up its reputation is not decremented"."""
    assert reputation_at_start(None, shut_down=False) == SPOTLESS


def test_a_return_after_a_crash_costs_one() -> None:
    """LAN 3.6.1: "It is also decremented each time the node re-joins the system"."""
    once = reputation_at_start(SPOTLESS, shut_down=False)
    assert (once, reputation_at_start(once, shut_down=False)) == (-1, -2)


def test_a_node_that_was_shut_down_has_not_failed() -> None:
    assert reputation_at_start(-3, shut_down=True) == -3


def test_more_failures_are_a_lower_reputation() -> None:
    """LAN 3.6.1: "the greater is the number of times a server-node has failed, the lower is its reputation"."""
    value: int | None = None
    seen = []
    for _ in range(5):
        value = reputation_at_start(value, shut_down=False)
        seen.append(value)
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == 5


@pytest.mark.parametrize(
    ("stored", "expected"), [(REPUTATION_MIN, REPUTATION_MIN), (-(10**30), REPUTATION_MIN), (7, -1)]
)
def test_a_damaged_file_makes_no_impossible_reputation(stored: int, expected: int) -> None:
    assert reputation_at_start(stored, shut_down=False) == expected
