"""Reading what elements made: results, failures, logs, files."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

from roost.app.web import answers
from roost.app.web.calls import Call
from roost.app.web.looking import final_tasks, sole_element, sole_task, state_of, task_named
from roost.app.web.pages import Page, Part, wanted
from roost.app.web.reading import quoted
from roost.app.web.requests import FilesQuery, LogsQuery, Nothing, PageQuery
from roost.core.views import TaskView
from roost.model.errors import NotFound
from roost.model.ids import TaskId, name_of
from roost.model.limits import KIB
from roost.model.ranges import RangeSet
from roost.model.task import Command, Failure
from roost.runtime.service import NodeService
from roost.wire.values import CommandResult, decode_command_result

#: Tells a follower whether more can come; it is read before the bytes, so "done" means that all of them are there.
STATE_HEADER = "X-Roost-State"
_CHUNK_BYTES = 256 * KIB


async def results(call: Call[PageQuery, Nothing]) -> answers.Results:
    """Answer with the results of done elements, by default of the run's final tasks."""
    run, query = call.run(), call.query
    views = [task_named(call.service, run, query.task)] if query.task else final_tasks(call.service, run)
    page = Page(query.limit)
    found: list[answers.ElementResult] = []
    for view, index, value in _values(call.service, wanted(query, views, "done"), query.limit):
        if not page.takes(view, index, len(value)):
            break
        show = _command_answer if isinstance(view.spec.work, Command) else _function_answer
        found.append(show(view.spec.id, index, value))
    return answers.Results(found, page.next, page.next_task)


async def failures(call: Call[PageQuery, Nothing]) -> answers.Failures:
    """Answer with the failed elements; for elements that are named, with their last failure whatever came after."""
    run, query = call.run(), call.query
    views = [task_named(call.service, run, query.task)] if query.task else call.service.tasks(run)
    page = Page(query.limit)
    found: list[answers.ElementFailure] = []
    parts = wanted(query, views, "failed" if query.elements is None else None)
    for view, index, failure in _failures(call.service, parts):
        if not page.takes(view, index, len(failure.detail)):
            break
        found.append(_failure_answer(view.spec.id, index, failure))
    return answers.Failures(found, page.next, page.next_task)


async def logs(call: Call[LogsQuery, Nothing]) -> web.StreamResponse:
    view = sole_task(call.service, call.run(), call.query.task)
    index = sole_element(view, call.query.element)
    state = state_of(view, index)
    headers = {STATE_HEADER: state}
    path = call.service.log_path(view.spec.id, index, call.query.stream)
    kept = _kept_output(call.service, view, index, state, call.query.stream)
    size = None if kept.is_whole else await asyncio.to_thread(_size_of, path)
    if size is None:
        return web.Response(body=kept.content[call.query.offset :], headers=headers)
    return await _send_file(call.request, path, call.query.offset, size, headers)


async def files(call: Call[FilesQuery, Nothing]) -> web.FileResponse:
    view = sole_task(call.service, call.run(), call.query.task)
    index = sole_element(view, call.query.element)
    where = f"element {index} of task {quoted(name_of(view.spec.id))}"
    result = _command_result(call.service, view, index)
    if result is None or not result.files:
        raise NotFound(f"{where} has no files; it is {state_of(view, index)}")
    name = call.query.name or (next(iter(result.files)) if len(result.files) == 1 else "")
    if name not in result.files:
        names = ", ".join(sorted(result.files))
        wrong = f"no file {quoted(name)}; its files are" if name else "several files; name one of"
        raise NotFound(f"{where} has {wrong}: {names}")
    return web.FileResponse(call.service.file_path(result.files[name][0]))


def command_value(result: CommandResult) -> str:
    """Return what a command's result is worth to people: its standard output without the last line end."""
    return _text(result.stdout).removesuffix("\n")


def _values(service: NodeService, parts: Iterator[Part], limit: int) -> Iterator[tuple[TaskView, int, bytes]]:
    for view, ranges in parts:
        # One more than fits, to see where the next page begins.
        for segment in service.results(view.spec.id, ranges.take(limit + 1)):
            for index, value in enumerate(segment.values(), segment.start):
                yield view, index, value


def _failures(service: NodeService, parts: Iterator[Part]) -> Iterator[tuple[TaskView, int, Failure]]:
    for view, ranges in parts:
        for index, failure in service.failures(view.spec.id, ranges):
            yield view, index, failure


def _function_answer(task: TaskId, index: int, value: bytes) -> answers.ElementResult:
    return answers.ElementResult(task=task, index=index, pickle=value)


def _command_answer(task: TaskId, index: int, value: bytes) -> answers.ElementResult:
    result = decode_command_result(value)
    return answers.ElementResult(
        task=task,
        index=index,
        value=command_value(result),
        stdout=_text(result.stdout),
        stderr=_text(result.stderr),
        stdout_cut=result.stdout_cut,
        duration_s=result.duration_s,
        peak_memory_bytes=result.peak_memory_bytes,
        datasets=list(result.datasets),
        files={name: answers.StoredFile(content, size) for name, (content, size) in result.files.items()},
    )


def _failure_answer(task: TaskId, index: int, failure: Failure) -> answers.ElementFailure:
    return answers.ElementFailure(
        task=task,
        index=index,
        reason=failure.reason,
        exit_code=failure.exit_code,
        signal=failure.signal,
        peak_memory_bytes=failure.peak_memory_bytes,
        duration_s=failure.duration_s,
        detail=failure.detail,
    )


def _command_result(service: NodeService, view: TaskView, index: int) -> CommandResult | None:
    """Return what a done element of a command left, or None."""
    if not isinstance(view.spec.work, Command) or state_of(view, index) != "done":
        return None
    for segment in service.results(view.spec.id, RangeSet.span(index, index + 1)):
        return decode_command_result(segment.values()[index - segment.start])
    return None


class _KeptOutput(NamedTuple):
    """Output that came with the result or the failure. If it is whole, a log file has no more to say."""

    content: bytes
    is_whole: bool


def _kept_output(service: NodeService, view: TaskView, index: int, state: str, stream: str) -> _KeptOutput:
    result = _command_result(service, view, index)
    if result is not None and stream == "stdout":
        return _KeptOutput(result.stdout, not result.stdout_cut)
    if result is not None:
        return _KeptOutput(result.stderr, not result.stderr_cut)
    if state == "failed":
        for _, failure in service.failures(view.spec.id, RangeSet.span(index, index + 1)):
            return _KeptOutput(failure.detail.encode(), is_whole=False)
    return _KeptOutput(b"", is_whole=False)


def _size_of(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


async def _send_file(
    request: web.Request, path: Path, offset: int, size: int, headers: dict[str, str]
) -> web.StreamResponse:
    """Send the file from ``offset`` to the size it has now; what is appended meanwhile is for the next request."""
    left = max(size - offset, 0)
    response = web.StreamResponse(headers={**headers, "Content-Type": "application/octet-stream"})
    response.content_length = left
    await response.prepare(request)
    while left:
        chunk = await asyncio.to_thread(_read_chunk, path, offset, min(left, _CHUNK_BYTES))
        if not chunk:
            raise ConnectionAbortedError(f"{path.name} became shorter while it was read")
        await response.write(chunk)
        offset, left = offset + len(chunk), left - len(chunk)
    await response.write_eof()
    return response


def _read_chunk(path: Path, offset: int, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(size)


def _text(data: bytes) -> str:
    return data.decode(errors="replace")
