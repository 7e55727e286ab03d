"""What a person is shown with a manual step: the results that arrive at the ports that its form names."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

from msgspec.structs import replace

from roost.api.answers import ShownFile, ShownPort, ShownValue
from roost.app.intake.upstream import needed
from roost.app.web.data import command_value
from roost.core.telling.views import TaskView
from roost.executors.worker.taking import Taking, list_of
from roost.executors.worker.values import files_of, is_pickle
from roost.model.errors import InvalidInput, PeerError, Unavailable
from roost.model.ids import TaskId, name_of, run_of
from roost.model.limits import PAGE_BYTES_MAX, SHOWN_BYTES_MAX, SHOWN_VALUES_MAX
from roost.model.paths import parts_of, shown_index
from roost.model.pools import place_in_block
from roost.model.ranges import RangeSet
from roost.model.task import Edge, EdgeKind, Manual
from roost.runtime.service import NodeService
from roost.wire.values import CommandResult, decode_command_result, decode_item, encode_item, is_json


class Attachments:
    """Reads what there is to look at, for one answer of the API; what several elements get is read once."""

    def __init__(self, service: NodeService) -> None:
        self._service = service
        self._bytes_left = PAGE_BYTES_MAX
        self._known: dict[tuple[Edge, RangeSet, int | None], ShownPort] = {}

    async def of(self, view: TaskView, index: int) -> list[ShownPort]:
        """Return what arrives at each port that the form of a manual task names."""
        assert isinstance(view.spec.work, Manual), "only manual tasks show something to people"
        ports = {edge.port: edge for edge in view.spec.edges if edge.kind is not EdgeKind.AFTER}
        return [await self._port(view, ports[port], index) for port in view.spec.work.show if port in ports]

    async def _port(self, view: TaskView, edge: Edge, index: int) -> ShownPort:
        source = self._service.task(edge.source)
        ranges = needed(view.spec, edge, source, RangeSet.span(index, index + 1))
        item = place_in_block(index)[1] if edge.kind is EdgeKind.SPREAD else None
        key = (edge, ranges, item)
        if key not in self._known:
            first, parts = ranges.take(SHOWN_VALUES_MAX), parts_of(source.spec)
            values = [
                replace(shown, path=shown_index(shown.index, parts)) async for shown in self._values(edge, first, item)
            ]
            self._known[key] = ShownPort(
                port=edge.port,
                source=edge.source,
                kind=edge.kind,
                pick=edge.pick,
                values=values,
                more=len(ranges) - len(first),
            )
        return self._known[key]

    async def _values(self, edge: Edge, ranges: RangeSet, item: int | None) -> AsyncIterator[ShownValue]:
        """Yield the results in order; of those that cannot be had, why."""
        while ranges:
            try:
                here = await self._service.bring(edge.source, ranges)
                for segment in self._service.results(edge.source, here):
                    for index, data in enumerate(segment.values(), segment.start):
                        yield self._shown(edge, index, data, item)
                    ranges -= segment.ranges
            except Unavailable as error:
                yield ShownValue(index=ranges.first, problem=str(error))
                ranges -= ranges.take(1)

    def _shown(self, edge: Edge, index: int, data: bytes, item: int | None) -> ShownValue:
        if self._bytes_left <= 0:
            return ShownValue(index=index, problem="there is too much to show at once; name the run and the task")
        self._bytes_left -= min(len(data), SHOWN_BYTES_MAX)
        try:
            return _shown(edge, index, data, item)
        except (InvalidInput, PeerError) as error:
            return ShownValue(index=index, problem=str(error))


def _shown(edge: Edge, index: int, data: bytes, item: int | None) -> ShownValue:
    taking = Taking(edge.port, edge.pick, edge.type)
    if is_pickle(data):
        if len(data) > SHOWN_BYTES_MAX:
            return ShownValue(index=index, problem=f"a Python value of {len(data):,} bytes; 'roost get' prints it")
        return ShownValue(index=index, pickle=data)
    if item is not None:
        return _cut(index, taking.of(list_of(data)[item]))
    if is_json(data):
        shown = _cut(index, taking.of(decode_item(data)))
        return replace(shown, files=_files(edge.source, index, files_of(data), {edge.pick} if edge.pick else None))
    return _of_command(edge, index, decode_command_result(data), taking)


def _of_command(edge: Edge, index: int, result: CommandResult, taking: Taking) -> ShownValue:
    if edge.pick in result.files:
        return ShownValue(index=index, files=_files(edge.source, index, result.files, {edge.pick}))
    text = command_value(result)
    shown = _cut(index, text if taking.is_plain else taking.of(text, is_text=True), is_cut=result.stdout_cut)
    return replace(shown, datasets=list(result.datasets), files=_files(edge.source, index, result.files))


def _cut(index: int, value: Any, *, is_cut: bool = False) -> ShownValue:
    """Return a value, or the beginning of its text if it is too long."""
    text = value if isinstance(value, str) else encode_item(value).decode()
    if len(text) <= SHOWN_BYTES_MAX:
        return ShownValue(index=index, value=value, cut=is_cut)
    return ShownValue(index=index, value=text[:SHOWN_BYTES_MAX], cut=True)


def _files(
    task: TaskId, index: int, files: dict[str, tuple[str, int]], names: set[str] | None = None
) -> dict[str, ShownFile]:
    shown = {}
    for name, (content, size) in sorted(files.items()):
        if names is None or name in names:
            query = urlencode({"task": name_of(task), "element": index, "name": name})
            shown[name] = ShownFile(size, content, f"/v1/runs/{run_of(task)}/files?{query}")
    return shown
