"""How evenly something is shared out: by how much work is whose, over all who could have had it, or done it.

Two measures, because they say different things. The variance has the square of the unit; it is what FAIR (4.1) compares
strategies by, of the number of jobs that each worker has processed. FAIR does not say by what it divides; here it is
n - 1, as for a sample. Jain's index has no unit; it is between 1/n, where one has all, and 1, where all have the same.
It is from R. Jain, D. Chiu and W. Hawe, "A Quantitative Measure of Fairness and Discrimination for Resource Allocation
in Shared Computer Systems", DEC-TR-301, 1984.
"""

from collections.abc import Sequence


def jains_index(amounts: Sequence[float]) -> float | None:
    """Return (sum x)² / (n · sum x²); None of nobody, or where nobody has anything."""
    squares = sum(amount * amount for amount in amounts)
    return sum(amounts) ** 2 / (len(amounts) * squares) if squares else None


def variance(amounts: Sequence[float]) -> float | None:
    """Return sum (x - mean)² / (n - 1); None of fewer than two."""
    if len(amounts) < 2:
        return None
    mean = sum(amounts) / len(amounts)
    return sum((amount - mean) ** 2 for amount in amounts) / (len(amounts) - 1)
