"""What people do in manual steps: they answer, amend an answer, or send earlier work back (LAN 1.1)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from roost.api.answers import AnswerTaken, FileTaken, Rejected
from roost.api.requests import AnswerAsked, Nothing, RawBytes, RejectAsked
from roost.app.intake.forms import check_handed_size, check_person, checked_values, in_words
from roost.app.intake.lookup import sole_element, state_of, task_named
from roost.app.intake.upstream import leading_to
from roost.app.web.application import ANSWERING
from roost.app.web.calls import Call
from roost.app.web.told import Stories, ago
from roost.core.events import Answered, ReopenAsked
from roost.core.telling.views import TaskView
from roost.model.errors import InvalidInput, NotFound
from roost.model.happenings import SentBackBy
from roost.model.ids import RunId, name_of
from roost.model.limits import MIB
from roost.model.paths import parts_of, shown_in, shown_ranges
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment, pack
from roost.model.task import Manual
from roost.model.visible import quoted
from roost.runtime.service import NodeService
from roost.wire.values import encode_item, handed_files

#: A file that is handed in is written in pieces of at most this.
_PIECE_BYTES = 1 * MIB
#: Steps that are named in a sentence.
_STEPS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class _Place:
    """An element that a person speaks about."""

    view: TaskView
    manual: Manual
    index: int

    @property
    def path(self) -> str:
        return shown_in(self.view.spec, self.index)

    @property
    def words(self) -> str:
        name = quoted(name_of(self.view.spec.id))
        return name if len(self.view.elements) == 1 else f"element {self.path} of {name}"


async def answer(call: Call[Nothing, AnswerAsked]) -> AnswerTaken:
    """Take an answer. The element must wait for one; or have one, if that is to be amended."""
    service, body = call.service, call.body
    place = _place(service, call.run(), body)
    with _sole_hand(call, place):
        await _check_turn(service, place, amend=body.amend, instead="'roost amend' changes the answer")
        check_person(place.manual, name_of(place.view.spec.id), body.who)
        values = checked_values(place.manual, body.values)
        await _keep_files(service, place.view.spec.run, values)
        task, cause = place.view.spec.id, service.new_cause("amend" if body.amend else "answer")
        result = pack(place.index, [encode_item(values)])
        await service.ask(Answered(cause, task, place.index, result, body.who))
        _check_counts(service, place, result)
    return AnswerTaken(place.view.spec.run, task, place.index, place.path, body.amend, values)


async def take_file(call: Call[Nothing, RawBytes]) -> FileTaken:
    """Keep a file that an answer will name."""
    size = call.request.content_length
    if size is not None:
        check_handed_size(size)
    return FileTaken(*await call.service.take_file(call.request.content.iter_chunked(_PIECE_BYTES)))


async def _keep_files(service: NodeService, run: RunId, values: dict[str, Any]) -> None:
    """Have the files of an answer here and on another disk before the answer is taken."""
    for name, (content, size) in handed_files(values).items():
        try:
            await service.keep_handed(run, content, size)
        except NotFound as error:
            told = "hand the file in first (POST /v1/files)"
            raise InvalidInput(f"the field {quoted(name)} names a file that is not here; {told}: {error}") from None


async def reject(call: Call[Nothing, RejectAsked]) -> Rejected:
    """Send back an earlier step: of an array, the elements that lead to this one."""
    service, body, run = call.service, call.body, call.run()
    place = _place(service, run, body)
    why = " ".join(body.why.split())
    if not why:
        raise InvalidInput("field 'why': say why it is sent back")
    with _sole_hand(call, place):
        await _check_turn(service, place, amend=body.amend, instead="'roost reject --amend' gives the answer up")
        check_person(place.manual, name_of(place.view.spec.id), body.who)
        target, ranges = _sent_back(service, run, place, body.to)
        told = SentBackBy(body.who, name_of(place.view.spec.id), why)
        asked = ReopenAsked(service.new_cause("reject"), ((target.spec.id, ranges),), told)
        accepted = await service.ask(asked)
    return Rejected(run, target.spec.id, shown_ranges(ranges, parts_of(target.spec)), accepted.elements)


def _sent_back(service: NodeService, run: RunId, place: _Place, to: str) -> tuple[TaskView, RangeSet]:
    """Find the step to send back, and which elements of it."""
    target, leading = task_named(service, run, to), leading_to(service, place.view, place.index)
    if target.spec.id not in leading:
        names = tuple(quoted(name_of(task)) for task in leading)
        more = ("others",) if len(names) > _STEPS_SHOWN else ()
        known = in_words((*names[:_STEPS_SHOWN], *more), "and")
        hint = f"; {known} {'does' if len(names) == 1 else 'do'}" if names else ", and nothing else does"
        raise InvalidInput(f"{quoted(name_of(target.spec.id))} does not lead to {place.words}{hint}")
    return target, leading[target.spec.id]


def _place(service: NodeService, run: RunId, body: AnswerAsked | RejectAsked) -> _Place:
    """Find the element that is meant; if none is named, the only one of the run that can be."""
    state = "done" if body.amend else "ready"
    if body.task is not None:
        view = task_named(service, run, body.task)
        if not isinstance(view.spec.work, Manual):
            raise InvalidInput(f"task {quoted(name_of(view.spec.id))} is not done by people; only manual tasks are")
    else:
        view = _sole_manual(service, run, state)
    meant = view.ranges.get(state, EMPTY)
    index = meant.first if body.element is None and len(meant) == 1 else sole_element(view, body.element)
    assert isinstance(view.spec.work, Manual), "this was looked for"
    return _Place(view, view.spec.work, index)


def _sole_manual(service: NodeService, run: RunId, state: str) -> TaskView:
    """Return the only manual task of a run that has elements in this state."""
    views = [view for view in service.tasks(run) if isinstance(view.spec.work, Manual) and view.ranges.get(state)]
    if len(views) == 1:
        return views[0]
    if not views:
        raise NotFound(f"nothing in run {run} {'waits for a person' if state == 'ready' else 'was answered'}")
    names = in_words(tuple(quoted(name_of(view.spec.id)) for view in views[:_STEPS_SHOWN]), "and")
    do = "wait for people" if state == "ready" else "were answered"
    raise InvalidInput(f"several steps of run {run} {do}, {names}; name one with 'task'")


async def _check_turn(service: NodeService, place: _Place, *, amend: bool, instead: str) -> None:
    """Raise InvalidInput if the element waits for nobody, or has an answer that nobody spoke of."""
    state = state_of(place.view, place.index)
    match state, amend:
        case ("ready", False) | ("done", True):
            return
        case ("ready", True):
            raise InvalidInput(f"{place.words} has no answer that could be amended; 'roost complete' gives one")
        case ("done", False):
            stories = await Stories.gather(service, [place.view])
            given = stories.answer_to(place.view.spec.id, place.index)
            by = "already" if given is None else f"by {given.who} {ago(given.at, time.time())} ago"
            raise InvalidInput(f'{place.words} was answered {by}; {instead} ("amend": true)')
        case ("waiting", _):
            raise InvalidInput(f"{place.words} waits for earlier steps; it can be answered when they are done")
        case ("suspended", _):
            raise InvalidInput(f"{place.words} is suspended; 'roost resume' lets its run go on")
        case _:
            raise InvalidInput(f"{place.words} is {state}, and takes no answer any more")


def _check_counts(service: NodeService, place: _Place, given: Segment) -> None:
    """Raise InvalidInput if somebody answered on another node in the same moment, and that is what all nodes keep."""
    task, one = place.view.spec.id, RangeSet.span(place.index, place.index + 1)
    kept = [] if service.absent(task, one) else [segment.values() for segment in service.results(task, one)]
    if kept != [given.values()]:
        told = "somebody else answered it in the same moment, and that answer counts"
        raise InvalidInput(f"{place.words}: {told}; look at it with 'roost get', or change it with 'roost amend'")


@contextmanager
def _sole_hand(call: Call[Nothing, AnswerAsked] | Call[Nothing, RejectAsked], place: _Place) -> Iterator[None]:
    """Refuse a second answer while the first is on its way to the disk: nobody could say which counts."""
    answering, key = call.request.app[ANSWERING], (place.view.spec.id, place.index)
    if key in answering:
        raise InvalidInput(f"somebody answers {place.words} at this moment; look again with 'roost todo'")
    answering.add(key)
    try:
        yield
    finally:
        answering.remove(key)
