"""Reading what elements made: results, failures, logs, files."""

import contextlib
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any, Final, NamedTuple

from aiohttp import web

from roost.api import answers
from roost.api.encoding import encoded
from roost.api.requests import FilesQuery, LogsQuery, Nothing, PageQuery, RawBytes, ValueQuery
from roost.app.intake.lookup import final_tasks, sole_element, sole_task, state_of, task_named
from roost.app.web.calls import Call, retold
from roost.app.web.pages import Page, Part, wanted
from roost.core.telling.views import TaskView
from roost.executors.worker.taking import why_not_returned
from roost.executors.worker.values import VALUE_FILE, files_of
from roost.model.errors import Damaged, NotFound, Unavailable
from roost.model.ids import NodeId, name_of
from roost.model.limits import MIB
from roost.model.paths import shown_in
from roost.model.ranges import RangeSet
from roost.model.states import Done, Failed
from roost.model.task import Command, Function, Manual, Script, TaskSpec, Value, Work
from roost.model.visible import quoted
from roost.runtime.far.output import Piece
from roost.runtime.service import NodeService
from roost.wire.stored import reference_of
from roost.wire.values import CommandResult, decode_command_result, decode_item, handed_files

#: Tells a follower whether more can come; it is read before the bytes, so "done" means that all of them are there.
STATE_HEADER = "X-Roost-State"
#: A value that is handed in is written in pieces of at most this.
_PIECE_BYTES: Final = 1 * MIB


async def results(call: Call[PageQuery, Nothing]) -> answers.Results:
    """Answer with the results of done elements, by default of the run's final tasks."""
    run, query = call.run(), call.query
    views = [task_named(call.service, run, query.task)] if query.task else final_tasks(call.service, run)
    page = Page(query.limit)
    found: list[answers.ElementResult] = []
    values = _values(call.service, wanted(query, views, "done"), page)
    async with contextlib.aclosing(values):
        async for view, index, value, node in values:
            if not page.takes(view, index, len(value)):
                break
            found.append(answers.ElementResult(**_place(view.spec, index, node), **_made(view.spec.work, value)))
    return answers.Results(found, **page.end)


async def failures(call: Call[PageQuery, Nothing]) -> answers.Failures:
    """Answer with the failed elements; for elements that are named, with their last failure whatever came after."""
    run, query = call.run(), call.query
    views = [task_named(call.service, run, query.task)] if query.task else call.service.tasks(run)
    page = Page(query.limit)
    found: list[answers.ElementFailure] = []
    for view, ranges in wanted(query, views, "failed" if query.elements is None else None):
        first = ranges.take(query.limit + 1)
        await call.service.bring_failures(view.spec.id, first)
        nodes = _nodes(call.service, view, first, Failed)
        for index, failure in call.service.failures(view.spec.id, ranges):
            if not page.takes(view, index, len(failure.detail)):
                return answers.Failures(found, **page.end)
            found.append(retold(failure, answers.ElementFailure, **_place(view.spec, index, nodes.get(index))))
    return answers.Failures(found, **page.end)


async def logs(call: Call[LogsQuery, Nothing]) -> web.StreamResponse:
    query = call.query
    view = sole_task(call.service, call.run(), query.task)
    index = sole_element(view, query.element)
    headers = {STATE_HEADER: state_of(view, index)}
    kept = await _kept_output(call.service, view, index, query.stream)
    first = None if kept.is_whole else await _log_or_kept(call, view, index, kept)
    if first is None:
        end = None if query.limit is None else query.offset + query.limit
        return web.Response(body=kept.content[query.offset : end], headers=headers)
    return await _send_log(call, view, index, first, headers)


