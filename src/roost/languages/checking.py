"""How the nodes of a workflow fit together, checked before anything runs and in time proportional to the file.

Every mistake names its line, the nodes it is about, and what to do. Nodes that lead to no result are only untidy.
"""

from collections.abc import Iterable, Sequence

from roost.languages.circles import circle_in
from roost.languages.outline import Outline, OutlineLink, OutlineNode, OutlinePort
from roost.languages.problems import Problems, did_you_mean, shown

#: How many names one sentence lists.
_NAMES_LISTED = 8
#: Looking for the name that was meant compares it with many others; only the first few mistakes are told anyway.
_GUESSES_MAX = 8
_NAMES_COMPARED_MAX = 5_000
#: How many circles are looked for; a person mends the first of them first.
_CIRCLES_MAX = 8


def check_outline(outline: Outline, problems: Problems) -> None:
    """Add a problem for whatever cannot run, and a warning for what runs in vain."""
    _Checker(outline, problems).check()


class _Checker:
    def __init__(self, outline: Outline, problems: Problems) -> None:
        self._outline = outline
        self._problems = problems
        self._nodes: dict[str, OutlineNode] = {}
        #: The edges into each node.
        self._into: dict[str, list[OutlineLink]] = {}
        #: Nodes with an edge that is wrong: that one of their ports stays empty may follow from it.
        self._ill_fed: set[str] = set()
        self._guesses = 0

    def check(self) -> None:
        self._take_nodes()
        links = [link for link in self._outline.links if self._ends_exist(link)]
        for link in links:
            self._into.setdefault(link.target, []).append(link)
        self._check_final()
        self._check_ports(links)
        self._check_circles()
        self._warn_of_vain_nodes()

    def _take_nodes(self) -> None:
        for node in self._outline.nodes:
            first = self._nodes.setdefault(node.name, node)
            if first is not node:
                self._problems.add(
                    node.line, f"the name {shown(node.name)} is taken on line {first.line}; rename one of the two"
                )

    def _ends_exist(self, link: OutlineLink) -> bool:
        if link.source in self._nodes and link.target in self._nodes:
            return True
        self._ill_fed.add(link.target)
        for name, other, way in ((link.source, link.target, "to"), (link.target, link.source, "from")):
            if name not in self._nodes:
                there = f"which is not in this file{self._hint(name, self._nodes)}"
                self._problems.add(link.line, f"the edge {way} {shown(other)} names {shown(name)}, {there}")
        return False

    def _check_final(self) -> None:
        for name in self._outline.final:
            if name not in self._nodes:
                there = f"is not in this file{self._hint(name, self._nodes)}"
                self._problems.add(self._outline.final_line, f"the final node {shown(name)} {there}")

    def _hint(self, name: str, known: Iterable[str]) -> str:
        self._guesses += 1
        if self._guesses > _GUESSES_MAX:
            return ""
        near = [other for other in known if abs(len(other) - len(name)) <= 3]
        return did_you_mean(name, near[:_NAMES_COMPARED_MAX]) or "; add it, or name one that is"

    def _check_ports(self, links: Sequence[OutlineLink]) -> None:
        """Check that every port is filled, once, and with what it takes."""
        filled: dict[tuple[str, str], OutlineLink] = {}
        for link in links:
            port = self._port_of(link) if link.kind != "after" else None
            if port is None:
                continue
            first = filled.setdefault((link.target, port.name), link)
            if first is link:
                self._check_type(link, port)
            else:
                self._problems.add(
                    link.line,
                    f"port {shown(port.name)} of {shown(link.target)} gets the result of {shown(link.source)}, but "
                    f"line {first.line} fills it already with that of {shown(first.source)}; remove one of the edges",
                )
        for node in self._nodes.values():
            for port in node.ports if node.name not in self._ill_fed else ():
                if (node.name, port.name) not in filled:
                    empty = f"port {shown(port.name)} of {shown(node.name)} gets nothing; add an edge to it"
                    self._problems.add(port.line or node.line, empty)

    def _port_of(self, link: OutlineLink) -> OutlinePort | None:
        """Return the port at which the link ends, or add a problem."""
        node = self._nodes[link.target]
        if len(node.ports) == 1 and link.port in {"", node.ports[0].name}:
            return node.ports[0]
        for port in node.ports:
            if port.name == link.port:
                return port
        self._ill_fed.add(node.name)
        self._problems.add(link.line, f"the edge from {shown(link.source)} {self._no_port(link, node)}")
        return None

    def _no_port(self, link: OutlineLink, node: OutlineNode) -> str:
        names = [port.name for port in node.ports]
        if not names:
            return f"leads to {shown(node.name)}, which takes nothing; remove the edge, or give it a port"
        if not link.port:
            return f"does not say which port of {shown(node.name)} it leads to; name one of {_listed(names)}"
        hint = did_you_mean(link.port, names) or f"; it has {_listed(names)}"
        return f"leads to port {shown(link.port)}, which {shown(node.name)} does not have{hint}"

    def _check_type(self, link: OutlineLink, port: OutlinePort) -> None:
        source = self._nodes[link.source]
        gives = _arriving(link, source)
        if link.kind == "spread":
            if source.gives not in {"", "Array"} and not link.pick:
                self._problems.add(
                    link.line,
                    f"{shown(link.target)} takes the items of what {shown(link.source)} gives, but that is "
                    f"{source.gives}; only an Array has items",
                )
        elif gives and port.type and gives != port.type:
            self._problems.add(
                link.line,
                f"{shown(link.source)} gives {gives}, but port {shown(port.name)} of {shown(link.target)} takes "
                f"{port.type}; make the two types the same",
            )

    def _check_circles(self) -> None:
        sources = {name: [link.source for link in self._into.get(name, ())] for name in self._nodes}
        for _ in range(_CIRCLES_MAX):
            circle = circle_in(sources)
            if not circle:
                return
            self._note_circle(circle)
            for name in circle:
                del sources[name]

    def _note_circle(self, circle: list[str]) -> None:
        ways = zip(circle, [*circle[1:], circle[0]], strict=True)
        line = min(link.line for source, target in ways for link in self._into[target] if link.source == source)
        names = circle
        if len(names) > _NAMES_LISTED:
            names = [*names[: _NAMES_LISTED - 1], f"{len(names) - _NAMES_LISTED + 1:,} more"]
        words = " -> ".join([*names, names[0]])
        self._problems.add(line, f"these nodes wait for each other in a circle: {words}; remove one of these edges")

    def _warn_of_vain_nodes(self) -> None:
        if not self._outline.final:
            return
        reached = set(self._outline.final)
        waiting = list(reached)
        while waiting:
            for link in self._into.get(waiting.pop(), ()):
                if link.source not in reached:
                    reached.add(link.source)
                    waiting.append(link.source)
        vain = [node for node in self._nodes.values() if node.name not in reached]
        if vain:
            names = _listed([node.name for node in vain])
            way_out = "connect it, name it as final, or remove it" if len(vain) == 1 else "connect or remove them"
            self._problems.warn(vain[0].line, f"no result of this workflow depends on {names}; {way_out}")


def _arriving(link: OutlineLink, source: OutlineNode) -> str:
    """Return the type of what arrives, as far as it is known."""
    if link.kind == "all":
        return "Array"
    return "" if link.pick else source.gives


def _listed(names: Sequence[str]) -> str:
    words = [shown(name) for name in names[:_NAMES_LISTED]]
    more = len(names) - len(words)
    return ", ".join(words) + (f" and {more:,} more" if more else "")
