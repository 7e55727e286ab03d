"""The compiled engine of HTC chapter 4 beside SimPy on the same model, and how long figure 4.4 takes.

    python bench/engine.py                 # installs SimPy into .venv-bench, where other tools are, and runs there
    python bench/engine.py --here          # runs with the interpreter that it is called with

Both live through the same world: first come, first served, a hundred nodes whose lives are the same to the second, each
of which looks every ten seconds when nothing waits. In SimPy a node is a process that comes, looks, executes and goes.
Both must have the same make-span, or the comparison is void.

What is compared is how many events of the model are done in a second, idle looks among them. The compiled engine works
out which look finds something instead of simulating all; how many events it goes through itself is told beside.
"""

import argparse
import math
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from harness.install import environment, install

PROJECT = Path(__file__).resolve().parent.parent
NODES, WORK_S, SEED, POLL_S = 100, 1e8, 1, 10.0
#: The target: so many times as fast.
RATIO_MIN = 20


class Lived(NamedTuple):
    make_span_s: float
    events: int
    took_s: float


def with_simpy(lives: Any, length_s: Any) -> Lived:
    import simpy  # noqa: PLC0415 - only where it is installed

    from roost.lab.compiled.lives import stay_s  # noqa: PLC0415 - the extra may be missing

    began = time.perf_counter()
    world = simpy.Environment()
    waiting = deque(range(len(length_s)))
    left, tries, events = len(length_s), [0] * len(length_s), 0
    ended = world.event()

    def stays(node: int, turn: int) -> float:
        scale, shape = (lives.away_scale_s, lives.away_shape) if turn % 2 else (lives.up_scale_s, lives.up_shape)
        return float(stay_s(SEED, node, turn, scale[node], shape[node]))

    def is_over() -> None:
        nonlocal left
        left -= 1
        if not left:
            ended.succeed()

    def lives_as(node: int) -> Iterator[Any]:
        nonlocal events
        turn = 0
        while True:
            goes_at = world.now + stays(node, turn)
            while world.now < goes_at:
                events += 1
                if not waiting:
                    yield world.timeout(min(POLL_S, goes_at - world.now))
                    continue
                task = waiting.popleft()
                if world.now + length_s[task] < goes_at:
                    yield world.timeout(length_s[task])
                    is_over()
                    continue
                yield world.timeout(goes_at - world.now)
                tries[task] += 1
                if tries[task] < 100:
                    waiting.appendleft(task)
                else:
                    is_over()
                break
            events += 2
            yield world.timeout(stays(node, turn + 1))
            turn += 2

    for node in range(NODES):
        world.process(lives_as(node))
    world.run(ended)
    return Lived(world.now, events, time.perf_counter() - began)


def compiled(lives: Any, length_s: Any) -> Lived:
    from roost.lab.compiled.run import run  # noqa: PLC0415 - the extra may be missing
    from roost.lab.worlds.reading import Reading  # noqa: PLC0415

    took_s, state = math.inf, None
    for _ in range(5):
        began = time.perf_counter()
        state = run("fcfs", lives, length_s, length_s, seed=SEED, reading=Reading(looks="own", order="number"))
        took_s = min(took_s, time.perf_counter() - began)
    assert state is not None
    return Lived(float(state.world[0]["now"]), int(state.world[0]["events"]), took_s)


def compare() -> bool:
    from roost.lab.compiled.scenario_runs import draw_tasks, lives_of, stable_ones  # noqa: PLC0415
    from roost.lab.worlds.lifetimes import Model  # noqa: PLC0415

    lives = lives_of(stable_ones("mixed", NODES), Model.EXPONENTIAL)
    _, _, length_s = draw_tasks("small", WORK_S, 1.0, SEED)
    began = time.perf_counter()
    compiled(lives, length_s[:10])
    print(f"compiling, or loading what was compiled: {time.perf_counter() - began:.1f} s")
    ours, theirs = compiled(lives, length_s), with_simpy(lives, length_s)
    print(f"{'':10} {'make-span':>14} {'seconds':>9} {'events of the model/s':>22} {'own events/s':>14}")
    for name, one in (("compiled", ours), ("SimPy", theirs)):
        rates = f"{theirs.events / one.took_s:22,.0f} {one.events / one.took_s:14,.0f}"
        print(f"{name:10} {one.make_span_s:14.3f} {one.took_s:9.4f} {rates}")
    same = math.isclose(ours.make_span_s, theirs.make_span_s, rel_tol=1e-9)
    times = theirs.took_s / ours.took_s
    print(f"{times:.0f} times as fast; the target is {RATIO_MIN}")
    if not same:
        print("THE MAKE-SPANS DIFFER: the comparison is void")
    return same and times >= RATIO_MIN


def figure() -> None:
    """Say how long all of figure 4.4 takes, from one repetition of each scenario and policy."""
    from roost.lab.compiled.nine_scenarios import ALL_POLICIES, Nine, Size  # noqa: PLC0415

    cells = Nine(Size(repetitions=1), 0).cells(ALL_POLICIES)
    longest_s, began = 0.0, time.perf_counter()
    for cell in cells:
        before = time.perf_counter()
        cell.call(cell.argument)
        longest_s = max(longest_s, time.perf_counter() - before)
    each_s = (time.perf_counter() - began) / len(cells)
    minutes = each_s * len(cells) * 20 / 60
    print(f"1000 nodes, 1e9 s of work: {each_s:.2f} s a world on average, {longest_s:.2f} s at most")
    print(
        f"figure 4.4 whole, 1,980 worlds: {minutes:.1f} minutes on one core, {minutes / 2:.1f} on two; target 10 on two"
    )


def with_environment() -> Path | None:
    """Return an interpreter that has SimPy and the laboratory; None, loudly, if there is none to be had."""
    if not (environment(PROJECT) / "bin" / "python").exists():
        install(PROJECT)
    python = environment(PROJECT) / "bin" / "python"
    for wanted in (["--editable", f"{PROJECT}[lab]"], ["simpy"]):
        if subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=False).returncode:
            print(f"SKIPPED: {wanted[-1]} could not be installed, so there is nothing to compare with.", flush=True)
            return None
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--here", action="store_true", help="do not make an environment; SimPy must be there")
    if not parser.parse_args().here:
        python = with_environment()
        return subprocess.run([python, __file__, "--here"], check=False).returncode if python else 1
    is_good = compare()
    figure()
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
