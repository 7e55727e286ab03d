"""Reading what commands were handed in with: their words and variables, and the items of their elements."""

from collections.abc import Iterator

import msgspec

from roost.api.handed_in import Commands, ElementInput, Inputs, TaskCommand
from roost.api.requests import Nothing, PageQuery
from roost.app.intake.lookup import task_named
from roost.app.web.calls import Call
from roost.app.web.pages import Page, Part, wanted
from roost.executors.template import parse
from roost.languages.environment import SENT_ALONG
from roost.model.paths import shown_in
from roost.model.task import Command, TaskSpec
from roost.wire.values import decode_item


async def commands(call: Call[PageQuery, Nothing]) -> Commands:
    """Answer with a command for each task that is one."""
    page = Page(call.query.limit)
    found: list[TaskCommand] = []
    for view, ranges in _parts(call):
        work = view.spec.work
        if not isinstance(work, Command) or not ranges:
            continue
        if not page.takes(view, ranges.first, len(msgspec.json.encode(work))):
            break
        found.append(_answer(view.spec, work))
    return Commands(found, **page.end)


async def inputs(call: Call[PageQuery, Nothing]) -> Inputs:
    """Answer with the items of elements, as far as they are on this node."""
    page = Page(call.query.limit)
    found: list[ElementInput] = []
    for view, ranges in _parts(call):
        spec = view.spec
        if not isinstance(spec.work, Command) or not spec.has_items:
            continue
        for segment in call.service.inputs(spec.id, ranges):
            for index, item in enumerate(segment.values(), segment.start):
                if not page.takes(view, index, len(item)):
                    return Inputs(found, **page.end)
                found.append(ElementInput(spec.id, index, shown_in(spec, index), decode_item(item)))
    return Inputs(found, **page.end)


def _parts(call: Call[PageQuery, Nothing]) -> Iterator[Part]:
    run, query = call.run(), call.query
    views = [task_named(call.service, run, query.task)] if query.task else call.service.tasks(run)
    return wanted(query, views, None)


def _answer(spec: TaskSpec, work: Command) -> TaskCommand:
    kinds = {edge.port: edge.kind for edge in spec.edges}
    # One that goes along holds no placeholder: if it does, it was declared.
    own = {
        name: value
        for name, value in work.env.items()
        if name not in SENT_ALONG or any(not isinstance(part, str) for part in parse(value, spec.has_items, kinds))
    }
    return TaskCommand(
        spec.id, list(work.argv), spec.has_items, work.cwd, own, work.stdin, dict(work.outputs), work.recorded
    )
