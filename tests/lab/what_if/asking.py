"""What tests of the what-if share: machines and work that are made in a line."""

from collections.abc import Sequence

from roost.lab.what_if.machines import Machine, machines_of
from roost.lab.what_if.outcome import Outcome, Piece
from roost.lab.what_if.work import Link, Measured, Task, Work
from roost.lab.what_if.world import World
from roost.model.task import EdgeKind


def machines(*descriptions: str) -> list[Machine]:
    return machines_of(list(descriptions))


def array(name: str, *seconds: float, after: Sequence[tuple[int, EdgeKind]] = (), is_pure: bool = False) -> Task:
    """Return an array whose elements take so long."""
    links = tuple(Link(source, kind) for source, kind in after)
    return Task(name, (0, len(seconds)), Measured(seconds), links, is_pure=is_pure)


def work(*tasks: Task) -> Work:
    return Work(tasks)


def lived(policy: str, on: Sequence[Machine], what: Work, seed: str = "1") -> Outcome:
    return World(policy, on, what, seed).run()


def pieces(policy: str, on: Sequence[Machine], what: Work, seed: str = "1") -> list[Piece]:
    world = World(policy, on, what, seed, keeps_pieces=True)
    assert world.run().is_done
    return list(world.pieces)
