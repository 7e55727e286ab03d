"""Ids of tasks that say what the tasks do."""

import re
from collections.abc import Sequence
from typing import Final

from roost.languages.trace.trace import TraceTask

#: How many ids are looked at before all are.
_LOOKED_AT: Final = 8
#: Ids that only count.
_NUMBERED: Final = re.compile(r"(?:ID)?[-_.#]?[0-9]+", re.IGNORECASE)


def telling_ids(tasks: Sequence[TraceTask]) -> list[str]:
    """Return the ids, with the kind of task before those that are only numbers: nobody knows what ID00014 does."""
    ids = [task.id for task in tasks]
    if not are_numbers(ids):
        return ids
    telling = [telling_id(task.id, task.kind) for task in tasks]
    return telling if len(set(telling)) == len(set(ids)) else ids


def are_numbers(ids: Sequence[str]) -> bool:
    """Whether ids may need to tell more. Documents count their tasks or do not; the first few tell."""
    return any(map(_NUMBERED.fullmatch, ids[:_LOOKED_AT]))


def telling_id(own: str, kind: str) -> str:
    return f"{kind}_{own}" if kind not in {"", own} and _NUMBERED.fullmatch(own) else own
