"""Results that can be taken over: found by their keys, and looked at before they count.

A key only says where a result should be. It counts if that element is done, with this very result, and if everything
that belongs to it is on this disk: the value, its files and its logs. Whatever is missing or damaged is not found.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from roost.executors.places import Places
from roost.executors.worker.values import is_pickle
from roost.model.elements import Elements
from roost.model.errors import RoostError
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.states import NO_LENGTH, Done
from roost.model.token import NO_TOKEN, Token
from roost.runtime.data.shelf import Shelf
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.reader import KeptKey
from roost.wire.messages import OutputStream
from roost.wire.stored import reference_of
from roost.wire.values import decode_command_result, is_json

_STREAMS: Final[tuple[OutputStream, ...]] = ("stdout", "stderr")


class Found(NamedTuple):
    """A result that may be taken over."""

    task: TaskId
    element: int
    value: bytes
    #: The length of its list, if a pool mapped it.
    length: int
    #: The streams whose output lies in a log: that of functions, and what is too long to be in a command's value.
    logs: tuple[OutputStream, ...] = ()
    #: The state under which it was accepted.
    token: Token = NO_TOKEN
    node: NodeId = NodeId("")


class ReuseIndex:
    def __init__(self, journal: Journal, shelf: Shelf, places: Places) -> None:
        self._journal = journal
        self._shelf = shelf
        self._places = places

    def find(self, keys: Mapping[int, bytes], run: RunId) -> dict[int, Found]:
        """Return what the keys of elements find, by index. What this run made itself is not taken over by it."""
        wanted = list(dict.fromkeys(keys.values()))
        places: dict[bytes, list[KeptKey]] = {}
        for kept in self._journal.keyed(wanted):
            if run_of(kept.task) != run:
                places.setdefault(kept.key, []).append(kept)
        chosen = {index: _nearest(index, places[key]) for index, key in keys.items() if key in places}
        found = self._read({(kept.task, kept.element): kept for kept in chosen.values()})
        return {
            index: found[kept.task, kept.element]
            for index, kept in chosen.items()
            if (kept.task, kept.element) in found
        }

    def _read(self, wanted: dict[tuple[TaskId, int], KeptKey]) -> dict[tuple[TaskId, int], Found]:
        by_task: dict[TaskId, list[KeptKey]] = {}
        for kept in wanted.values():
            by_task.setdefault(kept.task, []).append(kept)
        found: dict[tuple[TaskId, int], Found] = {}
        for task, members in by_task.items():
            found |= {(task, one.element): one for one in self._of_task(task, members)}
        return found

    def _of_task(self, task: TaskId, wanted: list[KeptKey]) -> list[Found]:
        try:
            elements = self._shelf.elements(task)
        except RoostError:
            return []
        done: dict[int, Done] = {}
        for kept in wanted:
            state = elements.at(kept.element)
            if isinstance(state, Done) and (state.token, state.node) == (kept.token, kept.node):
                done[kept.element] = state
        found = []
        has_logs = self._places.log_path(task, 0, "").parent.is_dir()
        for index, value in self._values(task, elements, RangeSet.of(done)).items():
            logs = self._logs_if_whole(task, index, value, has_logs=has_logs)
            if logs is not None:
                state = done[index]
                found.append(Found(task, index, value, state.length, logs, state.token, state.node))
        return found

    def _values(self, task: TaskId, elements: Elements, ranges: RangeSet) -> dict[int, bytes]:
        """Read results; if some of them cannot be read, those that can."""
        try:
            segments = list(self._journal.results(task, elements, ranges))
            return {index: value for part in segments for index, value in enumerate(part.values(), part.start)}
        except RoostError:
            if len(ranges) <= 1:
                return {}
            half = ranges.take(len(ranges) // 2)
            return self._values(task, elements, half) | self._values(task, elements, ranges - half)

    def _logs_if_whole(
        self, task: TaskId, index: int, value: bytes, *, has_logs: bool
    ) -> tuple[OutputStream, ...] | None:
        """Return which logs belong to a result; None if one of them, or a file that belongs to it, is not here."""
        if is_pickle(value) or is_json(value):
            stored = reference_of(value)
            if stored is not None and not self._places.blob_path(stored.content).is_file():
                return None
            names = _STREAMS if has_logs else ()
            return tuple(name for name in names if self._places.log_path(task, index, name).is_file())
        try:
            result = decode_command_result(value)
            wholes = zip(_STREAMS, (result.stdout_whole, result.stderr_whole), strict=True)
            sizes = {name: whole[1] for name, whole in wholes if whole is not None}
            files = [(self._places.blob_path(content), size) for content, size in result.files.values()]
            files += [(self._places.log_path(task, index, name), size) for name, size in sizes.items()]
            return tuple(sizes) if all(path.stat().st_size == size for path, size in files) else None
        except (RoostError, OSError):
            return None

    def adopt(self, task: TaskId, index: int, found: Found) -> bool:
        """Let an element have the logs of the one whose result it takes over; return whether it has all."""
        try:
            for name in found.logs:
                _link(self._places.log_path(found.task, found.element, name), self._places.log_path(task, index, name))
        except OSError:
            return False
        return True


def _nearest(index: int, places: list[KeptKey]) -> KeptKey:
    """Of several elements with the same inputs, an element gets what the one in its own place had."""
    return next((kept for kept in places if kept.element == index), places[-1])


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    target.hardlink_to(source)


def is_usable(length: int, *, is_mapped: bool) -> bool:
    """Whether a result will do: a pool that maps it must know how long its list is."""
    return not is_mapped or length != NO_LENGTH
