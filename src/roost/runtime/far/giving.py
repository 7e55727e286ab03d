"""Giving: what other nodes get of the files on this disk, which are contents and logs.

Names from outside lead to files only if they have the form of names and are known here. What cannot be read is as if it
were not here.
"""

import re
from typing import Final

from roost.executors.places import Places
from roost.model.ids import RUN_ID, TASK_NAME, NodeId, TaskId
from roost.runtime.data.contents import Contents
from roost.runtime.journal.journal import Journal
from roost.wire.content import NOT_HERE, ContentQuestion, Given, LogPart
from roost.wire.messages import HaveContent, HaveLog

_TASK_ID: Final = re.compile(f"{RUN_ID.pattern}/{TASK_NAME.pattern}")


class Giving:
    def __init__(self, journal: Journal, places: Places, contents: Contents) -> None:
        self._journal = journal
        self._places = places
        self._contents = contents

    async def size_of(self, question: HaveContent | HaveLog) -> int | None:
        """Return how much of something is here; None if it is not."""
        if isinstance(question, HaveContent):
            is_damaged = question.look and await self._contents.here(question.content) is None
            return None if is_damaged else self._contents.size_of(question.content)
        if not self._knows(question.task):
            return None
        try:
            return self._places.log_path(question.task, question.index, question.stream).stat().st_size
        except OSError:
            return None

    async def give(self, _asking: NodeId, question: ContentQuestion) -> Given:
        """Return a part of what is here."""
        try:
            if not isinstance(question, LogPart):
                return await self._contents.give(question)
            if not self._knows(question.task):
                return NOT_HERE
            path = self._places.log_path(question.task, question.index, question.stream)
            return await self._contents.give_part(path, question.offset)
        except OSError:
            return NOT_HERE

    def _knows(self, task: TaskId) -> bool:
        return _TASK_ID.fullmatch(task) is not None and self._journal.has_task(task)
