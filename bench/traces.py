"""The traces of simulated worlds, as hashes: what a change of form must leave as it is.

    python bench/traces.py 1-300 > before.txt       # on the commit before
    python bench/traces.py 1-300 | diff before.txt -  # on the one after; silence is the proof

Each line is a seed, the number of its steps and the hash over every event and action of all nodes, for a brief world
and every tenth seed a full one of 8 to 16 nodes. A change that must change them says so in its commit.
"""

import os
import sys
from multiprocessing import Pool

from roost.sim.plan import draw_plan
from roost.sim.verdict import Failure, try_out

FULL_EVERY = 10
FULL_NODES = (8, 16)


def trace_of(seed: int) -> str:
    full = seed % FULL_EVERY == 0
    outcome = try_out(draw_plan(seed, FULL_NODES if full else None, brief=not full))
    if isinstance(outcome, Failure):
        return f"{seed} broken: {outcome.message}"
    return f"{seed} {'full' if full else 'brief'} {outcome.steps} {outcome.hash}"


def main() -> None:
    first, _, last = sys.argv[1].partition("-")
    with Pool(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        for line in pool.imap(trace_of, range(int(first), int(last or first) + 1)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
