"""How long the simulator takes for a mesh of 200 nodes that do 10,000 tasks; a minute is the target.

Usage: python bench/mesh_world.py [--nodes 200] [--tasks 10000] [--length 1.0] [array arrays singles ...]

Three ways to hand the tasks in: one array; arrays of 100 elements, a run each; unlike single tasks in one run. Nodes
are Roost's own core (lab/meshes/), one process, nobody looks on. What is printed is wall time, processor time, events
of nodes, and the simulated make-span beside the ideal one. The time in which nodes get to know each other is told, and
belongs to the world.
"""

import argparse
import time
from collections.abc import Callable
from typing import Final

from roost.lab.meshes.measured import MeasuredMesh, Step
from roost.model.ids import RunId

HandIn = Callable[[MeasuredMesh, int, float], list[RunId]]
_WIDTH: Final = 100


def as_array(world: MeasuredMesh, tasks: int, length_s: float) -> list[RunId]:
    return [world.hand_in(0, [Step(tasks, length_s)])]


def as_arrays(world: MeasuredMesh, tasks: int, length_s: float) -> list[RunId]:
    nodes = len(world.mesh.hosts)
    return [world.hand_in(at % nodes, [Step(_WIDTH, length_s)]) for at in range(tasks // _WIDTH)]


def as_singles(world: MeasuredMesh, tasks: int, length_s: float) -> list[RunId]:
    return [world.hand_in(0, [Step(1, length_s)] * tasks)]


WAYS: Final[dict[str, HandIn]] = {"array": as_array, "arrays": as_arrays, "singles": as_singles}


def measure(way: str, nodes: int, tasks: int, length_s: float) -> None:
    began, processor = time.monotonic(), time.process_time()
    world = MeasuredMesh(nodes, 1)
    world.greet()
    greeted, at, steps = time.monotonic(), world.mesh.now, world.steps
    span = world.work(WAYS[way](world, tasks, length_s)) - at
    wall = time.monotonic() - began
    print(
        f"{way}: {nodes} nodes, {tasks} tasks of {length_s:g} s: {wall:.1f} s of wall time, "
        f"{time.process_time() - processor:.1f} s of processor time (of the wall time, {greeted - began:.1f} s until "
        f"all knew all); {world.steps - steps} events and actions; make-span {span:.2f} s, ideal "
        f"{tasks * length_s / nodes:.2f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a large simulated mesh takes.")
    parser.add_argument("ways", nargs="*", default=["array"], help="array, arrays, singles")
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--length", type=float, default=1.0, help="seconds that a task takes")
    asked = parser.parse_args()
    for way in asked.ways:
        measure(way, asked.nodes, asked.tasks, asked.length)


if __name__ == "__main__":
    main()
