"""Policies beside each other in the laboratory's worlds: HTC's nine scenarios with two kinds of failures (HTC ch. 4).

    python bench/policies.py                                  # all twelve, of reduced size: minutes
    python bench/policies.py --policies bfgc,roost --seeds 10
    python bench/policies.py --k 3                            # what people state is wrong by up to this factor

For each scenario it prints the make-span, that of 99.9 % of the tasks, and the time that was lost, as multiples of the
shortest make-span there could be and of all the work; then by how much the default is better than the best of the
others. All policies meet the same work and the same failures.
"""

import argparse
import os
from multiprocessing import Pool

from roost.lab.worlds.comparison import Measure, Result, Size, try_policy
from roost.lab.worlds.scenarios import SCENARIOS, Scenario
from roost.policy.catalogue import DEFAULT_POLICY, POLICIES


def measured(task: tuple[str, Scenario, Size]) -> Result:
    return try_policy(*task)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--nodes", type=int, default=Size().nodes)
    parser.add_argument("--each", type=float, default=Size().each_s, help="seconds of work for each node")
    parser.add_argument("--seeds", type=int, default=Size().seeds)
    parser.add_argument("--k", type=float, default=Size().k)
    return parser.parse_args()


def shown(measure: Measure) -> str:
    return f"{measure.mean:.2f} ± {measure.error:.2f}"


def main() -> None:
    asked = arguments()
    names = asked.policies.split(",")
    size = Size(asked.nodes, asked.each, asked.seeds, asked.k)
    print(f"{size.nodes} nodes, {size.each_s:g} s of work for each, {size.seeds} seeds, k = {size.k:g}")
    print("make-span / of 99.9 % / time lost")
    tasks = [(name, scenario, size) for scenario in SCENARIOS for name in names]
    with Pool(int(os.environ.get("JOBS", "1"))) as pool:
        results = pool.imap(measured, tasks)
        for scenario in SCENARIOS:
            print(f"\n{scenario.model.value}, {scenario.name}", flush=True)
            found: dict[str, Result] = {}
            for name in names:
                result = found[name] = next(results)
                row = (shown(result.make_span), shown(result.make_span_999), shown(result.wasted))
                given_up = f"  {result.given_up} given up" if result.given_up else ""
                print(f"  {name:9} {'   '.join(row)}{given_up}", flush=True)
            print_verdict(found)


def print_verdict(found: dict[str, Result]) -> None:
    others = {name: result for name, result in found.items() if name != DEFAULT_POLICY}
    if DEFAULT_POLICY in found and others:
        best = min(others, key=lambda name: others[name].make_span.mean)
        theirs, ours = others[best].make_span, found[DEFAULT_POLICY].make_span
        print(f"  {DEFAULT_POLICY} is {1 - ours.mean / theirs.mean:+.1%} shorter than {best}, the best of the others")


if __name__ == "__main__":
    main()
