"""How a mesh of Roost's own nodes grows: make-span, what is said, what nodes do, and what that costs.

What is said and done follows from the seed. What it costs is measured on this machine: the processor time in which the
simulator lives through one second of one node, which is the core's own time and that of what simulates around it.
"""

import time
from typing import Final

import msgspec

from roost.lab.meshes.measured import MeasuredMesh, Step, Traffic

#: Machines start one after the other, as they do in life; news of newcomers travels in heartbeats for a while.
APART_S: Final = 0.02
NEWS_S: Final = 0.2


class Load(msgspec.Struct, frozen=True):
    nodes: int
    #: Elements of the one array that is handed in, for each node, and how long each takes.
    per_node: int
    length_s: float
    seed: int


class Worked(msgspec.Struct, frozen=True):
    make_span_s: float
    ideal_s: float
    #: For each node and second of the make-span: words to all count once, then as copies to each other node.
    messages: float
    bytes: float
    copied_bytes: float
    #: Events and actions of a node, for each element that it ran.
    steps_per_element: float
    begun: int


class Quiet(msgspec.Struct, frozen=True):
    nodes: int
    measured_s: float
    seed: int


class Idle(msgspec.Struct, frozen=True):
    """What an idle mesh says for each node and second."""

    messages: float
    bytes: float
    copied_bytes: float
    steps: float


class Cost(msgspec.Struct, frozen=True):
    #: Milliseconds of processor time for each simulated second of a node.
    ms_per_node_second: float


def work(load: Load) -> Worked:
    """Let a mesh that knows itself do one array."""
    world = MeasuredMesh(load.nodes, load.seed)
    world.greet()
    began_at, before, steps = world.mesh.now, world.traffic, world.steps
    run = world.hand_in(0, [Step(load.per_node * load.nodes, load.length_s)])
    span = world.work([run]) - began_at
    per = load.nodes * span
    said = world.traffic.less(before)
    elements = load.per_node * load.nodes
    return Worked(
        span,
        load.per_node * load.length_s,
        said.messages / per,
        said.bytes / per,
        said.copied_bytes / per,
        (world.steps - steps) / load.nodes / elements,
        world.begun,
    )


def be_quiet(quiet: Quiet) -> Idle:
    """Let a mesh stand idle that has known itself for long enough that newcomers are no news."""
    said, steps = _settled(quiet)
    per = quiet.nodes * quiet.measured_s
    return Idle(said.messages / per, said.bytes / per, said.copied_bytes / per, steps / per)


def cost_of_quiet(quiet: Quiet) -> Cost:
    """Measure what an idle node costs on this machine."""
    world = _greeted(quiet)
    began = time.process_time()
    world.mesh.until(world.mesh.now + quiet.measured_s)
    return Cost(1000.0 * (time.process_time() - began) / quiet.nodes / quiet.measured_s)


def cost_of_work(load: Load) -> Cost:
    """Measure what a node costs on this machine while there is work."""
    world = MeasuredMesh(load.nodes, load.seed)
    world.greet()
    began, began_at = time.process_time(), world.mesh.now
    run = world.hand_in(0, [Step(load.per_node * load.nodes, load.length_s)])
    span = world.work([run]) - began_at
    return Cost(1000.0 * (time.process_time() - began) / load.nodes / span)


def _greeted(quiet: Quiet) -> MeasuredMesh:
    world = MeasuredMesh(quiet.nodes, quiet.seed, apart_s=APART_S)
    world.mesh.until(quiet.nodes * APART_S)
    world.greet()
    world.mesh.until(world.mesh.now + quiet.nodes * NEWS_S)
    return world


def _settled(quiet: Quiet) -> tuple[Traffic, int]:
    world = _greeted(quiet)
    before, steps = world.traffic, world.steps
    world.mesh.until(world.mesh.now + quiet.measured_s)
    return world.traffic.less(before), world.steps - steps
