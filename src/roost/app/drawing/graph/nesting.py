"""Pools as boxes around their steps: a graph as boxes in boxes, each with the links between what it holds.

A link that leads into a pool ends at its box. If that would close a circle, because something outside stands between
two steps of one pool, the pool's box is left away and its steps stand free.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from roost.app.drawing.graph.graph import DrawnStep, Graph, Link, joined_links

#: The key of the outermost box.
ROOT = ""


@dataclass(slots=True)
class Box:
    """A pool, or the whole drawing: what is in it, and what leads where between those."""

    key: str
    label: str
    #: The step that stands for the pool itself, if there is one.
    step: DrawnStep | None = None
    children: list["DrawnStep | Box"] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)


def nested(graph: Graph) -> Box:
    """Return the outermost box."""
    pools = {step.pool for step in graph.steps if step.pool}
    while True:
        nesting = _Nesting(graph, pools)
        circular = nesting.pools_in_circles()
        if not circular:
            return nesting.root
        pools -= circular


class _Nesting:
    """One attempt to draw these pools as boxes."""

    def __init__(self, graph: Graph, pools: set[str]) -> None:
        self._inside = {step.key: step.pool if step.pool in pools else ROOT for step in graph.steps}
        self.root = Box(ROOT, graph.name)
        self._boxes = {ROOT: self.root} | {pool: _empty_box(graph, pool) for pool in sorted(pools)}
        self._placed = {ROOT}
        for step in graph.steps:
            if self._is_itself_a_box(step.key):
                self._box(step.key)
            else:
                self._box(self._inside[step.key]).children.append(step)
        self._give_links(graph)

    def pools_in_circles(self) -> set[str]:
        pool_of = {box.key: pool for pool, box in self._boxes.items()}
        return {pool_of[key] for box in self._boxes.values() for key in _in_circles(box) if key in pool_of}

    def _is_itself_a_box(self, key: str) -> bool:
        return key in self._boxes and self._boxes[key].step is not None

    def _box(self, pool: str) -> Box:
        """Return the box of a pool, after putting it into the one around it."""
        if pool not in self._placed:
            self._placed.add(pool)
            self._box(self._around(pool)).children.append(self._boxes[pool])
        return self._boxes[pool]

    def _around(self, pool: str) -> str:
        """Return the pool that a pool is in; none, if it would be in itself in the end."""
        outer, seen = self._inside.get(pool, ROOT), {pool}
        while outer != ROOT and outer not in seen:
            seen.add(outer)
            outer = self._inside.get(outer, ROOT)
        return self._inside.get(pool, ROOT) if outer == ROOT else ROOT

    def _path(self, key: str) -> list[str]:
        """Return the pools around a step from the outermost inwards, and the key of what is drawn for it."""
        is_box = self._is_itself_a_box(key)
        pool = self._around(key) if is_box else self._inside[key]
        path = [key]
        while pool != ROOT:
            path.append(pool)
            pool = self._around(pool)
        return [ROOT, *path[::-1]]

    def _give_links(self, graph: Graph) -> None:
        """Give each link to the innermost box that holds both its ends."""
        paths = {step.key: self._path(step.key) for step in graph.steps}
        for link in graph.links:
            source, target = paths[link.source], paths[link.target]
            depth = 1
            while depth < min(len(source), len(target)) - 1 and source[depth] == target[depth]:
                depth += 1
            ends = self._end(source, depth), self._end(target, depth)
            self._boxes[source[depth - 1]].links.append(Link(*ends, link.bare, link.stands_for))
        for box in self._boxes.values():
            box.links = joined_links(box.links)

    def _end(self, path: list[str], depth: int) -> str:
        """Return the key of what a link ends at: a box on the way to the step, or the step."""
        return path[depth] if depth == len(path) - 1 else self._boxes[path[depth]].key


def _empty_box(graph: Graph, pool: str) -> Box:
    """A pool is a node of its own in some languages; in others it is named after the step whose list it maps."""
    known = graph.by_key.get(pool)
    if known is not None and known.kind == "pool":
        return Box(pool, known.label, known)
    return Box(f"pool {pool}", f"for each of {known.label if known is not None else pool}")


def _in_circles(box: Box) -> Iterable[str]:
    """Return what is left when everything is taken away that nothing leads to, or that leads to nothing."""
    links = {(link.source, link.target) for link in box.links}
    while links:
        sources, targets = {source for source, _ in links}, {target for _, target in links}
        kept = {(source, target) for source, target in links if source in targets and target in sources}
        if kept == links:
            return sorted(sources | targets)
        links = kept
    return ()
