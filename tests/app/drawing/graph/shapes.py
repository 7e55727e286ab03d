"""Graphs for tests, written as arrows."""

import random
from collections.abc import Iterable
from itertools import pairwise

from roost.app.drawing.graph.graph import DrawnStep, Graph, Link, joined_links


def graph(*arrows: str, steps: Iterable[DrawnStep] = (), name: str = "test") -> Graph:
    """``graph("a > b > c", "a > c")``; steps that need more than a name are given beside."""
    given = {step.key: step for step in steps}
    links = []
    for arrow in arrows:
        names = [word.strip() for word in arrow.split(">")]
        for word in names:
            given.setdefault(word, DrawnStep(word, word))
        links += [Link(source, target) for source, target in pairwise(names)]
    return Graph(name, list(given.values()), joined_links(links))


def random_graph(seed: int, size: int, density: tuple[int, ...] = (1, 1, 2), reach: int = 8) -> Graph:
    chance = random.Random(seed)
    steps = [DrawnStep(f"s{at}", f"step_{at}") for at in range(size)]
    links = [
        Link(f"s{chance.randrange(max(0, at - reach), at)}", f"s{at}")
        for at in range(1, size)
        for _ in range(chance.choice(density))
    ]
    return Graph("random", steps, joined_links(links))


def fan_of_chains(width: int) -> Graph:
    """A split, three steps for each part, and a join."""
    middle = [(kind, at) for at in range(width) for kind in ("map", "sort", "trim")]
    steps = [
        DrawnStep("split", "split"),
        *(DrawnStep(f"{kind}{at}", f"{kind}_{at:04}") for kind, at in middle),
        DrawnStep("join", "join"),
    ]
    links = [Link("split", f"map{at}") for at in range(width)]
    links += [Link(f"map{at}", f"sort{at}") for at in range(width)]
    links += [Link(f"sort{at}", f"trim{at}") for at in range(width)]
    links += [Link(f"trim{at}", "join") for at in range(width)]
    return Graph("fan", steps, links)
