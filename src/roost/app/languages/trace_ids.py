"""Ids of tasks that say what the tasks do."""

import re
from collections.abc import Sequence
from typing import Final

from roost.app.languages.trace import TraceTask

#: How many ids are looked at before all are.
_LOOKED_AT: Final = 8
#: Ids that only count.
_NUMBERED: Final = re.compile(r"(?:ID)?[-_.#]?[0-9]+", re.IGNORECASE)


def telling_ids(tasks: Sequence[TraceTask]) -> list[str]:
    """Return the ids, with the kind of task before those that are only numbers: nobody knows what ID00014 does."""
    ids = [task.id for task in tasks]
    # Documents count their tasks or do not; the first few tell.
    if not any(map(_NUMBERED.fullmatch, ids[:_LOOKED_AT])):
        return ids
    telling = [
        f"{task.kind}_{task.id}" if task.kind not in {"", task.id} and _NUMBERED.fullmatch(task.id) else task.id
        for task in tasks
    ]
    return telling if len(set(telling)) == len(set(ids)) else ids