async def files(call: Call[FilesQuery, Nothing]) -> web.FileResponse:
    view = sole_task(call.service, call.run(), call.query.task)
    index = sole_element(view, call.query.element)
    where = f"element {shown_in(view.spec, index)} of task {quoted(name_of(view.spec.id))}"
    result = await _result(call.service, view, index)
    kept = files_of(result) if result else {}
    if not kept:
        raise NotFound(f"{where} has no files; it is {state_of(view, index)}")
    name = call.query.name or (next(iter(kept)) if len(kept) == 1 else "")
    if name not in kept:
        names = ", ".join(sorted(kept))
        wrong = f"no file {quoted(name)}; its files are" if name else "several files; name one of"
        raise NotFound(f"{where} has {wrong}: {names}")
    return web.FileResponse(await call.service.file(view.spec.id, index, *kept[name]))


async def take_value(call: Call[Nothing, RawBytes]) -> answers.FileTaken:
    """Keep the arguments of a call that are too large for a message."""
    return answers.FileTaken(*await call.service.take_value(call.request.content.iter_chunked(_PIECE_BYTES)))


async def value(call: Call[ValueQuery, Nothing]) -> web.FileResponse:
    """Answer with the bytes of a value that a reference names."""
    return web.FileResponse(await call.service.value(call.query.content, call.query.bytes))


def command_value(result: CommandResult) -> str:
    """Return what a command's result is worth to people: its standard output without the last line end, as text."""
    return result.stdout.decode(errors="replace").removesuffix("\n")


async def _values(
    service: NodeService, parts: Iterator[Part], page: Page
) -> AsyncGenerator[tuple[TaskView, int, bytes, NodeId | None], None]:
    """Yield results in order with the nodes that made them, those on other nodes as they are brought.

    A page that has some already ends before one that cannot be had; a page that begins with it says why.
    """
    for view, asked in parts:
        # One more than fits, to see where the next page begins.
        ranges = asked.take(page.limit + 1)
        nodes = _nodes(service, view, ranges, Done)
        damaged_at = -1
        while ranges:
            try:
                here = await service.bring(view.spec.id, ranges)
            except Unavailable:
                if page.is_empty:
                    raise
                page.ends_before(view, ranges.first)
                return
            try:
                for segment in service.results(view.spec.id, here):
                    for index, value in enumerate(segment.values(), segment.start):
                        yield view, index, value, nodes.get(index)
                    ranges -= segment.ranges
            except Damaged:
                # It is no longer here then, and is brought as such.
                if ranges.first == damaged_at:
                    raise
                damaged_at = ranges.first


def _nodes(service: NodeService, view: TaskView, ranges: RangeSet, state: type[Done | Failed]) -> dict[int, NodeId]:
    """Return where each of these elements came into such a state; it did so nowhere if its result was taken over."""
    return {
        index: found.node
        for found, part in service.states(view.spec.id, ranges)
        if isinstance(found, state) and not (isinstance(found, Done) and found.reused)
        for index in part
    }


def _place(spec: TaskSpec, index: int, node: NodeId | None) -> dict[str, Any]:
    return {"task": spec.id, "index": index, "path": shown_in(spec, index), "node": node}


def _made(work: Work, value: bytes) -> dict[str, Any]:
    """Return what an element of such work made, as fields of its answer."""
    match work:
        case Command():
            return _made_by_command(decode_command_result(value))
        case Function():
            stored = reference_of(value)
            return {"pickle": value, "files": {} if stored is None else _stored({VALUE_FILE: stored})}
        case Script():
            returned = decode_item(value)
            return {"value": returned, "warning": why_not_returned(returned, work.declares)}
        case Value():
            return {"value": decode_item(value)}
        case Manual():
            answer = decode_item(value)
            return {"value": answer, "files": _stored(handed_files(answer))}


