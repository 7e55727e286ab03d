"""Replica groups that the planner solves in a second, beside ordinary linear equations, and what those make of them.

    python bench/planner.py              # 100 groups of seven copies whose disks fail, each with other rates
    python bench/planner.py --copies 9

The target: 100 groups of seven copies in less than a second. The equations are solved by numpy in doubles, and count as
right if their mean time to failure has four digits in common with that of the elimination, which tests compare with
exact fractions. Both make the same chain first; that is in both times.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from decimal import Decimal

from roost.lab.availability import both_failures, lost_disks
from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import LOST, Upkeep, chain
from roost.lab.availability.plain_equations import mean_time_until
from roost.lab.availability.transient import Transient

TARGET_S = 1.0
GROUPS = 100
UPKEEP = Upkeep()
ONE = Consistency("ONE", "ONE")


def rates(count: int) -> list[Transient]:
    """Return as many different nodes, which fail from a hundred to ten million times less often than they come back."""
    return [Transient(Decimal(10) ** (5 + Decimal(5 * at) / count), Decimal(1000)) for at in range(count)]


def by_elimination(nodes: Transient, copies: int) -> float:
    return float(lost_disks.fate(nodes, copies, ONE, UPKEEP).mttf_s)


def by_equations(nodes: Transient, copies: int) -> float:
    return mean_time_until(chain(nodes, copies, UPKEEP, UPKEEP.read_repair_rate("ONE", copies)), LOST)


def both_kinds(nodes: Transient, copies: int) -> float:
    return float(both_failures.fate(nodes, nodes, copies, ONE, UPKEEP).mttf_s)


def timed(
    solve: Callable[[Transient, int], float], nodes: Sequence[Transient], copies: int
) -> tuple[float, list[float]]:
    begin = time.perf_counter()
    found = [solve(one, copies) for one in nodes]
    return time.perf_counter() - begin, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=7)
    copies = parser.parse_args().copies
    nodes = rates(GROUPS)
    taken_s, right = timed(by_elimination, nodes, copies)
    plain_s, plain = timed(by_equations, nodes, copies)
    both_s, _ = timed(both_kinds, nodes[::10], copies)
    held = sum(abs(one / other - 1) < 1e-4 for one, other in zip(plain, right, strict=True))
    late = "" if taken_s < TARGET_S else "  TOO SLOW"
    negative = sum(one <= 0 for one in plain)
    print(f"{GROUPS} groups of {copies}")
    print(f"elimination, 40 digits   {taken_s:7.3f} s, {GROUPS / taken_s:.0f} a second{late}")
    print(f"linear equations         {plain_s:7.3f} s, {held} of {GROUPS} right, {negative} negative")
    print(f"ratio                    {taken_s / plain_s:7.2f}")
    print(f"both kinds of failure    {both_s * 10:7.3f} s")


if __name__ == "__main__":
    main()
