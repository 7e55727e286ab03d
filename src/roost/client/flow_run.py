"""A workflow that was handed in: wait for it, look at it, take its results, cancel it."""

import logging
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from roost.api.python_session import Answer, Cancel, Look, Named, NameRun, NewTask, Seen, Submit, Taken
from roost.client.arrays import ArrayResults
from roost.client.attaching import reader_of, watch
from roost.client.connect import shared_conversation
from roost.client.conversation import Conversation, agreed
from roost.client.handles import Handle, require_handle
from roost.client.lending import waiting
from roost.client.requirements import policy_named
from roost.client.slicing import LONGEST_SLICE, slices
from roost.core.telling.views import ENDED
from roost.executors.worker.place import task_here
from roost.executors.worker.taking import Taking, list_of
from roost.model.errors import InvalidInput
from roost.model.ids import RunId, TaskId, task_id
from roost.model.pools import POOL_BLOCK, below
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.task import Edge, EdgeKind, RunKind, reuse_of
from roost.model.visible import visible_line
from roost.wire.stored import reference_of

if TYPE_CHECKING:
    from roost.client.pool import Pool
    from roost.client.workflow import Workflow, WorkflowStep

_BAR_EVERY_S: Final = 0.2
#: Where nobody has set up logging, Python prints its warnings on standard error.
log = logging.getLogger("roost")


def submit_flow(
    flow: "Workflow",
    pool: "Pool | None" = None,
    *,
    resume: bool = False,
    quorum: bool = False,
    policy: str | None = None,
) -> "FlowRun":
    """Hand in all steps in one message. Raise InvalidInput if the node refuses; then nothing was accepted."""
    named_policy = policy_named(policy)
    if not flow.steps:
        raise InvalidInput(f"the workflow '{flow.name}' has no steps; call task functions inside its with block")
    conversation = shared_conversation() if pool is None else pool.conversation
    named = conversation.ask(NameRun)
    assert isinstance(named, Named)
    run = named.run
    mapped = {mapper for step in flow.steps.values() for mapper in step.place.mappers}
    tasks = tuple(_new_task(run, step, step.name in mapped, resume=resume) for step in flow.steps.values())
    blobs = tuple({blob: data for step in flow.steps.values() for blob, data in step.blobs.items()}.items())
    final = tuple(task_id(run, handle.name) for handle in flow.finals)
    workflow = _identity(flow.name) if resume else ""
    within = task_here()
    conversation.ask(
        lambda key: Submit(
            key, run, flow.name, RunKind.FLOW, tasks, blobs, final, quorum, workflow, within, named_policy
        )
    )
    return FlowRun(conversation, run, flow, looks=any(task.reuse.looks for task in tasks))


def _identity(name: str) -> str:
    """Return what the runs of a workflow have in common: its name, and the program that describes it, or the folder."""
    program = getattr(sys.modules["__main__"], "__file__", None)
    place = Path.cwd() if program is None else Path(program).resolve()
    return f"{name} of {os.fsencode(place).decode(errors='backslashreplace')}"


def _new_task(run: RunId, step: "WorkflowStep", is_mapped: bool, *, resume: bool) -> NewTask:
    mappers = step.place.mappers
    mapper = task_id(run, mappers[-1]) if mappers else None
    edges = tuple(msgspec.structs.replace(edge, source=task_id(run, edge.source)) for edge in step.edges)
    if mapper is not None and all(edge.source != mapper for edge in edges):
        edges += (Edge(mapper, EdgeKind.SPREAD),)
    return NewTask(
        id=task_id(run, step.name),
        work=step.work,
        elements=below(RangeSet.span(0, 1 if step.place.length is None else step.place.length), len(mappers)),
        items=_segments(step.items or ()),
        edges=edges,
        needs=step.options.needs,
        priority=step.options.priority,
        retries=step.options.retries,
        length_s=step.options.length_s,
        mapper=mapper,
        depth=len(mappers),
        is_mapped=is_mapped,
        reuse=reuse_of(step.options.reuse, kept=resume, resumed=resume),
        result=step.result,
    )


def _segments(items: tuple[bytes, ...]) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    for part in slices(items, LONGEST_SLICE):
        segments.append(pack(segments[-1].stop if segments else 0, part))
    return tuple(segments)