def _made_by_command(result: CommandResult) -> dict[str, Any]:
    stdout, stdout_encoding = encoded(result.stdout)
    stderr, stderr_encoding = encoded(result.stderr)
    whole = {"stdout_whole": result.stdout_whole, "stderr_whole": result.stderr_whole}
    return {
        "value": stdout.removesuffix("\n") if stdout_encoding == "utf-8" else None,
        "stdout": stdout,
        "stderr": stderr,
        "stdout_encoding": stdout_encoding,
        "stderr_encoding": stderr_encoding,
        "stdout_cut": result.stdout_cut,
        "stderr_cut": result.stderr_cut,
        **_stored({name: stored for name, stored in whole.items() if stored is not None}),
        "duration_s": result.duration_s,
        "peak_memory_bytes": result.peak_memory_bytes,
        "datasets": list(result.datasets),
        "files": _stored(result.files),
    }


def _stored(files: Mapping[str, tuple[str, int]]) -> dict[str, answers.StoredFile]:
    return {name: answers.StoredFile(*file) for name, file in files.items()}


async def _result(service: NodeService, view: TaskView, index: int) -> bytes:
    """Return the result of a done element, or nothing."""
    if state_of(view, index) == "done":
        async for _, _, value, _ in _values(service, iter([Part(view, RangeSet.span(index, index + 1))]), Page(1)):
            return value
    return b""


class _KeptOutput(NamedTuple):
    """Output that came with the result or the failure. If it is whole, a log file has no more to say."""

    content: bytes
    is_whole: bool
    #: How long the whole is, if that is known.
    size: int | None = None


async def _kept_output(service: NodeService, view: TaskView, index: int, stream: str) -> _KeptOutput:
    result = await _result(service, view, index) if isinstance(view.spec.work, Command) else b""
    if result:
        command = decode_command_result(result)
        is_stdout = stream == "stdout"
        whole = command.stdout_whole if is_stdout else command.stderr_whole
        content = command.stdout if is_stdout else command.stderr
        return _KeptOutput(content, whole is None, None if whole is None else whole[1])
    if state_of(view, index) == "failed":
        one = RangeSet.span(index, index + 1)
        await service.bring_failures(view.spec.id, one)
        for _, failure in service.failures(view.spec.id, one):
            return _KeptOutput(failure.detail.encode(), is_whole=False)
    return _KeptOutput(b"", is_whole=False)


async def _log_or_kept(call: Call[LogsQuery, Nothing], view: TaskView, index: int, kept: _KeptOutput) -> Piece | None:
    """Return the first piece of a log; None if there is none, or if what was kept has to do for it.

    The beginning of an output is never passed off as the whole: raise Unavailable if the log does not have all of it.
    """
    try:
        piece = await call.service.log(view.spec.id, index, call.query.stream, call.query.offset)
    except Unavailable:
        if kept.content and kept.size is None:
            return None
        raise
    if kept.size is not None and (piece is None or piece.size != kept.size):
        found = "is gone" if piece is None else f"has {piece.size:,}"
        raise Unavailable(
            f"element {shown_in(view.spec, index)} of task {quoted(name_of(view.spec.id))} wrote {kept.size:,} bytes "
            f"to {call.query.stream}, and its log {found}; 'roost get --json' has the beginning"
        )
    return piece


async def _send_log(
    call: Call[LogsQuery, Nothing], view: TaskView, index: int, first: Piece, headers: dict[str, str]
) -> web.StreamResponse:
    """Send a log to the size that it has now, or as much as was asked for; what is appended is for the next request."""
    offset = call.query.offset
    left = max(first.size - offset, 0)
    if call.query.limit is not None:
        left = min(left, call.query.limit)
    response = web.StreamResponse(headers={**headers, "Content-Type": "application/octet-stream"})
    response.content_length = left
    await response.prepare(call.request)
    piece: Piece | None = first
    while left:
        if piece is None or not piece.content:
            raise ConnectionAbortedError(
                f"the log of element {shown_in(view.spec, index)} became shorter while it was read"
            )
        content = piece.content[:left]
        await response.write(content)
        offset, left = offset + len(content), left - len(content)
        piece = await call.service.log(view.spec.id, index, call.query.stream, offset) if left else None
    await response.write_eof()
    return response
