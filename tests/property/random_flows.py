"""Random workflows with pools, and what they come to if one does their steps one after the other.

``random_flow`` makes tasks of a submission, as the HTTP API takes them. ``evaluated`` does them by the meaning of the
words alone, with lists and loops: it knows nothing of indices, blocks, leases or nodes.
"""

import json
from random import Random
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet

#: The way to an element: its index, and its place in the list of every pool that it lies in.
Path: TypeAlias = tuple[int, ...]
Results: TypeAlias = dict[str, dict[Path, Any]]

#: The module and the function that a real node calls for every step.
STEP = "tests.property.random_flows:step"
#: The lists that pools map are shorter than this.
LENGTHS = 4
#: What may be picked of a result of each shape, and its type.
PARTS = {
    "map": [("", "Object"), ("n", "Number"), ("s", "String"), ("l", "Array")],
    "pair": [("", "Array"), ("0", "Number"), ("1", "Object")],
    "list": [("", "Array")],
    "item": [("", "Object"), ("n", "Number"), ("s", "String")],
}


def step(name: str, shape: str, got: dict[str, Any]) -> Any:
    """What every step does: its result depends on all that arrived, and on the order in which it did."""
    number = crc32(json.dumps([name, got], sort_keys=True).encode())
    match shape:
        case "list":
            return [_item(number, at) for at in range(number % LENGTHS)]
        case "pair":
            return [number, _item(number, 0)]
        case _:
            return {**_item(number, 0), "l": [number % 7, [name]]}


def _item(number: int, at: int) -> dict[str, Any]:
    return {"n": number + at, "s": f"{number:x}.{at}"}


class Known(NamedTuple):
    """A task that others may build on: its shape, how many elements it has outside pools, and the pools it is in."""

    name: str
    shape: str
    count: int
    mappers: tuple[str, ...] = ()


def random_flow(seed: int) -> list[dict[str, Any]]:
    rng = Random(f"flow {seed}")
    tasks: list[dict[str, Any]] = []
    known: list[Known] = []
    for at in range(rng.randint(1, 2)):
        shape = rng.choice(["list", "list", "map"])
        tasks.append({"name": f"v{at}", "value": {"json": step(f"{seed} v{at}", shape, {})}})
        known.append(Known(f"v{at}", shape, 1))
    for at in range(rng.randint(3, 9)):
        mappers = [task for task in known if task.shape == "list" and len(task.mappers) < 2]
        in_pool = bool(mappers) and rng.random() < 0.6
        mapper = rng.choice(mappers) if in_pool else None
        place = (mapper.count, (*mapper.mappers, mapper.name)) if mapper else (rng.choice([1, 1, 3]), ())
        new = Known(f"t{at}", rng.choice(["map", "map", "pair", "list"]), *place)
        edges = _edges(rng, new, known)
        if mapper is not None and rng.random() < 0.7:
            edges.insert(0, _edge(rng, mapper, "spread", "item", "item"))
        tasks.append(_task(new, edges))
        known.append(new)
    return tasks


def _task(new: Known, edges: list[dict[str, str]]) -> dict[str, Any]:
    got = {edge["port"]: {"port": edge["port"]} for edge in edges if edge["kind"] != "after"}
    function = {"call": STEP, "keywords": {"name": new.name, "shape": new.shape, "got": got}}
    task: dict[str, Any] = {"name": new.name, "function": function, "edges": edges}
    if new.mappers:
        task["sized_by"] = new.mappers[-1]
    elif new.count > 1:
        task["array"] = f"0-{new.count - 1}"
    return task


def _edges(rng: Random, new: Known, known: list[Known]) -> list[dict[str, str]]:
    edges = []
    for source in rng.sample(known, min(len(known), 3)):
        kinds = _kinds(new, source)
        if kinds and rng.random() < 0.7:
            edges.append(_edge(rng, source, rng.choice(kinds), source.shape, f"p{len(edges)}"))
    return edges


def _kinds(new: Known, source: Known) -> list[str]:
    """Return the ways in which a task may build on another."""
    depth, deep = len(new.mappers), len(source.mappers)
    kinds = []
    if new.mappers[:deep] == source.mappers and source.count >= new.count:
        kinds += ["each", "each"]
    if not deep:
        kinds += ["all", "after"]
        kinds += ["broadcast"] if source.count == 1 else []
    elif not depth:
        kinds += ["all", "all", "all"]
    elif deep > depth and source.mappers[:depth] == new.mappers and source.count == new.count:
        kinds += ["all", "all"]
    return kinds


def _edge(rng: Random, source: Known, kind: str, shape: str, port: str) -> dict[str, str]:
    pick, type_ = rng.choice(PARTS[shape]) if kind != "after" else ("", "")
    if kind == "all":
        type_ = "Array"
    return {
        "source": source.name,
        "kind": kind,
        "port": port,
        "pick": pick,
        "type": rng.choice([type_, ""]),
    }


def evaluated(tasks: list[dict[str, Any]]) -> Results:
    """Do one task after the other, element by element."""
    results: Results = {}
    roots: dict[str, list[int]] = {}
    for task in tasks:
        name = task["name"]
        roots[name] = list(RangeSet.parse(task.get("array", "0")))
        if "value" in task:
            results[name] = {(0,): task["value"]["json"]}
            continue
        if "sized_by" in task:
            mapper = task["sized_by"]
            roots[name] = roots[mapper]
            paths = [(*path, at) for path, items in results[mapper].items() for at in range(len(items))]
        else:
            paths = [(index,) for index in roots[name]]
        given = task["function"]["keywords"]
        done = results[name] = {}
        for path in paths:
            got = {}
            for edge in task["edges"]:
                if edge["kind"] != "after":
                    source = edge["source"]
                    # What has elements of its own for all lists of a pool takes what lies below each of them.
                    gathers = len(path) > 1 or roots[source] == roots[name]
                    got[edge["port"]] = _arrives(edge, path, results[source], gathers=gathers)
            done[path] = step(given["name"], given["shape"], got)
    return results


def _arrives(edge: dict[str, str], path: Path, source: dict[Path, Any], *, gathers: bool) -> Any:
    pick = edge["pick"]
    match edge["kind"]:
        case "each":
            (value,) = [value for at, value in source.items() if path[: len(at)] == at]
            return _picked(value, pick)
        case "broadcast":
            return _picked(source[0,], pick)
        case "spread":
            return _picked(source[path[:-1]][path[-1]], pick)
        case "all":
            return [
                _picked(value, pick)
                for at, value in source.items()
                if not gathers or len(at) == 1 or at[: len(path)] == path
            ]
    raise AssertionError(edge)


def _picked(value: Any, pick: str) -> Any:
    if not pick:
        return value
    return value[int(pick)] if isinstance(value, list) else value[pick]


def index_of(path: Path) -> int:
    """Return the number that the node gives to an element."""
    index = path[0]
    for place in path[1:]:
        index = index * POOL_BLOCK + place
    return index
