"""Whom the tasks of WfFormat up to 1.4 mean by the names of their parents and children.

Several tasks may share a name, by which others refer to them all: a published workflow has eight tasks FASTQC, and one
with the parent FASTQC. Those of them are meant that a file comes from, or that name the task as a child, or else all.
"""

from collections.abc import Sequence

from roost.languages.wfformat.document import LinkedFile, OldTask


def is_input(file: LinkedFile) -> bool:
    return file.link.lower() == "input"


def file_id(file: LinkedFile) -> str:
    return file.path + file.name


class OldLinks:
    """The tasks by all that they are called. That two have one id is told elsewhere."""

    def __init__(self, tasks: Sequence[OldTask], ids: Sequence[str]) -> None:
        self._all = list(zip(ids, tasks, strict=True))
        self._tasks = dict(self._all)
        self._called: dict[str, list[str]] = {own: [own] for own in ids}
        self._writers: dict[str, set[str]] = {}
        for own, task in zip(ids, tasks, strict=True):
            for name in {task.id, task.name} - {"", own}:
                self._called.setdefault(name, []).append(own)
            for file in task.files:
                if not is_input(file):
                    self._writers.setdefault(file_id(file), set()).add(own)

    def parents(self, task: OldTask, own: str) -> list[str]:
        """Return the ids of a task's parents; a name that nobody has stays what it is."""
        return [one for name in task.parents for one in self._meant(task, own, name)]

    def children(self, parents: Sequence[Sequence[str]]) -> list[list[str] | None]:
        """Return the ids of all tasks' children; of those that share a name, whoever has the task among its parents."""
        parents_of = {own: those for (own, _), those in zip(self._all, parents, strict=True)}

        def born(own: str, name: str) -> list[str]:
            found = self._called.get(name, [name])
            return found if len(found) == 1 else [one for one in found if own in parents_of[one]]

        return [
            None if task.children is None else [one for name in task.children for one in born(own, name)]
            for own, task in self._all
        ]

    def _meant(self, task: OldTask, own: str, name: str) -> list[str]:
        found = self._called.get(name, [name])
        if len(found) == 1:
            return found
        sources = {one for file in task.files if is_input(file) for one in self._writers.get(file_id(file), ())}
        names = {task.id, task.name} if len(self._called[task.name]) == 1 else {task.id}
        near = [one for one in found if one in sources or not names.isdisjoint(self._tasks[one].children or ())]
        return near or [one for one in found if one != own]
