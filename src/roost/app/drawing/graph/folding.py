"""Making large graphs small: what looks alike is drawn once, with a count.

Rules, applied in this order while there are more steps than the limit
- Steps that hang between the same sources and the same targets, are in the same pool and of one kind, become one: fans.
- A chain of steps in which each has one source and one target becomes one.
  Both are repeated, because a fan of chains becomes a fan of steps, and a chain of fans a chain.
- Steps of one layer with one kind of name become one.
- Whatever is left of a layer becomes one; then, layers that follow each other.
So any graph ends below the limit, and one that is small enough is drawn as it is. Each rule takes time in proportion
to the graph.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

from roost.app.drawing.graph.graph import DrawnStep, Graph, Link, joined_counts, joined_links, stem
from roost.app.drawing.graph.layers import layer_numbers

#: The shortest chain, and the smallest fan, that are worth folding.
_FOLDED_FROM = 3
_ROUNDS_MAX = 12
#: Stands before the number of steps that are drawn as one.
TIMES = "\N{MULTIPLICATION SIGN}"

Group = Sequence[DrawnStep]


def folded(graph: Graph, limit: int) -> Graph:
    """Return a graph of at most ``limit`` steps, the same one if it has no more."""
    for _ in range(_ROUNDS_MAX):
        before = len(graph.steps)
        if len(graph.steps) > limit:
            graph = _grouped(graph, _by_neighbours(graph))
        if len(graph.steps) > limit:
            graph = _without_chains(graph)
        if len(graph.steps) == before:
            break
    for key in (_by_layer_and_name, _by_layer):
        if len(graph.steps) > limit:
            graph = _grouped(graph, key(graph), from_size=2)
    if len(graph.steps) > limit:
        graph = _grouped(graph, _by_band(graph, limit), from_size=2)
    return graph


def _by_neighbours(graph: Graph) -> Callable[[DrawnStep], Hashable]:
    into, out_of = graph.into, graph.out_of
    pools = {step.pool for step in graph.steps}
    return lambda step: (
        step.kind,
        step.pool,
        # Steps around which others are drawn are not drawn as one.
        step.key if step.kind == "pool" or step.key in pools else "",
        tuple(sorted(set(into[step.key]))),
        tuple(sorted(set(out_of[step.key]))),
        # Without any neighbour there is nothing but the name to tell what belongs together.
        "" if into[step.key] or out_of[step.key] else stem(step.label),
    )


def _by_layer_and_name(graph: Graph) -> Callable[[DrawnStep], Hashable]:
    layers = layer_numbers(graph)
    return lambda step: (layers[step.key], step.pool, step.names or stem(step.label))


def _by_layer(graph: Graph) -> Callable[[DrawnStep], Hashable]:
    layers = layer_numbers(graph)
    return lambda step: layers[step.key]


def _by_band(graph: Graph, limit: int) -> Callable[[DrawnStep], Hashable]:
    layers = layer_numbers(graph)
    thickness = -(-(1 + max(layers.values())) // limit)
    return lambda step: layers[step.key] // thickness


def _grouped(graph: Graph, key: Callable[[DrawnStep], Hashable], from_size: int = _FOLDED_FROM) -> Graph:
    groups: dict[Hashable, list[DrawnStep]] = {}
    for step in graph.steps:
        groups.setdefault(key(step), []).append(step)
    return _replaced(graph, [group for group in groups.values() if len(group) >= from_size])


def _without_chains(graph: Graph) -> Graph:
    into, out_of = graph.into, graph.out_of

    def follows(step: DrawnStep) -> DrawnStep | None:
        """Return the step that hangs on this one alone, if it is the only one."""
        targets = out_of[step.key]
        if len(targets) != 1 or len(into[targets[0]]) != 1:
            return None
        target = graph.by_key[targets[0]]
        return target if target.pool == step.pool and target.kind == step.kind else None

    chains: list[list[DrawnStep]] = []
    followers = {target.key for step in graph.steps if (target := follows(step)) is not None}
    for step in graph.steps:
        if step.key in followers:
            continue
        chain = [step]
        while (target := follows(chain[-1])) is not None:
            chain.append(target)
        if len(chain) >= _FOLDED_FROM:
            chains.append(chain)
    return _replaced(graph, chains)


def _replaced(graph: Graph, groups: Iterable[Group]) -> Graph:
    """Draw each group as one step, in the place of its first."""
    stand_in = {step.key: group[0].key for group in groups for step in group}
    one_for = {group[0].key: _as_one(group) for group in groups}
    steps = [one_for.get(step.key, step) for step in graph.steps if stand_in.get(step.key, step.key) == step.key]
    # A step whose pool is drawn as another is in that one.
    steps = [replace(step, pool=stand_in.get(step.pool, step.pool)) for step in steps]
    links = joined_links(
        Link(stand_in.get(link.source, link.source), stand_in.get(link.target, link.target), link.bare, link.stands_for)
        for link in graph.links
    )
    return Graph(graph.name, steps, links)


def _as_one(group: Group) -> DrawnStep:
    first = group[0]
    count = sum(step.stands_for for step in group)
    names = tuple(dict.fromkeys(name for step in group for name in step.names or (stem(step.label),)))
    between = ", " if len(names) == 2 else " … "
    label = names[0] if len(names) == 1 else f"{names[0]}{between}{names[-1]}"
    kinds = {step.kind for step in group}
    pools = {step.pool for step in group}
    return DrawnStep(
        first.key,
        f"{label} {TIMES}{count:,}",
        first.kind if len(kinds) == 1 else "job",
        first.what if len(names) == 1 else "",
        first.pool if len(pools) == 1 else "",
        joined_counts(group),
        count,
        # Two are enough to see that there are several, and the last one to name them.
        names if len(names) <= 2 else (*names[:2], names[-1]),
    )
