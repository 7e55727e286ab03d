"""What every driver shares: it is started for one measure of one tool, takes it, and prints one line of JSON.

A driver is a process of its own, so that a tool that is missing, crashes or hangs costs one cell of the table.
The harness calls it as `drive_ray.py MEASURE '{"count": 2000, "scratch": "/some/folder", ...}'`.
"""

import json
import statistics
import sys
import time
from pathlib import Path

import footprint

WORKERS = 2
CHAIN_STEPS = 4
TRUE = "/bin/true"


def noop(value: int) -> int:
    """The smallest function that still has an argument and a result to carry."""
    return value


def together(values: list[int]) -> int:
    """Take all results of many functions."""
    return len(values)


class Tool:
    """One tool under measurement; a driver overrides what its tool can do.

    `start` imports the tool as well: what a user waits for is the import and the start together.
    """

    def __init__(self, scratch: Path, variant: str) -> None:
        self.scratch = scratch
        self.variant = variant

    def start(self) -> None:
        """Import the tool and start it with two workers."""

    def stop(self) -> None:
        """Leave no process behind."""

    def one(self) -> None:
        """Submit one task and wait for its result."""
        raise NotImplementedError

    def bulk(self, count: int) -> None:
        """Run `count` no-op functions, handed over the way the tool does bulk best."""
        raise NotImplementedError

    def single(self, count: int) -> None:
        """Run `count` no-op functions, each submitted by a call of its own, and collect all results."""
        raise NotImplementedError

    def commands(self, count: int) -> None:
        """Run /bin/true `count` times."""
        raise NotImplementedError

    def chains(self, count: int) -> None:
        """Run `count` chains of four functions, each taking the result of the one before."""
        raise NotImplementedError

    def chain(self, count: int) -> None:
        """Run one chain of `count` functions, each taking the result of the one before."""
        raise NotImplementedError

    def fan_in(self, count: int) -> None:
        """Run `count` functions, and one that takes all their results."""
        raise NotImplementedError

    def processes(self) -> list[int]:
        """Return the processes whose trees are the idle tool."""
        return [footprint.this_process()]


def drive(tool_class: type[Tool]) -> None:
    """Take the measure named on the command line and print `{"value": ..., ...}`."""
    measure, options = sys.argv[1], json.loads(sys.argv[2])
    footprint.adopt_orphans()
    tool = tool_class(Path(options["scratch"]), options.get("variant", ""))
    began = time.perf_counter()
    tool.start()
    try:
        answer = {"value": _first_result(tool, began)} if measure == "start" else _measured(tool, measure, options)
    finally:
        tool.stop()
    print(json.dumps(answer), flush=True)


def _first_result(tool: Tool, began: float) -> float:
    tool.one()
    return time.perf_counter() - began


def _measured(tool: Tool, measure: str, options: dict) -> dict:
    match measure:
        case "latency":
            return _latency(tool, options["count"])
        case "idle" | "rested":
            tool.one()
            return footprint.idle_cost(tool.processes(), options["seconds"])
        case "flat":
            return _cost_by_size(tool, options["sizes"])
        case _:
            work = getattr(tool, measure)
            work(options["warm_up"])
            return {"value": options["count"] / _seconds(lambda: work(options["count"]))}


def _latency(tool: Tool, count: int) -> dict:
    for _ in range(20):
        tool.one()
    taken = sorted(_seconds(tool.one) for _ in range(count))
    return {"value": statistics.median(taken) * 1e3, "p95": taken[int(count * 0.95)] * 1e3}


def _cost_by_size(tool: Tool, sizes: list[int]) -> dict:
    """Microseconds an element, for each size: the best of several for the small ones, which one hiccup would spoil."""
    tool.bulk(sizes[0])
    costs = {}
    for size in sizes:
        repeats = max(1, min(5, 100_000 // size))
        costs[size] = min(_seconds(lambda size=size: tool.bulk(size)) for _ in range(repeats)) / size * 1e6
    return {"value": max(costs.values()) / costs[sizes[0]], "microseconds": costs}


def _seconds(work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
