"""The informant: it tells other nodes what this one has of what their people ask for.

Rules
- What is told is flushed here first, as for people of this node.
- An answer holds at most ANSWER_BYTES_MAX, or one value that is larger. Whoever has nothing says so, so that the
  other node need not wait.
- At most ANSWERS_AT_A_TIME_MAX are worked on; what comes on top is dropped, and asked again or elsewhere.
- What is on disk as a file goes by content streams (giving.py); here it is only told how large it is.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice, takewhile
from typing import TypeAlias

from roost.core.facts import StoryTold
from roost.executors.reuse.entries import digest
from roost.model.errors import RoostError
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.limits import ANSWER_FAILURES_MAX, ANSWERS_AT_A_TIME_MAX, EXPLAINED_TASKS_MAX
from roost.model.resources import Capacity
from roost.runtime.data.delivery import Room, accepted_results
from roost.runtime.far.giving import Giving
from roost.runtime.far.inquiries import Say
from roost.runtime.journal.journal import Journal
from roost.runtime.reuse.index import Found
from roost.wire.messages import (
    Ask,
    CallBack,
    FailuresOf,
    HaveContent,
    HaveLog,
    KeepContent,
    KeptResult,
    KeptUnder,
    OffersOf,
    ReasonsOf,
    ResultsOf,
    StoryLine,
    StoryOf,
    TimelineOf,
    Told,
)

#: What a result that can be taken over costs beside its value.
_KEPT_BYTES = 128


#: Questions that are answered from what is here already.
Answerable: TypeAlias = (
    ResultsOf | FailuresOf | HaveLog | HaveContent | KeptUnder | StoryOf | ReasonsOf | TimelineOf | OffersOf
)
#: Finds results that can be taken over by their keys, for a run (reuse/index.py).
FindKept = Callable[[Mapping[int, bytes], RunId], Mapping[int, Found]]
#: Brings a content from a node: its hash, its size. Opens a content stream to a node. Both raise Unavailable.
Bring = Callable[[str, int, NodeId], Awaitable[object]]
Open = Callable[[NodeId], Awaitable[object]]


class Informant:
    def __init__(
        self,
        journal: Journal,
        settle: Callable[[], None],
        reasons: Callable[[TaskId], Sequence[str] | None],
        giving: Giving,
        bring: Bring,
        call_back: Open,
        kept: FindKept,
        say: Say,
        *,
        offers: Callable[[], Capacity],
    ) -> None:
        """``settle`` flushes what is written; ``reasons`` are this node's own (telling/explain.py), and so are
        ``offers``; ``say`` answers.
        """
        self._offers = offers
        self._kept = kept
        self._giving = giving
        self._bring = bring
        self._call_back = call_back
        self._journal = journal
        self._settle = settle
        self._reasons = reasons
        self._say = say
        self._answering: set[asyncio.Task[None]] = set()

    def asked(self, sender: NodeId, ask: Ask) -> None:
        if len(self._answering) < ANSWERS_AT_A_TIME_MAX:
            task = asyncio.get_running_loop().create_task(self._answer(sender, ask))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    async def close(self) -> None:
        for task in self._answering:
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)

    async def _answer(self, sender: NodeId, ask: Ask) -> None:
        try:
            match ask.about:
                case KeepContent(content=content, size=size):
                    await self._bring(content, size, sender)
                    told = Told(ask.number, size=size)
                case CallBack():
                    await self._call_back(sender)
                    told = Told(ask.number, size=0)
                case _:
                    told = await self.tell(ask.number, ask.about)
        except (RoostError, OSError):
            # Whatever cannot be read here is not here for others.
            told = Told(ask.number)
        self._say(sender, told)

    async def tell(self, number: int, question: Answerable) -> Told:
        match question:
            case ResultsOf(task=task, ranges=ranges):
                self._settle()
                return Told(number, results=tuple(accepted_results(self._journal, task, ranges, Room())))
            case FailuresOf(task=task, ranges=ranges):
                self._settle()
                noted = islice(self._journal.noted_failures(task, ranges), ANSWER_FAILURES_MAX)
                room = Room()
                fitting = takewhile(lambda one: room.takes(one[2].size), noted)
                return Told(number, failures=tuple((task, index, token, failure) for index, token, failure in fitting))
            case StoryOf(tasks=tasks):
                self._settle()
                story = [line for task in tasks[:EXPLAINED_TASKS_MAX] for line in self._journal.story(task)]
                return Told(number, story=tuple(map(_story_line, story)))
            case ReasonsOf(tasks=tasks):
                known = [(task, self._reasons(task)) for task in tasks[:EXPLAINED_TASKS_MAX]]
                return Told(number, reasons=tuple((task, tuple(why)) for task, why in known if why is not None))
            case TimelineOf(run=run):
                self._settle()
                happened = tuple(map(_story_line, self._journal.happened(run)))
                return Told(number, spans=tuple(self._journal.spans(run)), story=happened)
            case KeptUnder(run=run, wanted=wanted):
                self._settle()
                return _kept(number, self._kept(dict(wanted), run))
            case OffersOf():
                return Told(number, offers=self._offers())
            case HaveContent() | HaveLog():
                return Told(number, size=await self._giving.size_of(question))


def _story_line(line: StoryTold) -> StoryLine:
    return StoryLine(line.task, line.at, line.ranges, line.what, line.cause)


def _kept(number: int, found: Mapping[int, Found]) -> Told:
    """Tell of results that can be taken over, as many as there is room for."""
    room, told = Room(), []
    for index, one in found.items():
        if not room.takes(len(one.value) + _KEPT_BYTES):
            break
        content = digest(one.value).hex()
        told.append(
            KeptResult(index, one.task, one.element, one.token, one.node, one.value, content, one.length, one.logs)
        )
    return Told(number, kept=tuple(told), more=room.overflowed)
