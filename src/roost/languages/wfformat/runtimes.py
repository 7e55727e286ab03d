"""How long each element of a run took: as its outcome says, or else by the timeline.

Commands know their own times. Of functions and scripts only the timeline knows how long a lane was busy with them,
often with several one after the other; each of these then has their mean.
"""

from collections.abc import Iterable, Mapping
from typing import Any

Json = Mapping[str, Any]
#: What nobody works on: it comes with the submission, or a person answers.
_WITHOUT_WORK = frozenset({"value", "manual"})


class Runtimes:
    def __init__(self, spans: Iterable[Json]) -> None:
        self._of_task: dict[str, list[Json]] = {}
        #: What nodes did for tasks that are not told apart any more.
        self._merged: dict[str, list[Json]] = {}
        for span in spans:
            if span["task"] is None:
                self._merged.setdefault(span["node"], []).append(span)
            elif span["failed"] < span["elements"]:
                self._of_task.setdefault(span["task"], []).append(span)

    def seconds(self, step: Json, ended: Json) -> float | None:
        """Return how long an element of ``step`` took that ended so; None if nobody knows."""
        if ended.get("duration_s") is not None:
            return float(ended["duration_s"])
        if step["kind"] in _WITHOUT_WORK:
            return 0.0
        own = [
            span
            for span in self._of_task.get(ended["task"], ())
            if span["node"] == ended["node"] and span["first"] <= ended["index"] <= span["last"]
        ]
        if own:
            return _mean([min(own, key=lambda span: (span["elements"], span["start"]))])
        return _mean(self._of_task.get(ended["task"]) or self._merged.get(ended["node"]) or ())


def _mean(spans: Iterable[Json]) -> float | None:
    told = list(spans)
    elements = sum(span["elements"] for span in told)
    return round(sum(span["busy_s"] for span in told) / elements, 6) if elements else None
