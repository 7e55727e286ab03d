"""What a choice costs: for every policy, over the real view of a node in a mesh of three.

    PYTHONPATH=. python bench/choosing.py                        # 1,000 records with 100 and with 10,000 elements
    PYTHONPATH=. python bench/choosing.py --records 100 --looks 50

A node of which all lanes are free has so many records waiting, with lengths as in HTC's medium workload. Its policy is
asked again and again with a view as the core makes it (core/medium/view.py), a fresh one each time, and wants nothing.
One of the others leaves often, so that the default weighs. Targets: a choice takes less than 1 ms, and no longer with
more elements; so do fitting a lifetime to a full log, and scoring.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from random import Random

from roost.core.events import Awoke
from roost.core.staying import REFIT_S
from roost.model.limits import ONLINE_STRETCHES_MAX
from roost.model.online import OnlineLog, Stretch
from roost.policy.catalogue import POLICIES
from roost.policy.choose import Choice, Policy, View
from roost.policy.expected_time import time_until_done
from roost.policy.reliability import fitness_score, reliability_of, survival_score
from tests.core.company import Company
from tests.core.harness import task

TARGET_S = 1e-3
NAMES = ("ash", "elm", "oak")
#: Of each record: 1,000 of them are 100,000 and 10,000,000 elements.
ELEMENTS = (100, 10_000)


class Stopwatch:
    """A policy that wants nothing, and measures how long another one takes to choose."""

    def __init__(self) -> None:
        self.policy: Policy | None = None
        self.taken_s: list[float] = []
        self.choices = 0

    def __call__(self, view: View) -> Sequence[Choice]:
        if self.policy is not None:
            begin = time.perf_counter()
            choices = self.policy(view)
            self.taken_s.append(time.perf_counter() - begin)
            self.choices += len(choices)
        return ()


def often_away(count: int, rng: Random) -> OnlineLog:
    """Return the log of a node that is on line for a few hours at a time."""
    now, stretches = 0.0, []
    for _ in range(count):
        ended = now + rng.weibullvariate(7899.995, 0.7)
        stretches.append(Stretch(now, ended))
        now = ended + 1000.0
    return OnlineLog(tuple(stretches))


def mesh_with(records: int, elements: int, watch: Stopwatch, log: OnlineLog) -> Company:
    """Return a mesh in which so much waits. The last of its nodes leaves often, and says so."""
    rng = Random("choosing")
    company = Company(*NAMES, policies=dict.fromkeys(NAMES, watch), cpus=4.0)
    company[NAMES[-1]].feed(Awoke(log))
    company.wait(REFIT_S + 2.0)
    specs = [task(f"t{at}", elements, at=at / 1000, stated_s=rng.uniform(1500.0, 6000.0)) for at in range(records)]
    company[NAMES[0]].submit(*specs)
    company.wait(2.0)
    return company


def measure(policy: Policy, company: Company, watch: Stopwatch, log: OnlineLog, looks: int) -> tuple[float, float]:
    """Return the median and the longest of the times of so many choices."""
    node = company[NAMES[0]]
    watch.policy, watch.taken_s, watch.choices = policy, [], 0
    while len(watch.taken_s) < looks:
        node.feed(Awoke(log))
    watch.policy = None
    assert watch.choices, "it wanted something each time"
    return statistics.median(watch.taken_s), max(watch.taken_s)


def print_choices(records: int, looks: int) -> None:
    log = often_away(50, Random("log"))
    columns = []
    for elements in ELEMENTS:
        watch = Stopwatch()
        company = mesh_with(records, elements, watch, log)
        columns.append({name: measure(one.policy, company, watch, log, looks) for name, one in POLICIES.items()})
    print(f"{'choice':12}" + "".join(f"{records * elements:>16,} elements" for elements in ELEMENTS))
    for name in POLICIES:
        cells = [f"{median * 1e3:8.3f} ms (at most {most * 1e3:6.3f})" for median, most in (c[name] for c in columns)]
        late = "" if all(column[name][0] < TARGET_S for column in columns) else "  TOO SLOW"
        print(f"{name:10}{''.join(cells)}{late}", flush=True)


def print_fits() -> None:
    log = often_away(ONLINE_STRETCHES_MAX, Random("log"))
    lifetime = reliability_of(log, 0.0, 5000.0).lifetime
    print(f"fit of {ONLINE_STRETCHES_MAX} stretches {best_of(lambda: reliability_of(log, 0.0, 5000.0)) * 1e3:8.3f} ms")
    print(f"f1                   {best_of(lambda: survival_score(lifetime, 3600.0, 5000.0)) * 1e3:8.4f} ms")
    print(f"f2                   {best_of(lambda: fitness_score(lifetime, 3600.0, 5000.0)) * 1e3:8.4f} ms")
    print(f"time until done      {best_of(lambda: time_until_done(lifetime, 3600.0, 5000.0)) * 1e3:8.4f} ms")


def best_of(work: Callable[[], object], tries: int = 50) -> float:
    taken = []
    for _ in range(tries):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--looks", type=int, default=30)
    asked = parser.parse_args()
    print_choices(asked.records, asked.looks)
    print_fits()


if __name__ == "__main__":
    main()
