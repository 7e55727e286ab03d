"""The elements of WEB's language (WEB 3.4.1, figure 3.8): from the tree of XML to nodes, edges and final nodes.

What is here is what the document says, checked by itself. How the nodes fit together is checked later.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from roost.languages.outline import OutlineLink, OutlinePort
from roost.languages.problems import Problems, did_you_mean, shown
from roost.languages.weevil.attributes import Attributes
from roost.languages.xml_tree import Element

#: The document calls it finalnode (3.4.1), final (figure 3.8) and finalnodes (figure 3.9).
_FINAL_TAGS: Final = ("finalnode", "final", "finalnodes")
_CHILDREN: Final[Mapping[str, tuple[str, ...]]] = {
    "workflow": ("nodes", "edges", *_FINAL_TAGS),
    "nodes": ("value", "job", "pool"),
    "edges": ("edge",),
    "finalnode": (),
    "final": (),
    "finalnodes": ("finalnode", "final"),
    "value": (),
    "job": ("parameters", "parameter"),
    "pool": ("parameters", "parameter", "processor", "reducer"),
    "processor": ("parameters", "parameter"),
    "reducer": ("parameters", "parameter"),
    "parameters": ("parameter",),
    "parameter": (),
    "edge": (),
}
_HOMES: Final = {
    "nodes": "workflow", "edges": "workflow", "finalnode": "workflow", "final": "workflow", "finalnodes": "workflow",
    "value": "nodes", "job": "nodes", "pool": "nodes", "processor": "pool", "reducer": "pool",
    "edge": "edges", "parameters": "job", "parameter": "parameters",
}  # fmt: skip
#: Elements that have no ports, so that parameters in them are mere words.
_NOTHING_TO_TAKE: Final = frozenset({"workflow", "nodes", "edges", "value"})
#: The attributes of each element.
_ATTRIBUTES: Final[Mapping[str, Mapping[str, None]]] = {
    "value": dict.fromkeys(("id", "value", "src", "returntype")),
    "job": dict.fromkeys(("id", "jobtype", "src", "returntype")),
    "pool": dict.fromkeys(("id", "returntype")),
    "parameter": dict.fromkeys(("id", "paramtype")),
    "edge": dict.fromkeys(("id", "source", "dest", "paramdest")),
    "final": dict.fromkeys(("id",)),
    "section": {},
}
#: What the document and its readers call a job that runs without a graphics card.
_JAVASCRIPT: Final = ("javascript", "js", "webworker", "")


@dataclass(frozen=True, slots=True)
class ValueNode:
    id: str
    line: int
    gives: str
    #: The value as it is written, None if it is in a file.
    text: str | None
    source: str


@dataclass(frozen=True, slots=True, eq=False)
class JobNode:
    """A job, or the processor or the reducer of a pool. Each is one of its own, even if it looks like another."""

    tag: str
    id: str
    line: int
    gives: str
    source: str
    ports: tuple[OutlinePort, ...]


@dataclass(frozen=True, slots=True)
class PoolNode:
    id: str
    line: int
    gives: str
    port: OutlinePort
    processor: JobNode | None
    reducer: JobNode | None


DocumentNode: TypeAlias = ValueNode | JobNode | PoolNode


@dataclass(slots=True)
class Document:
    nodes: list[DocumentNode] = field(default_factory=list)
    edges: list[OutlineLink] = field(default_factory=list)
    #: Ids of final nodes and the lines that name them.
    finals: dict[str, int] = field(default_factory=dict)


def read_document(root: Element, problems: Problems) -> Document:
    """Read the whole document; mistakes are added to the problems, and what is wrong is left out."""
    return _Reader(problems).read(root)


class _Reader:
    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._document = Document()
        self._edge_ids: dict[str, int] = {}

    def read(self, root: Element) -> Document:
        tag = self._tag(root)
        if tag != "workflow":
            self._problems.add(root.line, f"a workflow begins with <workflow>, not with <{root.tag[:60]}>")
            return self._document
        self._attributes(root, "section")
        parts = self._parts(root)
        for section, member in (("nodes", self._node), ("edges", self._edge)):
            for element in self._only(parts.get(section, []), root):
                self._attributes(element, "section")
                for child in self._children(element):
                    member(child)
        for element in root.children:
            if element.tag in _FINAL_TAGS:
                self._final(element)
        self._check_whole(root, parts)
        return self._document

    def _check_whole(self, root: Element, parts: Mapping[str, list[Element]]) -> None:
        if "nodes" not in parts:
            self._problems.add(root.line, "the workflow has no <nodes>; add it, with a <value> or a <job> inside")
        elif not self._document.nodes and not self._problems:
            self._problems.add(parts["nodes"][0].line, "<nodes> is empty; add a <value>, a <job> or a <pool>")
        elif not any(name in parts for name in _FINAL_TAGS):
            self._problems.add(root.line, f"the workflow has no <finalnode>; {self._final_offer()}")

    def _final_offer(self) -> str:
        """Say which node is most likely the final one: the last that feeds no other."""
        feeding = {edge.source for edge in self._document.edges}
        ends = [node.id for node in self._document.nodes if node.id and node.id not in feeding]
        return f'add <finalnode id="{ends[-1][:60] if ends else "..."}" />'

    # The shape of the tree.

    def _tag(self, element: Element) -> str:
        """Return the element's name; capital letters are forgiven."""
        if element.tag in _CHILDREN:
            return element.tag
        small = element.tag.lower()
        if small in _CHILDREN:
            self._problems.warn(element.line, f"<{element.tag}> is taken for <{small}>; write <{small}>")
            element.tag = small
        return element.tag

    def _children(self, element: Element) -> list[Element]:
        """Return the children that may be here, and tell of the others and of text between them."""
        if element.text:
            self._problems.add(
                element.line, f"<{element.tag}> holds the text {shown(element.text)}, which means nothing; remove it"
            )
        return [child for child in element.children if self._has_place(child, element.tag)]

    def _has_place(self, child: Element, parent: str) -> bool:
        allowed = _CHILDREN[parent]
        tag = self._tag(child)
        if tag in allowed:
            return True
        way_out = f"; put it into <{_HOMES[tag]}>" if tag in _HOMES else did_you_mean(tag, allowed)
        if parent in {"nodes", "edges"} and not way_out:
            way_out = f"; there may be {', '.join(f'<{name}>' for name in allowed)}"
        if way_out and not (tag == "parameters" and parent in _NOTHING_TO_TAKE):
            self._problems.add(child.line, f"<{tag[:60]}> has no place in <{parent}>{way_out}")
        else:
            # WeevilScout reads what it knows and passes over the rest.
            self._problems.warn(child.line, f"<{tag[:60]}> in <{parent}> means nothing there and is ignored")
        return False

    def _parts(self, element: Element) -> dict[str, list[Element]]:
        parts: dict[str, list[Element]] = {}
        for child in self._children(element):
            parts.setdefault(child.tag, []).append(child)
        return parts

    def _only(self, elements: Sequence[Element], parent: Element) -> Sequence[Element]:
        """Return the first of elements that may stand once."""
        for again in elements[1:]:
            self._problems.add(
                again.line,
                f"<{parent.tag}> has a second <{again.tag}>, the first is on line {elements[0].line}; make them one",
            )
        return elements[:1]

    def _attributes(self, element: Element, kind: str) -> Attributes:
        return Attributes(element, _ATTRIBUTES[kind], self._problems)

    # Nodes.

    def _node(self, element: Element) -> None:
        makers: Mapping[str, Callable[[Element], DocumentNode]] = {
            "value": self._value,
            "job": self._job,
            "pool": self._pool,
        }
        self._document.nodes.append(makers[element.tag](element))

    def _value(self, element: Element) -> ValueNode:
        for child in element.children:
            self._has_place(child, element.tag)
        said = self._attributes(element, "value")
        id_, gives, source = said.required("id"), said.type("returntype"), said.text("src")
        text = said.raw("value")
        if text is not None and source:
            self._problems.add(element.line, f"{said.where} has both 'value' and 'src'; remove one of the two")
        if text is None and not source and element.text:
            self._problems.warn(element.line, f'the text in {said.where} is taken for its value; write value="..."')
            text = element.text
        if text is None and not source and gives in {"null", "undefined"}:
            text = ""
        if text is None and not source:
            said.required("value")
        return ValueNode(id_, element.line, gives, text, source)

    def _job(self, element: Element) -> JobNode:
        said = self._attributes(element, "job")
        kind = said.text("jobtype").lower()
        if kind == "webcl":
            self._problems.add(
                element.line,
                f"{said.where} is a WebCL job, which needs a graphics card; only jobs of type javascript can be run",
            )
        elif kind not in _JAVASCRIPT:
            self._problems.add(
                element.line, f'the jobtype {shown(kind)} of {said.where} is not known; write jobtype="javascript"'
            )
        ports = self._ports(element, self._parts(element))
        return JobNode(
            element.tag, said.required("id"), element.line, said.type("returntype"), said.required("src"), ports
        )

    def _pool(self, element: Element) -> PoolNode:
        said = self._attributes(element, "pool")
        id_ = said.required("id")
        parts = self._parts(element)
        ports = self._ports(element, parts)
        inner = {
            tag: self._one_port(self._job(found))
            for tag in ("processor", "reducer")
            for found in self._only(parts.get(tag, []), element)
        }
        if "processor" not in inner:
            self._problems.add(element.line, f"{said.where} has no <processor>, so that nothing is done; add one")
        implied = inner["processor"].ports[:1] if "processor" in inner else ()
        usual = OutlinePort(implied[0].name if implied else "a", "Array", element.line)
        port = self._array_port(said.where, ports) or usual
        reducer = inner.get("reducer")
        if reducer is not None and reducer.ports:
            array = self._array_port(f"<reducer> {shown(reducer.id)}", reducer.ports)
            reducer = replace(reducer, ports=(array,) if array else ())
        gives = self._pool_gives(said, reducer)
        return PoolNode(id_, element.line, gives, port, inner.get("processor"), reducer)

    def _one_port(self, job: JobNode) -> JobNode:
        """Check WEB 3.3.2: a processor and a reducer take one thing."""
        if len(job.ports) != 1:
            count = "no <parameter>" if not job.ports else f"{len(job.ports)} parameters"
            self._problems.add(job.line, f"<{job.tag}> {shown(job.id)} has {count}; it takes exactly one")
        return job

    def _array_port(self, where: str, ports: Sequence[OutlinePort]) -> OutlinePort | None:
        """Return the only port of a pool or of a reducer, which takes an Array; a pool may leave it out."""
        for port in ports[:1]:
            if len(ports) > 1:
                self._problems.add(
                    ports[1].line, f"{where} has {len(ports)} parameters; it takes exactly one, an Array"
                )
            elif port.type not in {"", "Array"}:
                self._problems.add(
                    port.line, f'<parameter> {shown(port.name)} of {where} takes {port.type}; write paramtype="Array"'
                )
            return OutlinePort(port.name, "Array", port.line)
        return None

    def _pool_gives(self, said: Attributes, reducer: JobNode | None) -> str:
        inside = reducer.gives if reducer is not None else "Array"
        gives = said.type("returntype") if "returntype" in said else inside
        if gives and inside and gives != inside:
            by = f"its reducer gives {inside}" if reducer is not None else "without a reducer it gives an Array"
            self._problems.add(said.line, f"{said.where} gives {gives}, but {by}; make the two types the same")
        return gives or inside

    def _ports(self, element: Element, parts: Mapping[str, list[Element]]) -> tuple[OutlinePort, ...]:
        loose = parts.get("parameter", [])
        if loose:
            self._problems.warn(
                loose[0].line, f"<parameter> stands in <{element.tag}> itself; put it into <parameters>"
            )
        found = list(loose)
        for section in self._only(parts.get("parameters", []), element):
            self._attributes(section, "section")
            found += self._children(section)
        ports: dict[str, OutlinePort] = {}
        for one in found:
            self._children(one)
            said = self._attributes(one, "parameter")
            port = OutlinePort(said.required("id"), said.type("paramtype"), one.line)
            if port.name in ports:
                self._problems.add(
                    one.line, f"<{element.tag}> has a second parameter {shown(port.name)}; rename or remove one"
                )
            ports.setdefault(port.name, port)
        return tuple(port for port in ports.values() if port.name)

    # Edges and final nodes.

    def _edge(self, element: Element) -> None:
        self._children(element)
        said = self._attributes(element, "edge")
        id_ = said.text("id")
        first = self._edge_ids.setdefault(id_, element.line)
        if id_ and first != element.line:
            self._problems.warn(element.line, f"the edge id {shown(id_)} is taken on line {first}; give each its own")
        source, dest = said.required("source"), said.required("dest")
        if source and dest:
            self._document.edges.append(OutlineLink(source, dest, said.text("paramdest"), "each", element.line))

    def _final(self, element: Element) -> None:
        inner = [child for child in element.children if self._has_place(child, element.tag)]
        said = self._attributes(element, "final")
        id_ = said.text("id") or element.text
        if id_ or not inner:
            self._note_final(id_ or said.required("id"), element.line)
        for child in inner:
            self._final(child)

    def _note_final(self, id_: str, line: int) -> None:
        if id_:
            self._document.finals.setdefault(id_, line)
