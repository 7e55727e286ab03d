"""Edges that lead out of a submission: to earlier runs and tasks, by id, number or the start of an id."""

from collections.abc import Collection, Sequence
from sys import intern

from roost.api.requests import EdgeAsked, TaskAsked
from roost.app.intake.lookup import final_tasks, sinks, task_named
from roost.app.intake.pools import PoolPlaces
from roost.app.intake.selectors import select_one
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import RunId, TaskId, task_id
from roost.model.task import Edge, EdgeKind
from roost.model.visible import quoted
from roost.runtime.service import NodeService


class Sources:
    """Knows the names in a submission and finds everything else among what the node has.

    ``resolve`` looks an edge up and remembers what it found; ``edges`` comes after ``name_all`` and cannot fail.
    """

    def __init__(self, service: NodeService | None, names: Collection[str]) -> None:
        """Without a ``service`` there are no earlier runs."""
        self._service = service
        self._names = names
        #: The ids of the tasks of this submission; each is one text, however many edges name it.
        self._ids: dict[str, TaskId] = {}
        self._earlier: dict[tuple[str, bool], tuple[TaskId, ...]] = {}

    def resolve(self, task: TaskAsked) -> dict[str, EdgeKind]:
        """Return what arrives at which port.

        Raise InvalidInput or NotFound, with the task and its field, if an edge leads nowhere.
        """
        ports: dict[str, EdgeKind] = {}
        names, after = self._names, EdgeKind.AFTER
        for edge in task.edges:
            if edge.source not in names:
                self._find_earlier(task, edge)
            if edge.kind is after:
                continue
            if edge.port in ports:
                raise InvalidInput(
                    f"task {quoted(task.name)}, field 'edges': two edges arrive at the port {quoted(edge.port)}; "
                    "give each its own"
                )
            ports[edge.port] = edge.kind
        return ports

    def name_all(self, run: RunId, tasks: Sequence[TaskAsked]) -> None:
        """The new run has an id, and so have its tasks."""
        self._ids = {task.name: task_id(run, task.name) for task in tasks}

    def id_of(self, name: str) -> TaskId:
        """Return the id of a task of this submission."""
        return self._ids[name]

    def edges(self, task: TaskAsked, places: PoolPlaces) -> tuple[Edge, ...]:
        found, ids, has_pools = [], self._ids, bool(places.mapped)
        for edge in task.edges:
            # Few names of ports are said by very many edges.
            source, port = ids.get(edge.source), intern(edge.port)
            if source is not None:
                kind = places.kind(task.name, edge.source, edge.kind) if has_pools else edge.kind
                found.append(Edge(source, kind, port, edge.pick, edge.type))
            else:
                earlier = self._earlier[edge.source, edge.kind is EdgeKind.AFTER]
                found += [Edge(one, edge.kind, port, edge.pick, edge.type) for one in earlier]
        return tuple(found)

    def _find_earlier(self, task: TaskAsked, edge: EdgeAsked) -> None:
        key = (edge.source, edge.kind is EdgeKind.AFTER)
        if key in self._earlier:
            return
        try:
            self._earlier[key] = self._lookup(edge)
        except InvalidInput as error:
            raise type(error)(
                f"task {quoted(task.name)}, field 'edges': {quoted(edge.source)} is not a task of this submission, "
                f"and {error}"
            ) from None

    def _lookup(self, edge: EdgeAsked) -> tuple[TaskId, ...]:
        run_text, slash, name = edge.source.partition("/")
        service = self._service
        if service is None:
            raise NotFound("no node was asked for earlier runs")
        run = select_one(run_text, service.run_ids(), service.forgotten_ids)
        if slash:
            return (task_named(service, run, name).spec.id,)
        if edge.kind is EdgeKind.AFTER:
            return tuple(view.spec.id for view in sinks(service.tasks(run)))
        final = final_tasks(service, run)
        if len(final) != 1:
            raise NotFound(f"run {run} has {len(final):,} final tasks; name one as {run}/name")
        return (final[0].spec.id,)
