"""What the placeholders of an element stood for when it ran, from the results that the HTTP API gives."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from roost.executors.template import text_of
from roost.executors.worker.taking import Taking, list_from
from roost.languages.wfformat.feeding import Feeding, Json
from roost.model.errors import InvalidInput
from roost.model.ids import TaskId, run_of
from roost.model.pools import place_in_block
from roost.model.ranges import EMPTY
from roost.model.task import EdgeKind, PortType
from roost.wire.values import handed_file

#: Edges over which a list arrives: a port's type is that of the list.
_LISTS: Final = frozenset({EdgeKind.ALL, EdgeKind.GATHER})


@dataclass(frozen=True)
class Known:
    """What is known of a run's elements, by task and index."""

    feeding: Feeding
    results: Mapping[tuple[str, int], Json]
    #: What they were handed in with.
    items: Mapping[tuple[str, int], Any]
    #: How the trace calls a file of this name.
    file_id: Callable[[str, int, str], str]


class Arrived:
    """The inputs of one element. Raise InvalidInput for what is not known: it came from another run, or is gone.

    A function's value is known to Python only, and of a long output there is only the beginning.
    """

    def __init__(self, known: Known, task: str, index: int) -> None:
        self._known = known
        self.task = task
        self.index = index

    @property
    def run(self) -> str:
        return run_of(TaskId(self.task))

    @property
    def item(self) -> Any:
        if (self.task, self.index) not in self._known.items:
            raise InvalidInput(f"the item of element {self.index} is not known here")
        return self._known.items[self.task, self.index]

    def values(self, port: str) -> list[str]:
        edge = self._edge(port)
        return [self._text(edge, other, result) for other, result in self._arriving(edge)]

    def files(self, port: str, name: str) -> list[str]:
        edge = self._edge(port)
        found = list(self._arriving(edge))
        if not all(name in (result.get("files") or {}) for _, result in found):
            raise InvalidInput(f"no file '{name}' arrived at the port '{port}'")
        return [self._known.file_id(edge["source"], other, name) for other, _ in found]

    def datasets(self, port: str, nth: int) -> list[str]:
        named = [result.get("datasets") or () for _, result in self._arriving(self._edge(port))]
        if any(len(datasets) < nth for datasets in named):
            raise InvalidInput(f"no dataset {nth} arrived at the port '{port}'")
        return [datasets[nth - 1] for datasets in named]

    def _edge(self, port: str) -> Json:
        edge = self._known.feeding.edge_at(self.task, port)
        if edge is None:
            raise InvalidInput(f"the task has no port '{port}'")
        return edge

    def _arriving(self, edge: Json) -> Iterator[tuple[int, Json]]:
        """Yield the results that arrived, with their indices."""
        feeding = self._known.feeding
        found = feeding.fed_by(self.task, edge, self.index) if edge["source"] in feeding.elements else EMPTY
        results = [(other, self._known.results.get((edge["source"], other))) for other in found]
        for other, result in results or [(0, None)]:
            if result is None:
                raise InvalidInput(f"what arrived at the port '{edge['port']}' is not known")
            yield other, result

    def _text(self, edge: Json, other: int, result: Json) -> str:
        """Return what a port takes of a result, as a program sees it; of a file that a person handed in, its id."""
        port, is_text, value = edge["port"], result.get("stdout") is not None, result.get("value")
        if result.get("pickle") is not None or result.get("stdout_cut") or (is_text and value is None):
            raise InvalidInput(f"what arrived at the port '{port}' is not known as text")
        kind, wanted = EdgeKind(edge["kind"]), PortType(edge.get("type") or "")
        taking = Taking(port, edge.get("pick") or "", PortType.ANY if kind in _LISTS else wanted)
        if kind is EdgeKind.SPREAD:
            items, at = list_from(value, is_text=is_text), place_in_block(self.index)[1]
            if at >= len(items):
                raise InvalidInput(f"the list that arrived at the port '{port}' has {len(items):,} items")
            taken = taking.of(items[at])
        else:
            taken = taking.of(value, is_text=is_text)
        if taking.pick and handed_file(taken) is not None:
            return self._known.file_id(edge["source"], other, taking.pick)
        return text_of(taken)
