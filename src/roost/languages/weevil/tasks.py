"""From a document without mistakes to the tasks that are handed in, and to the outline that is drawn.

A pool becomes a processor that has as many elements as the array it gets has items, and a reducer that gathers them. A
pool without a reducer gives the list of what its processor gave.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from roost.executors.worker.taking import type_of
from roost.languages.naming import PROCESSOR, REDUCER, task_names
from roost.languages.outline import Outline, OutlineLink, OutlineNode
from roost.languages.problems import shown
from roost.languages.weevil.contents import Contents
from roost.languages.weevil.document import Document, DocumentNode, JobNode, PoolNode, ValueNode
from roost.languages.weevil.jobs import ENTRY

_WHAT_LENGTH_MAX: Final = 40


class Tasks:
    def __init__(self, document: Document, contents: Contents) -> None:
        self._contents = contents
        self._nodes = {node.id: node for node in document.nodes}
        self._names = task_names(self._nodes, (node.id for node in document.nodes if isinstance(node, PoolNode)))
        self._finals = tuple(document.finals)
        #: For each node and port the id of the node that feeds it, and the edge's line.
        self._fed: dict[tuple[str, str], tuple[str, int]] = {}
        for edge in document.edges:
            self._fed[edge.target, self._port(edge.target, edge.port)] = (edge.source, edge.line)
        self._outlined: list[OutlineNode] = []
        self._links: list[OutlineLink] = []
        #: What was found for pools without a reducer, so that a long row of them is followed once.
        self._sizers: dict[str, str] = {}

    def submission(self, name: str) -> tuple[dict[str, Any], Outline]:
        tasks = [task for node in self._nodes.values() for task in self._tasks(node)]
        final = [self._result(id_) for id_ in self._finals]
        outline = Outline(name, tuple(self._outlined), tuple(self._links), tuple(final))
        return {"name": name, "kind": "flow", "cwd": None, "final": final, "tasks": tasks}, outline

    def _port(self, id_: str, written: str) -> str:
        """Return the port that an edge leads to; the only one need not be named."""
        match self._nodes[id_]:
            case PoolNode() as pool:
                return pool.port.name
            case JobNode(ports=(only,)):
                return only.name
        return written

    def _result(self, id_: str) -> str:
        """Return the task that gives the node's result."""
        match self._nodes[id_]:
            case PoolNode(reducer=None):
                return self._names[id_] + PROCESSOR
            case PoolNode():
                return self._names[id_] + REDUCER
        return self._names[id_]

    def _tasks(self, node: DocumentNode) -> Iterator[dict[str, Any]]:
        name = self._names[node.id]
        match node:
            case ValueNode():
                value = self._contents.values[node.id]
                what = shown(msgspec.json.encode(value).decode(), _WHAT_LENGTH_MAX)[1:-1]
                gives = node.gives or str(type_of(value))
                self._outlined.append(OutlineNode(name, "value", node.line, what, gives=gives))
                yield {"name": name, "value": {"json": value}}
            case JobNode():
                edges = [self._edge(node, port) for port in self._contents.jobs[node].arguments]
                yield self._script(name, node, "", edges)
            case PoolNode():
                yield from self._pool(name, node)

    def _edge(self, node: JobNode, port: str) -> dict[str, str]:
        source, line = self._fed[node.id, port]
        kind = "all" if self._is_unreduced(source) else "broadcast"
        return self._linked(self._result(source), self._names[node.id], node, kind, line, port)

    def _is_unreduced(self, id_: str) -> bool:
        node = self._nodes[id_]
        return isinstance(node, PoolNode) and node.reducer is None

    def _pool(self, name: str, pool: PoolNode) -> Iterator[dict[str, Any]]:
        assert pool.processor is not None, "a pool without a processor is a mistake"
        source, line = self._fed[pool.id, pool.port.name]
        # Two pools in a row without a reducer between them are as long as each other, and go on item by item.
        kind = "each" if self._is_unreduced(source) else "spread"
        (port,) = self._contents.jobs[pool.processor].arguments
        edge = self._linked(self._result(source), name + PROCESSOR, pool.processor, kind, line, port)
        sizer = self._sizer(source)
        yield {**self._script(name + PROCESSOR, pool.processor, sizer, [edge]), "sized_by": sizer}
        if pool.reducer is not None:
            (port,) = self._contents.jobs[pool.reducer].arguments
            edge = self._linked(name + PROCESSOR, name + REDUCER, pool.reducer, "all", pool.reducer.line, port)
            # There is one of it, however long the list is.
            yield self._script(name + REDUCER, pool.reducer, "", [edge])

    def _sizer(self, id_: str) -> str:
        """Return the task whose array says how many elements a pool has."""
        passed = []
        while id_ not in self._sizers and self._is_unreduced(id_):
            node = self._nodes[id_]
            assert isinstance(node, PoolNode)
            passed.append(id_)
            id_ = self._fed[id_, node.port.name][0]
        sizer = self._sizers.get(id_) or self._result(id_)
        self._sizers.update(dict.fromkeys(passed, sizer))
        return sizer

    def _linked(self, source: str, target: str, node: JobNode, kind: str, line: int, port: str) -> dict[str, str]:
        self._links.append(OutlineLink(source, target, port, kind, line))
        types: Mapping[str, str] = {one.name: one.type for one in node.ports}
        return {"source": source, "kind": kind, "port": port, "type": types[port]}

    def _script(self, name: str, node: JobNode, pool: str, edges: list[dict[str, str]]) -> dict[str, Any]:
        content = self._contents.jobs[node]
        self._outlined.append(OutlineNode(name, "job", node.line, content.file, node.ports, node.gives, pool))
        arguments = [{"port": port} for port in content.arguments]
        script: dict[str, Any] = {"code": content.code, "entry": ENTRY, "arguments": arguments}
        if node.gives:
            script["declares"] = node.gives
        return {"name": name, "script": script, "edges": edges}
