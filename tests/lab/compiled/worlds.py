"""Small worlds that both engines live through, from a seed."""

from random import Random
from typing import NamedTuple

import numpy as np

from roost.lab.compiled.lives import chance, stay_s
from roost.lab.compiled.run import Lives, run
from roost.lab.worlds.lifetimes import Churn
from roost.lab.worlds.published import Chance, PublishedWorld
from roost.lab.worlds.reading import Reading
from roost.lab.worlds.scenarios import Work
from roost.lab.worlds.world import Piece
from roost.policy.reliability import Weibull


class SmallWorld(NamedTuple):
    nodes: list[Churn]
    work: list[Work]
    seed: int


def small_world(seed: int, *, shape: float = 1.0, k: float = 1.0, speeds: bool = False) -> SmallWorld:
    """Between 5 and 40 nodes, half of which leave often, and a few tasks for each."""
    rng = Random(f"small world {seed}")
    count = rng.randint(5, 40)
    nodes = []
    for _ in range(count):
        up_s, away_s = rng.choice(((1e5, 1e3), (1e4, 1e3), (3e3, 300.0)))
        speed = rng.choice((0.5, 1.0, 2.0)) if speeds else 1.0
        nodes.append(Churn(Weibull(up_s, shape), Weibull(away_s, shape), speed))
    work = []
    for _ in range(count * rng.randint(1, 12)):
        stated_s = rng.uniform(*rng.choice(((1.0, 1500.0), (1500.0, 6000.0), (6000.0, 25000.0))))
        work.append(Work(stated_s, rng.uniform(stated_s / k, stated_s * k)))
    return SmallWorld(nodes, work, seed)


def chance_of(world: SmallWorld) -> Chance:
    def stays(node: int, turn: int) -> float:
        churn = world.nodes[node]
        lifetime = churn.away if turn % 2 else churn.up
        assert isinstance(lifetime, Weibull)
        return float(stay_s(world.seed, node, turn, lifetime.scale_s, lifetime.shape))

    return Chance(
        stays,
        lambda task, node: float(chance(world.seed + 1, task, node)),
        lambda node, executions: float(chance(world.seed + 2, node, executions)),
    )


def lives_of(world: SmallWorld) -> Lives:
    ups = [churn.up for churn in world.nodes]
    aways = [churn.away for churn in world.nodes]
    assert all(isinstance(one, Weibull) for one in (*ups, *aways))
    return Lives(
        np.array([one.scale_s for one in ups if isinstance(one, Weibull)]),
        np.array([one.shape for one in ups if isinstance(one, Weibull)]),
        np.array([one.scale_s for one in aways if isinstance(one, Weibull)]),
        np.array([one.shape for one in aways if isinstance(one, Weibull)]),
        np.array([churn.speed for churn in world.nodes]),
    )


def plain_pieces(policy: str, world: SmallWorld, reading: Reading) -> list[Piece]:
    plain = PublishedWorld(policy, world.nodes, world.work, reading, chance_of(world))
    plain.run()
    return plain.pieces


def compiled_pieces(policy: str, world: SmallWorld, reading: Reading) -> list[Piece]:
    stated = np.array([one.stated_s for one in world.work])
    length = np.array([one.length_s for one in world.work])
    state = run(policy, lives_of(world), stated, length, seed=world.seed, reading=reading, pieces=100 * len(stated))
    kept = state.pieces[: state.world[0]["traced"]]
    return [
        Piece(int(p["node"]), int(p["task"]), float(p["began"]), float(p["ended"]), bool(p["is_done"])) for p in kept
    ]
