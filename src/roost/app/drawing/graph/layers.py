"""A layered layout: each step one layer below the lowest of its sources, ordered so that few links cross.

- Layers are by longest path. A circle, which no valid workflow has, is cut where it is found.
- A link that passes layers passes a knot in each; all links of one source share their knots.
- The order within a layer is by barycentre: steps move to the mean place of their neighbours above, then below, a few
  times; the order with the fewest crossings stays. Ties keep the order of the file, so the same graph is always drawn
  the same way.
- Places: each step wants to be at the mean of its neighbours; the nearest places that keep the order and the gaps are
  found exactly and in linear time (pool adjacent violators).
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from roost.app.drawing.graph.graph import Graph, ends_of

_SWEEPS = 8
_PLACING_SWEEPS = 6

#: A step's key, or a knot: the source of the links that pass it, and its layer.
Item = str | tuple[str, int]


@dataclass(slots=True)
class Layout:
    """Items by layer, from the top and from the left, with the places of their middles."""

    layers: list[list[Item]]
    #: From an item to the items of the next layer that its links lead to.
    down: dict[Item, list[Item]]
    middle: dict[Item, float] = field(default_factory=dict)
    width: float = 0.0


def layer_numbers(graph: Graph) -> dict[str, int]:
    """Return the layer of each step: one more than the largest of its sources."""
    return longest_paths([step.key for step in graph.steps], graph.into, graph.out_of)


def longest_paths(
    keys: Sequence[str], into: Mapping[str, Sequence[str]], out_of: Mapping[str, Sequence[str]]
) -> dict[str, int]:
    missing = {key: len(into[key]) for key in keys}
    layer = dict.fromkeys(keys, 0)
    ready = [key for key in keys if not missing[key]]
    placed: set[str] = set()
    rest = iter(keys)
    while True:
        for key in ready:
            placed.add(key)
            for target in out_of[key]:
                missing[target] -= 1
                layer[target] = max(layer[target], layer[key] + 1) if target not in placed else layer[target]
                if not missing[target] and target not in placed:
                    ready.append(target)
        # Whatever is left is in a circle, or behind one: begin with the first of it.
        first = next((key for key in rest if key not in placed), None)
        if first is None:
            return layer
        missing[first] = 0
        ready = [first]


def arranged(
    keys: Sequence[str], links: Iterable[tuple[str, str]], widths: Mapping[str, float], gap: float, knot: float = 1.0
) -> Layout:
    """Lay out steps of the given widths; ``knot`` is the width of a place where links pass."""
    pairs = list(links)
    into = ends_of(keys, ((target, source) for source, target in pairs))
    out_of = ends_of(keys, pairs)
    layout = _layered(keys, out_of, longest_paths(keys, into, out_of))
    up = _reversed(layout.down)
    _order(layout, up)
    _place(
        layout,
        up,
        {item: widths[item] if isinstance(item, str) else knot for row in layout.layers for item in row},
        gap,
    )
    return layout


def _layered(keys: Sequence[str], out_of: Mapping[str, Sequence[str]], number: Mapping[str, int]) -> Layout:
    layers: list[list[Item]] = [[] for _ in range(1 + max(number.values(), default=-1))]
    for key in keys:
        layers[number[key]].append(key)
    down: dict[Item, list[Item]] = {key: [] for key in keys}
    for key in keys:
        # A link upwards is one that closes a circle; it is not drawn.
        lower = [target for target in out_of[key] if number[target] > number[key]]
        deepest = max((number[target] for target in lower), default=0)
        path: dict[int, Item] = {number[key]: key}
        for layer in range(number[key] + 1, deepest):
            knot: Item = (key, layer)
            path[layer] = knot
            layers[layer].append(knot)
            down[knot] = []
            down[path[layer - 1]].append(knot)
        for target in lower:
            down[path[number[target] - 1]].append(target)
    return Layout(layers, down)


def _reversed(down: Mapping[Item, Sequence[Item]]) -> dict[Item, list[Item]]:
    up: dict[Item, list[Item]] = {item: [] for item in down}
    for item, targets in down.items():
        for target in targets:
            up[target].append(item)
    return up


def _order(layout: Layout, up: Mapping[Item, Sequence[Item]]) -> None:
    best, fewest = [list(row) for row in layout.layers], _crossings(layout.layers, layout.down)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        down_wards = sweep % 2 == 0
        rows = layout.layers if down_wards else layout.layers[::-1]
        neighbours = up if down_wards else layout.down
        for before, row in pairwise(rows):
            place = {item: at for at, item in enumerate(before)}
            mean = {item: _mean([place[other] for other in neighbours[item]], at) for at, item in enumerate(row)}
            row.sort(key=mean.__getitem__)
        crossings = _crossings(layout.layers, layout.down)
        if crossings < fewest:
            best, fewest = [list(row) for row in layout.layers], crossings
    layout.layers = best


def _mean(places: Sequence[float], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise


def _crossings(layers: Sequence[Sequence[Item]], down: Mapping[Item, Sequence[Item]]) -> int:
    total = 0
    for row, below in pairwise(layers):
        place = {item: at for at, item in enumerate(below)}
        seen: list[int] = []
        for item in row:
            ends = sorted(place[target] for target in down[item])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            seen = sorted(seen + ends)
    return total


def _place(layout: Layout, up: Mapping[Item, Sequence[Item]], width: Mapping[Item, float], gap: float) -> None:
    middle = layout.middle
    for row in layout.layers:
        at = 0.0
        for item in row:
            middle[item] = at + width[item] / 2
            at += width[item] + gap
    for sweep in range(_PLACING_SWEEPS):
        downwards = sweep % 2 == 0
        for row in layout.layers if downwards else layout.layers[::-1]:
            neighbours = up if downwards else layout.down
            wanted = [_mean([middle[other] for other in neighbours[item]], middle[item]) for item in row]
            apart = [(width[a] + width[b]) / 2 + gap for a, b in pairwise(row)]
            for item, at in zip(row, nearest_places(wanted, apart), strict=True):
                middle[item] = at
    left = min((middle[item] - width[item] / 2 for item in middle), default=0.0)
    for item in middle:
        middle[item] -= left
    layout.width = max((middle[item] + width[item] / 2 for item in middle), default=0.0)


def nearest_places(wanted: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Return the places nearest to those that are wanted, in their order and at least ``apart`` from each other."""
    offsets = [0.0]
    for distance in apart:
        offsets.append(offsets[-1] + distance)
    blocks: list[tuple[float, int]] = []
    for at, place in enumerate(wanted):
        total, count = place - offsets[at], 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / count:
            before, size = blocks.pop()
            total, count = total + before, count + size
        blocks.append((total, count))
    places: list[float] = []
    for total, count in blocks:
        places += [total / count + offsets[len(places) + step] for step in range(count)]
    return places
