"""What the placeholders of a command stand for, element by element."""

from typing import TYPE_CHECKING, Any

from roost.executors.template import text_of
from roost.executors.worker.arrivals import Arrivals, Unstarted
from roost.executors.worker.values import dataset_of, file_of
from roost.model.ids import TaskId, run_of
from roost.wire.values import decode_item, handed_file

if TYPE_CHECKING:  # Processes that only call functions have no folders, and need not load what makes them.
    from roost.executors.worker.folder import Folder


class ElementInputs:
    """The inputs of one element, opened only as far as its placeholders ask."""

    def __init__(
        self, task: TaskId, element: Unstarted, ports: Arrivals, texts: dict[str, list[str]], folder: "Folder"
    ) -> None:
        """``texts`` holds, for a whole lease, what ports give that are the same for all its elements."""
        self.index, self._item, _ = self._element = element
        self.task: str = task
        self._ports = ports
        self._texts = texts
        self._folder = folder

    @property
    def run(self) -> str:
        return run_of(TaskId(self.task))

    @property
    def item(self) -> Any:
        return None if self._item is None else decode_item(self._item)

    def values(self, port: str) -> list[str]:
        """Return the texts of what arrived; of a part that is a file which a person handed in, where it is."""
        texts = self._texts.get(port)
        if texts is None:
            values = self._ports.values(port, self._element)
            name = self._ports.part(port)
            if name and any(map(handed_file, values)):
                return self._staged_values(port, name, values)
            texts = [text_of(value) for value in values]
            if self._ports.same_for_all(port):
                self._texts[port] = texts
        return texts

    def _staged_values(self, port: str, name: str, values: list[Any]) -> list[str]:
        files = [handed_file(value) for value in values]
        first = self._first_place(port)
        return [
            text_of(value) if file is None else self._folder.stage(file.content, port, place, name)
            for place, (value, file) in enumerate(zip(values, files, strict=True), first)
        ]

    def _first_place(self, port: str) -> int:
        """What each element has for itself alone is known by its index, what many share by its place among them."""
        return self.index if self._ports.is_own(port) else 0

    def files(self, port: str, name: str) -> list[str]:
        contents = [file_of(result, name) for result in self._ports.results(port, self._element)]
        first = self._first_place(port)
        return [self._folder.stage(content, port, place, name) for place, content in enumerate(contents, first)]

    def datasets(self, port: str, nth: int) -> list[str]:
        return [dataset_of(result, nth) for result in self._ports.results(port, self._element)]
