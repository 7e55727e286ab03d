"""What the placeholders of a command stand for, element by element."""

from collections import deque
from collections.abc import Callable
from itertools import repeat
from typing import Any, TypeAlias

import msgspec

from roost.executors.worker.folder import Folder
from roost.executors.worker.messages import Keep, Lease
from roost.executors.worker.values import dataset_of, file_of, text_for_command
from roost.model.ids import TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.wire.values import decode_item

#: An element that has not begun: its index, its own input, and what arrived for it at the ports.
Unstarted: TypeAlias = tuple[int, bytes | None, tuple[bytes, ...]]


def unstarted_elements(lease: Lease) -> deque[Unstarted]:
    """Unpack a lease into its elements, in the order of their indices."""
    indices = RangeSet(lease.bounds)
    items = _unpacked(lease.items) if lease.items else repeat(None)
    columns = [_unpacked(each.segments) for each in lease.each]
    each = zip(*columns, strict=True) if columns else repeat(())
    return deque(zip(indices, items, each, strict=False))


def _unpacked(segments: tuple[Segment, ...]) -> list[bytes]:
    return [value for segment in segments for value in segment.values()]


class Shared:
    """What was sent once for many leases, and the texts made of it."""

    def __init__(self) -> None:
        self._values: dict[str, list[bytes]] = {}
        self._texts: dict[str, list[str]] = {}

    def keep(self, message: Keep) -> None:
        self._values.setdefault(message.key, []).extend(message.values)

    def forget(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            self._values.pop(key, None)
            self._texts.pop(key, None)

    def values(self, key: str) -> list[bytes]:
        return self._values[key]

    def texts(self, key: str, values: list[bytes]) -> list[str]:
        texts = self._texts.get(key)
        if texts is None:
            texts = [text_for_command(value) for value in values]
            if key in self._values:
                self._texts[key] = texts
        return texts


class Ports(msgspec.Struct, frozen=True):
    """The ports of a lease: where each element's own values stand, and what all share."""

    each: dict[str, int]
    shared: dict[str, tuple[str, list[bytes]]]
    texts: Callable[[str, list[bytes]], list[str]]


def ports_of(lease: Lease, shared: Shared) -> Ports:
    return Ports(
        {each.port: at for at, each in enumerate(lease.each)},
        {port.port: (port.key, shared.values(port.key)) for port in lease.shared},
        shared.texts,
    )


class ElementInputs:
    """The inputs of one element, opened only as far as its placeholders ask."""

    def __init__(self, task: TaskId, element: Unstarted, ports: Ports, folder: Folder) -> None:
        self.index, self._item, self._each = element
        self.task: str = task
        self._ports = ports
        self._folder = folder

    @property
    def run(self) -> str:
        return run_of(TaskId(self.task))

    @property
    def item(self) -> Any:
        return None if self._item is None else decode_item(self._item)

    def values(self, port: str) -> list[str]:
        at = self._ports.each.get(port)
        if at is not None:
            return [text_for_command(self._each[at])]
        return self._ports.texts(*self._ports.shared[port])

    def files(self, port: str, name: str) -> list[str]:
        at = self._ports.each.get(port)
        if at is not None:
            return [self._folder.stage(file_of(self._each[at], name), port, self.index, name)]
        _, values = self._ports.shared[port]
        contents = [file_of(value, name) for value in values]
        return [self._folder.stage(content, port, position, name) for position, content in enumerate(contents)]

    def datasets(self, port: str, nth: int) -> list[str]:
        at = self._ports.each.get(port)
        values = [self._each[at]] if at is not None else self._ports.shared[port][1]
        return [dataset_of(value, nth) for value in values]
