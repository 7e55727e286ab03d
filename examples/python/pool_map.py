"""Estimate pi with a pool: a drop-in for concurrent.futures that keeps its promises when the script is gone.

Run it:  python examples/python/pool_map.py
A node is started if none runs. The pool cuts the elements into hand-overs by itself.
"""

import random

import roost

SAMPLES = 20_000


def hits(seed: int) -> int:
    """Count random points of a square that fall into the quarter circle."""
    draw = random.Random(seed)
    return sum(draw.random() ** 2 + draw.random() ** 2 <= 1 for _ in range(SAMPLES))


def main(batches: int = 200) -> float:
    with roost.connect() as pool:
        total = sum(pool.map(hits, range(batches)))
    return 4 * total / (SAMPLES * batches)


if __name__ == "__main__":
    print(f"pi is about {main():.4f}")
