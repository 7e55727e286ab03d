"""What a drawing shows: steps with their shapes and states, links between them, pools around them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

#: In which order states are looked for when a whole step gets a colour: what a person should look at comes first.
_LOUDEST = ("failed", "aborted", "running", "suspended", "ready", "cancelled", "waiting", "done")
_NUMBER_AT_END = re.compile(r"(?:(?<=.)[_.:-]+ID)?[_.:-]*\d+$")


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A box of the drawing, or several like it that are drawn as one."""

    key: str
    label: str
    #: value, manual, pool, or some kind of work.
    kind: str = "job"
    #: What it does, in a few words.
    what: str = ""
    #: The key of the pool that it is in; "" if it is in none.
    pool: str = ""
    #: Elements by state; empty for a file.
    counts: Mapping[str, int] = field(default_factory=dict)
    #: How many steps are drawn as this one.
    stands_for: int = 1
    #: If it stands for several, the kinds of their names.
    names: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """The state that the whole step is drawn in; "" for a file."""
        if any(self.counts.values()):
            return next((state for state in _LOUDEST if self.counts.get(state)), "")
        return "waiting" if self.counts else ""

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def done(self) -> int:
        return self.counts.get("done", 0)


@dataclass(frozen=True, slots=True)
class Link:
    source: str
    target: str
    #: Nothing travels: one only waits for the other.
    bare: bool = False
    #: How many links are drawn as this one.
    stands_for: int = 1


@dataclass(frozen=True)
class Graph:
    """Steps in an order in which sources come first, as far as the file has it so; links between them."""

    name: str
    steps: Sequence[DrawnStep]
    links: Sequence[Link]

    @cached_property
    def by_key(self) -> dict[str, DrawnStep]:
        return {step.key: step for step in self.steps}

    @cached_property
    def into(self) -> dict[str, list[str]]:
        """The sources of each step."""
        return ends_of(self.by_key, ((link.target, link.source) for link in self.links))

    @cached_property
    def out_of(self) -> dict[str, list[str]]:
        """The targets of each step."""
        return ends_of(self.by_key, ((link.source, link.target) for link in self.links))


def joined_links(links: Iterable[Link]) -> list[Link]:
    """Return one link for all between the same two steps, and none from a step to itself."""
    found: dict[tuple[str, str], Link] = {}
    for link in links:
        if link.source == link.target:
            continue
        ends = link.source, link.target
        known = found.get(ends)
        if known is None:
            found[ends] = link
        else:
            count = known.stands_for + link.stands_for
            found[ends] = Link(*ends, bare=known.bare and link.bare, stands_for=count)
    return list(found.values())


def joined_counts(steps: Iterable[DrawnStep]) -> dict[str, int]:
    counts = Counter[str]()
    for step in steps:
        counts.update(step.counts)
    return counts


def without_common_beginning(graph: Graph) -> Graph:
    """Return the graph with labels that go without what all begin with, as far as that ends with a dot or a colon."""
    labels = [step.label for step in graph.steps]
    if len(labels) < 2:
        return graph
    # What the first and the last in the order of letters share, all share.
    first, last = min(labels), max(labels)
    length = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    shared = first[: 1 + max(first.rfind(".", 0, length), first.rfind(":", 0, length))]
    if not shared or shared in labels:
        return graph
    steps = [replace(step, label=step.label[len(shared) :]) for step in graph.steps]
    return Graph(graph.name, steps, graph.links)


def stem(label: str) -> str:
    """Return a name without the number at its end: ``project_0012`` and ``project_0013`` are of one kind."""
    return _NUMBER_AT_END.sub("", label) or label


def ends_of(keys: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the far ends by their near ones."""
    ends: dict[str, list[str]] = {key: [] for key in keys}
    for near, far in pairs:
        ends[near].append(far)
    return ends