class FlowRun:
    """One run of a workflow. It goes on whether or not anyone waits for it."""

    def __init__(self, conversation: Conversation, run: RunId, flow: "Workflow", *, looks: bool = False) -> None:
        """``looks``: some of its results may be those of earlier runs."""
        self._conversation = conversation
        self._looks = looks
        self._said_taken_over = 0
        self._flow = flow
        self.id: Final[str] = run
        self._run = run

    @property
    def state(self) -> str:
        """waiting, running, suspended, done, failed or cancelled."""
        return self._look().state

    @property
    def counts(self) -> dict[str, int]:
        """How many elements are in each state."""
        return self._look().counts

    @property
    def taken_over(self) -> int:
        """How many of the done elements have results that were taken over from earlier runs."""
        return self._look().taken_over

    def wait(self, timeout: float | None = None, *, progress: bool | None = None) -> str:
        """Wait for the end and return how it ended: done, failed or cancelled. Raise TimeoutError if it takes longer.

        ``progress`` shows a bar on standard error; None shows it on a terminal.
        """
        ending: Future[Answer] = Future()
        self._conversation.post(lambda key: Look(key, self._run, ended=True), ending.set_result)
        show = sys.stderr.isatty() if progress is None else progress
        with waiting():
            answer = self._wait_with_bar(ending, timeout) if show else ending.result(timeout)
        agreed(answer)
        assert isinstance(answer, Seen)
        self._say_taken_over(answer)
        return answer.state

    def _say_taken_over(self, seen: Seen) -> None:
        """Say how many results are those of earlier runs, unless that was said."""
        if seen.taken_over > self._said_taken_over:
            self._said_taken_over, total = seen.taken_over, sum(seen.counts.values())
            log.warning("run %s: %d of %d taken over from earlier runs", self.id, seen.taken_over, total)

    def result(self, handle: "Handle | None" = None, timeout: float | None = None) -> Any:
        """Return the value of a step, or the list of those of an array or a pool; wait for it.

        If one failed, raise what its function raised, or TaskFailed. Without a handle it is that of the workflow's
        ``final`` step, or a tuple if there are several.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        wanted = self._flow.finals if handle is None else [handle]
        if not wanted:
            raise InvalidInput("the workflow has named no final result; name a step, or call flow.final(...) before")
        values = tuple(self._value(one, deadline) for one in wanted)
        if self._looks:
            self._say_taken_over(self._look())
        return values[0] if len(values) == 1 else values

    def _value(self, handle: "Handle", deadline: float | None) -> Any:
        require_handle(handle)
        if handle.flow is not self._flow:
            raise InvalidInput(f"'{handle.name}' is not a step of this run's workflow")
        elements = self._elements(handle.mappers, handle.length, deadline)
        read = partial(self._part, Taking(handle.name, handle.pick)) if handle.pick else None
        values = self._values(handle.name, elements, deadline, read)
        return values[0] if handle.length is None and not handle.mappers else values

    def _elements(self, mappers: tuple[str, ...], length: int | None, deadline: float | None) -> RangeSet:
        """Return the elements of a step. How many a pool has follows from the lists of its mapper, as everywhere."""
        elements = RangeSet.span(0, 1 if length is None else length)
        for mapper in mappers:
            lists = self._values(mapper, elements, deadline, self._list)
            spans = (
                (parent * POOL_BLOCK, parent * POOL_BLOCK + len(items))
                for parent, items in zip(elements, lists, strict=True)
            )
            elements = RangeSet.of_spans(span for span in spans if span[0] < span[1])
        return elements

    def _list(self, data: bytes) -> list[Any]:
        return list_of(data) if reference_of(data) is None else list(self._conversation.values.read(data))

    def _part(self, taking: Taking, data: bytes) -> Any:
        """Return the part of a result that a handle stands for."""
        is_stored = reference_of(data) is not None
        return taking.of(self._conversation.values.read(data)) if is_stored else taking.value(data)

    def _values(
        self, name: str, elements: RangeSet, deadline: float | None, read: Callable[[bytes], Any] | None = None
    ) -> list[Any]:
        if not elements:
            return []
        task = task_id(self._run, name)
        array = watch(
            self._conversation,
            task,
            elements,
            lambda watched: _array(task, elements, read or reader_of(self._conversation, watched)),
        )
        return [value for chunk in array.chunks(deadline) for value in chunk]

    def cancel(self) -> int:
        """Cancel what has not ended; return how many elements that was, when they are confirmed dead."""
        answer = self._conversation.ask(lambda key: Cancel(key, self._run))
        assert isinstance(answer, Taken)
        return answer.elements

    def _look(self) -> Seen:
        seen = self._conversation.ask(lambda key: Look(key, self._run))
        assert isinstance(seen, Seen)
        return seen

    def _wait_with_bar(self, ending: Future[Answer], timeout: float | None) -> Answer:
        # Only here: loading them takes longer than connecting.
        from rich.console import Console  # noqa: PLC0415 - see above
        from rich.progress import (  # noqa: PLC0415 - see above
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        deadline = None if timeout is None else time.monotonic() + timeout
        with Progress(*columns, console=Console(stderr=True)) as bar:
            line = bar.add_task(visible_line(f"{self.id} {self._flow.name}"), total=None)
            while True:
                counts = self.counts
                ended = sum(counts.get(state, 0) for state in ENDED)
                bar.update(line, completed=ended, total=sum(counts.values()))
                left = _BAR_EVERY_S if deadline is None else min(_BAR_EVERY_S, deadline - time.monotonic())
                try:
                    return ending.result(max(0.0, left))
                except TimeoutError:
                    if left < _BAR_EVERY_S:
                        raise

    def __repr__(self) -> str:
        return f"<roost run {self.id} {self._flow.name}>"


def _array(task: TaskId, ranges: RangeSet, read: Any) -> ArrayResults:
    array = ArrayResults(ranges, read)
    array.task, array.is_accepted = task, True
    return array
