"""The command line of the benchmarks."""

import argparse
import json
import signal
import sys
from datetime import datetime
from pathlib import Path

import footprint

from harness import machine, measures, peers, report, targets
from harness.child import importable
from harness.install import install, interpreter
from harness.rounds import Plan, Taken

DISTRIBUTIONS = ["roost", "ray", "distributed", "parsl", "hyperqueue"]


def main(bench: Path) -> None:
    """Take the measures that were asked for, print the tables, keep the figures."""
    asked = _arguments()
    if sys.platform != "linux":
        raise SystemExit("The benchmarks read /proc and need Linux.")
    wanted, rows = measures.named(asked.only), peers.named(asked.peers)
    python = install(bench.parent) if asked.install else Path(asked.python or interpreter(bench.parent))
    footprint.adopt_orphans()
    # An end by TERM unwinds like any other, so that the tool under measurement is ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    facts = machine.description(python) | {"versions": machine.versions(python, DISTRIBUTIONS)}
    _print_facts(facts)
    present = [peer for peer in rows if _present(python, peer)]
    plan = Plan(python, 1 if asked.quick else asked.rounds, asked.quick)
    taken = plan.take(wanted, present, lambda line: print(f"  {line}", file=sys.stderr, flush=True))
    facts["load_after"] = machine.load()
    _finish(bench, facts, wanted, taken)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run", description="Roost beside other tools, with two workers each.")
    parser.add_argument("--install", action="store_true", help="first make .venv-bench and install all tools into it")
    parser.add_argument("--only", metavar="A,B", help=f"these measures: {', '.join(m.name for m in measures.MEASURES)}")
    parser.add_argument("--peers", metavar="A,B", help=f"beside these: {', '.join(p.name for p in peers.PEERS[1:])}")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each measure (3)")
    parser.add_argument("--quick", action="store_true", help="one round of a tenth: tries the harness, proves nothing")
    parser.add_argument("--python", help="the interpreter that has the tools (default: that of .venv-bench if made)")
    return parser.parse_args()


def _present(python: Path, peer: peers.Peer) -> bool:
    found = importable(python, peer.module)
    if not found:
        print(f"{peer.name} is not installed; `bench/run --install` installs it.")
    return found


def _print_facts(facts: dict) -> None:
    print(f"{facts['cpu']}, {facts['cpus']} processors, {facts['system']}, {facts['python']}")
    print(f"load {facts['load']}, {facts['taken_at']}, 2 workers each")
    print(", ".join(f"{name} {version}" for name, version in facts["versions"].items()), flush=True)


def _finish(bench: Path, facts: dict, wanted: list[measures.Measure], taken: Taken) -> None:
    best = report.best_figures(wanted, taken)
    verdicts = targets.verdicts(best, {measure.name for measure in wanted})
    print("\n'roost is x 2' means that Roost is twice as good, be it faster or smaller; best against best.")
    for measure in wanted:
        of_measure = [verdict for verdict in verdicts if verdict.measure.removesuffix("_cpu") == measure.name]
        print(f"\n{report.table(measure, taken, of_measure)}")
    met = sum(verdict.met is True for verdict in verdicts)
    print(f"\n{met} of {len(verdicts)} targets met; load {facts['load']} before, {facts['load_after']} after.")
    kept = {"machine": facts, "figures": taken.figures, "failures": taken.failures, "best": best}
    kept["targets"] = [vars(verdict) for verdict in verdicts]
    print(f"All figures: {_keep(bench / 'results', kept)}")


def _keep(folder: Path, results: dict) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{datetime.now().astimezone():%Y-%m-%d-%H%M%S}.json"
    path.write_text(json.dumps(results, indent=1))
    return path
