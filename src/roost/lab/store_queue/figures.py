"""Figures 2.2 to 2.7 of HTC as the document draws them, and one that compares kinds of claims."""

from collections.abc import Callable

from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.store_queue.findings import Found
from roost.lab.store_queue.published import LOADS, table_2_4
from roost.lab.store_queue.runs import Average, Setting
from roost.lab.store_queue.settings import CLUSTER
from roost.lab.store_queue.world import Claim

_LOAD = Axis("load")
_CLAIMS: dict[str, Claim] = {"the table (HTC)": "table", "nothing": "none", "conditional writes": "conditional"}


def all_figures(found: Found) -> tuple[Figure, ...]:
    return (
        _surface(found, "Figure 2.2: bounded slowdown, 20 nodes", "bounded slowdown", found.slowdown),
        _surface(found, "Figure 2.3: node utilisation, 20 nodes", "utilisation (%)", found.utilisation),
        _surface(found, "Figure 2.4: collisions, 20 nodes", "collisions (%)", found.collisions),
        _by_size(found, "Figure 2.5: node utilisation by number of nodes", "utilisation (%)", found.utilisation, True),
        _by_size(found, "Figure 2.6: scheduling time by number of nodes", "scheduling time (s)", found.scheduling_s),
        _by_size(found, "Figure 2.7: collisions by number of nodes", "collisions (%)", found.collisions),
        _by_claim(found),
    )


def _surface(found: Found, title: str, axis: str, value: Callable[[Setting], Average]) -> Figure:
    own = found.parameters
    heights = tuple(
        tuple(value(found.settings.one(CLUSTER, load, longest_s)).mean for load in own.loads)
        for longest_s in own.longest_s
    )
    series = Series(name=axis, kind="surface", x=own.loads, y=own.longest_s, z=heights)
    return Figure(title=title, panels=(Panel(x=_LOAD, y=Axis("longest task (s)"), z=Axis(axis), series=(series,)),))


def _by_size(
    found: Found, title: str, axis: str, value: Callable[[Setting], Average], is_published: bool = False
) -> Figure:
    series = [
        _line(f"{nodes} nodes", [value(found.settings.one(nodes, load)) for load in LOADS]) for nodes in _sizes(found)
    ]
    if is_published:
        for nodes in _sizes(found):
            published = [table_2_4(nodes, load) for load in LOADS]
            means = tuple(one.mean for one in published if one)
            if means:
                name = f"{nodes} nodes, table 2.4"
                series.append(Series(name=name, kind="line", x=LOADS, y=means, is_reference=True))
    return Figure(title=title, panels=(Panel(x=_LOAD, y=Axis(axis), series=tuple(series)),))


def _by_claim(found: Found) -> Figure:
    panels = []
    for axis, value in (
        ("collisions (%)", found.collisions),
        ("utilisation (%)", found.utilisation),
        ("scheduling time (s)", found.scheduling_s),
    ):
        series = tuple(
            _line(name, [value(found.settings.one(CLUSTER, load, claim=claim)) for load in LOADS])
            for name, claim in _CLAIMS.items()
        )
        panels.append(Panel(x=_LOAD, y=Axis(axis), series=series))
    return Figure(title="What a claim is made with, 20 nodes, tasks of up to 150 s", panels=tuple(panels), columns=3)


def _line(name: str, values: list[Average]) -> Series:
    means, errors = (tuple(value.mean for value in values), tuple(value.error for value in values))
    return Series(name=name, kind="line and points", x=LOADS, y=means, error=errors)


def _sizes(found: Found) -> tuple[int, ...]:
    return found.parameters.sizes
