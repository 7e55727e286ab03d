"""The command line of the measures of a mesh: takes them one after the other, prints a table, keeps the figures."""

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from bench.mesh import churn, collisions, elsewhere, idle, makespan, queue, suspicions, takeover, throughput
from bench.mesh.figures import Figure, Options
from netlab.errors import LabError


class Measure(Protocol):
    """A module that measures one thing."""

    TITLE: str

    def measure(self, options: Options) -> list[Figure]: ...


MEASURES: Final[dict[str, Measure]] = {
    "elsewhere": elsewhere,
    "takeover": takeover,
    "collisions": collisions,
    "throughput": throughput,
    "queue": queue,
    "makespan": makespan,
    "churn": churn,
    "suspicions": suspicions,
    "idle": idle,
}
_RESULTS: Final = Path(__file__).parents[1] / "results"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="bench/mesh/run", description="What a mesh of five nodes does in which time.")
    made.add_argument("--only", metavar="A,B", help=f"these measures: {', '.join(MEASURES)}")
    made.add_argument("--seconds", type=float, default=600.0, help="how long suspicions are counted (600)")
    made.add_argument("--quick", action="store_true", help="a tenth of everything: tries the measures, proves nothing")
    return made


def main() -> None:
    asked = parser().parse_args()
    names = list(MEASURES) if asked.only is None else asked.only.split(",")
    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        sys.exit(f"there is no measure called {unknown[0]!r}; choose from: {', '.join(MEASURES)}")
    options = Options(asked.quick, asked.seconds / 10 if asked.quick else asked.seconds)
    load_before, taken = os.getloadavg(), {}
    for name in names:
        taken[name] = _take(name, options)
    print(f"load {load_before[0]:.1f} before, {os.getloadavg()[0]:.1f} after, {os.cpu_count()} processors")
    print(f"All figures: {_keep(taken, load_before)}")


def _take(name: str, options: Options) -> list[Figure]:
    began = time.monotonic()
    try:
        figures = MEASURES[name].measure(options)
    except LabError as error:
        sys.exit(f"bench/mesh/run: {error}")
    print(f"{MEASURES[name].TITLE} ({time.monotonic() - began:.0f} s)")
    for figure in figures:
        verdict = {True: "MET", False: "NOT MET", None: ""}[figure.met]
        value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:.4g}"
        print(f"  {figure.name:45} {value:>10} {figure.unit:16} {figure.asked:14} {verdict}".rstrip())
    print(flush=True)
    return figures


def _keep(taken: dict[str, list[Figure]], load_before: tuple[float, float, float]) -> Path:
    _RESULTS.mkdir(exist_ok=True)
    path = _RESULTS / f"mesh-{datetime.now().astimezone():%Y-%m-%d-%H%M%S}.json"
    kept = {name: [asdict(figure) | {"met": figure.met} for figure in figures] for name, figures in taken.items()}
    machine = {"processors": os.cpu_count(), "load_before": load_before, "load_after": os.getloadavg()}
    path.write_text(json.dumps({"machine": machine, "figures": kept}, indent=1))
    return path


if __name__ == "__main__":
    main()
