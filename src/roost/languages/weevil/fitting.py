"""How the nodes of a document fit together, with the ids as they stand in it: a pool is one node here.

What is inside a pool is nobody else's business (WEB 3.3.2, container node), so edges and final nodes name the pool.
"""

from collections.abc import Mapping
from typing import Any

from roost.executors.worker.taking import fits, type_of
from roost.languages.checking import check_outline
from roost.languages.outline import Outline, OutlineNode
from roost.languages.problems import Problems, shown
from roost.languages.weevil.document import Document, DocumentNode, JobNode, PoolNode, ValueNode
from roost.model.task import PortType


def check_fit(document: Document, values: Mapping[str, Any], problems: Problems) -> None:
    """Add a problem for whatever does not fit."""
    inner = _inner_ids(document)
    for edge in document.edges:
        for id_ in (edge.source, edge.target):
            _refuse_inner(id_, inner, edge.line, problems)
    for id_, line in document.finals.items():
        _refuse_inner(id_, inner, line, problems)
    # Edges to and from what is inside a pool have been told; without them their ends must not be called unknown.
    links = tuple(edge for edge in document.edges if edge.source not in inner and edge.target not in inner)
    finals = tuple(id_ for id_ in document.finals if id_ not in inner)
    nodes = tuple(_outlined(node) for node in document.nodes if node.id)
    known = {node.name for node in nodes}
    final_line = next((line for id_, line in document.finals.items() if id_ not in known), 1)
    check_outline(Outline("", nodes, links, finals, final_line), problems)
    _check_items(document, values, problems)


def _inner_ids(document: Document) -> dict[str, str]:
    """Return the ids of processors and reducers, with their pools."""
    ids = {node.id for node in document.nodes}
    return {
        job.id: node.id
        for node in document.nodes
        if isinstance(node, PoolNode)
        for job in (node.processor, node.reducer)
        if job is not None and job.id not in ids
    }


def _refuse_inner(id_: str, inner: Mapping[str, str], line: int, problems: Problems) -> None:
    if id_ in inner:
        problems.add(line, f"{shown(id_)} is inside the pool {shown(inner[id_])}; name the pool instead")


def _outlined(node: DocumentNode) -> OutlineNode:
    match node:
        case ValueNode():
            return OutlineNode(node.id, "value", node.line, gives=node.gives)
        case JobNode():
            return OutlineNode(node.id, "job", node.line, ports=node.ports, gives=node.gives)
        case PoolNode():
            return OutlineNode(node.id, "pool", node.line, ports=(node.port,), gives=node.gives)


def _check_items(document: Document, values: Mapping[str, Any], problems: Problems) -> None:
    """Check what a processor takes against the items of an array that stands in the document."""
    pools = {node.id: node for node in document.nodes if isinstance(node, PoolNode)}
    for edge in document.edges:
        pool, items = pools.get(edge.target), values.get(edge.source)
        if pool is None or pool.processor is None or not isinstance(items, list):
            continue
        for port in pool.processor.ports[:1]:
            wrong = next((at for at, item in enumerate(items) if not fits(item, PortType(port.type))), None)
            if wrong is not None:
                problems.add(
                    edge.line,
                    f"item {wrong + 1} of {shown(edge.source)} is of type {type_of(items[wrong])}, but the processor "
                    f"of {shown(pool.id)} takes {port.type}; correct the item, or change the paramtype",
                )
