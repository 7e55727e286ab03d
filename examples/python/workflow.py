"""A workflow in Python: calls of tasks become steps, and results handed to other calls become edges.

Run it:  python examples/python/workflow.py
Inside the block nothing is computed; run() hands the whole workflow to the node, which starts each step as soon as its
inputs are there.
"""

import random

import roost


@roost.task
def throw(seed: int, dice: int) -> list[int]:
    draw = random.Random(seed)
    return [draw.randint(1, 6) for _ in range(dice)]


@roost.task
def add(throws: list[int]) -> int:
    return sum(throws)


@roost.task(retries=2)
def best(sums: list[int]) -> str:
    return f"the best of {len(sums)} throws is {max(sums)}"


def main(players: int = 100) -> str:
    with roost.workflow("dice") as flow:
        throws = throw.map(range(players), dice=5)  # an array, one element a player
        sums = add.map(throws)  # element by element
        answer = best(sums)  # gets the list of all
    return str(flow.run().result(answer))


if __name__ == "__main__":
    print(main())
