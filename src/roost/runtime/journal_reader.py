"""Reading the journal: what has been committed, over a connection that cannot write.

Reads do not wait for the writer, nor it for them. They are made in the event loop's thread, and are short.
"""

import sqlite3
from collections import Counter, OrderedDict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from roost.core.facts import RunFinished, StoryTold
from roost.core.holdings import Holdings
from roost.core.replica import FINAL_PHASES, Phase, phase_of
from roost.core.restored import Archived, Restored, with_all_needed
from roost.core.sync import digest_of_record, digest_of_tasks
from roost.core.views import TAKEN_OVER
from roost.executors.reuse.entries import Entry, decode_entry
from roost.model.ballots import Vote
from roost.model.clock import NEVER, Stamp
from roost.model.elements import Elements
from roost.model.errors import NotFound
from roost.model.ids import BlobHash, NodeId, RunId, TaskId, Token, run_of
from roost.model.limits import HAPPENED_MAX, MIB, SPANS_KEPT_MAX, STORY_LINES_MAX
from roost.model.pools import known_blocks
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.segments import Segment
from roost.model.spans import Span, merge_neighbours
from roost.model.states import Absent, Done
from roost.model.task import Failure, TaskSpec
from roost.runtime.journal_rows import IN_POOL, merge_deltas, read_meta
from roost.runtime.journal_schema import explained
from roost.runtime.journal_segments import SegmentReader, item_stretches, result_stretches
from roost.wire.codec import decode

#: Functions that stay in memory, because every lease of their tasks asks for them.
BLOB_CACHE_BYTES = 16 * MIB

#: Failures read at a time; each may carry a long traceback.
FAILURES_PER_QUERY = 256

_TASKS_AND_DELTAS = "SELECT tasks.seq, spec, delta FROM tasks LEFT JOIN deltas ON deltas.task = tasks.task WHERE"
_ENDED = (
    "SELECT tasks.task, elements, retries, delta FROM tasks LEFT JOIN deltas ON deltas.task = tasks.task "
    "WHERE tasks.run = ? AND tasks.ended = 1 ORDER BY tasks.seq"
)
#: A task whose run is not known yet cannot go on.
_LIVE = "tasks.ended = 0 AND tasks.run IN (SELECT run FROM runs)"
_GOING_ON = "SELECT run FROM runs WHERE open OR run NOT IN (SELECT run FROM finishes)"
_FAILURES = (
    "SELECT element, token, failure FROM failures WHERE task = ? AND element >= ? AND element < ? "
    "ORDER BY element LIMIT ?"
)
_FAILURE_TOKENS = (
    "SELECT element, token FROM failures WHERE task = ? AND element >= ? AND element < ? ORDER BY element LIMIT ?"
)
_STORY = (
    "SELECT wall_ms, count, node, ranges, what, cause FROM story WHERE task = ? "
    "ORDER BY wall_ms DESC, count DESC, node DESC, seq DESC LIMIT ?"
)
#: The names of a run's tasks begin with its id and "/", which comes before "0".
_HAPPENED = (
    "SELECT task, wall_ms, count, node, ranges, what, cause FROM story WHERE task > ? AND task < ? AND is_event "
    "ORDER BY wall_ms DESC, count DESC, node DESC, seq DESC LIMIT ?"
)
#: Keys that are looked for at a time.
KEYS_PER_QUERY = 256
_BLOBS = "SELECT hash FROM blobs WHERE hash"
_KEYED = "SELECT key, task, element, token, node FROM keys WHERE key"
_ENTRIES = "SELECT element, token, node, entry FROM keys WHERE task = ? AND element >= ? AND element < ?"
_IN_ORDER = "ORDER BY tasks.wall_ms, tasks.count, tasks.seq"


class NotedEntry(NamedTuple):
    """What was noted of an element with the result that ``node`` made under ``token``, which need not be accepted."""

    token: Token
    node: NodeId
    entry: Entry


class KeptKey(NamedTuple):
    """A result that a key finds: of which element, and who made it under which token."""

    key: bytes
    task: TaskId
    element: int
    token: Token
    node: NodeId


class JournalReader:
    """Answers from what is on disk. What has been appended and not yet written is not there yet."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._reader = connection
        self._segments = SegmentReader(connection)
        self._blobs: OrderedDict[BlobHash, bytes] = OrderedDict()
        self._blob_bytes = 0

    def restore(self) -> Restored:
        """Return what a node needs in memory when it starts.

        Archived tasks are left out, except those that a live task needs, directly or through others. Runs are those of
        the tasks, and those that are still open or whose end was not written.
        """
        with explained(self.path):
            needed = in_order_of_need(self._with_sources(self._records(_LIVE)))
            tasks = {record.spec.id: record for record in with_all_needed(needed, {*self.run_ids()})}
            runs = {RunId(row[0]) for row in self._rows(_GOING_ON)}
            runs.update(record.spec.run for record in tasks.values())
            archived = [self._archived(run, tasks) for run in runs]
            stamp = read_meta(self._reader, "last_stamp")
            neighbours = read_meta(self._reader, "neighbours")
            return Restored(
                boot=read_meta(self._reader, "boot") or 0,
                last_stamp=decode(stamp, Stamp) if stamp else NEVER,
                runs=tuple(sorted(archived, key=lambda run: (run.record.spec.submitted, run.record.spec.id))),
                tasks=tuple(tasks.values()),
                holdings=tuple(self.holdings(task, votes=bool(record.spec.voters)) for task, record in tasks.items()),
                blobs=tuple(BlobHash(row[0]) for row in self._rows("SELECT hash FROM blobs")),
                neighbours=decode(neighbours, tuple[NodeId, ...]) if neighbours else (),
                digests=tuple(self._digests(runs, tasks)),
            )

    def _digests(self, in_memory: Container[RunId], tasks: Container[TaskId]) -> Iterator[tuple[RunId, bytes, bytes]]:
        """Yield the digests of each run's record, and of those of its tasks that stay on disk only."""
        for row in self._rows("SELECT run, record, finish FROM runs LEFT JOIN finishes USING (run)"):
            run, of_record = RunId(row[0]), digest_of_record(decode(row[1], RunRecord))
            if run not in in_memory:
                yield run, of_record, decode(row[2], RunFinished).digest
            else:
                archived = [record for record in self._records("tasks.run = ?", run) if record.spec.id not in tasks]
                yield run, of_record, digest_of_tasks(archived)

    def archived(self, run: RunId) -> Archived:
        """Return a run with what is left of its archived tasks; raise NotFound if there is no such run."""
        with explained(self.path):
            return self._archived(run, ())

    def run_ids(self) -> list[RunId]:
        """Return all runs, oldest first."""
        return [RunId(row[0]) for row in self._rows("SELECT run FROM runs ORDER BY wall_ms, count, run")]

    def run_record(self, run: RunId) -> RunRecord:
        rows = self._rows("SELECT record FROM runs WHERE run = ?", run)
        if not rows:
            raise NotFound(f"there is no run {run}")
        return decode(rows[0][0], RunRecord)

    def run_count(self) -> int:
        count: int = self._rows("SELECT COUNT(*) FROM runs")[0][0]
        return count

    def has_run(self, run: RunId) -> bool:
        return bool(self._rows("SELECT 1 FROM runs WHERE run = ?", run))

    def has_task(self, task: TaskId) -> bool:
        return bool(self._rows("SELECT 1 FROM tasks WHERE task = ?", task))

    def finished(self, run: RunId) -> RunFinished | None:
        """Return how the run ended when it last did; it may have gone on since."""
        rows = self._rows("SELECT finish FROM finishes WHERE run = ?", run)
        return decode(rows[0][0], RunFinished) if rows else None

    def task_ids(self, run: RunId) -> list[TaskId]:
        """Return the tasks of a run in the order of their submission."""
        rows = self._rows("SELECT task FROM tasks WHERE run = ? ORDER BY wall_ms, count, seq", run)
        return [TaskId(row[0]) for row in rows]

    def task_record(self, task: TaskId) -> TaskRecord:
        with explained(self.path):
            record = next(self._records("tasks.task = ?", task), None)
        if record is None:
            raise NotFound(f"there is no task {task}")
        return record

    def task_records(self, run: RunId) -> list[TaskRecord]:
        """Return all tasks of a run, archived or not, in the order of their submission."""
        with explained(self.path):
            return list(self._records("tasks.run = ?", run))

    def holdings(self, task: TaskId, *, votes: bool = False) -> Holdings:
        """Return which data of a task is here, whatever its records say; with ``votes``, what this node voted, too."""
        items = EMPTY
        for start, count in self._rows("SELECT start, count FROM items WHERE task = ?", task):
            items |= RangeSet.span(start, start + count)
        results: dict[tuple[Token, NodeId], RangeSet] = {}
        rows = self._rows("SELECT token, node, start, count FROM results WHERE task = ?", task)
        for token, node, start, count in rows:
            results[token, node] = results.get((token, node), EMPTY) | RangeSet.span(start, start + count)
        made = tuple((token, node, part) for (token, node), part in results.items())
        return Holdings(task, items, made, tuple(self._votes(task)) if votes else ())

    def _votes(self, task: TaskId) -> list[Vote]:
        return [decode(row[0], Vote) for row in self._rows("SELECT vote FROM votes WHERE task = ?", task)]

    def items(self, task: TaskId, ranges: RangeSet) -> list[Segment]:
        """Return the inputs of these elements, in order, in segments that cover exactly them."""
        return list(self.items_one_by_one(task, ranges))

    def items_one_by_one(self, task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        """Yield the inputs of these elements, in order; nothing is read before it is wanted."""
        with explained(self.path):
            yield from self._segments.read(item_stretches(task, ranges))

    def results(self, task: TaskId, elements: Elements, ranges: RangeSet) -> Iterator[Segment]:
        """Yield the accepted results of those elements of ``ranges`` that are done according to ``elements``."""
        with explained(self.path):
            yield from self._segments.read(result_stretches(task, elements, ranges))

    def failures(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Failure]]:
        """Yield the last failure of each element of ``ranges`` that has one, in order."""
        for index, _, failure in self.noted_failures(task, ranges):
            yield index, failure

    def noted_failures(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Token, Failure]]:
        """Yield the last failures, each with the token of its attempt."""
        for index, token, failure in self._failure_rows(_FAILURES, task, ranges):
            yield index, Token(token), decode(failure, Failure)

    def failure_tokens(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Token]]:
        """Yield the elements that have a failure, each with the token of its attempt."""
        for index, token in self._failure_rows(_FAILURE_TOKENS, task, ranges):
            yield index, Token(token)

    def _failure_rows(self, query: str, task: TaskId, ranges: RangeSet) -> Iterator[Any]:
        for start, stop in ranges.spans():
            while rows := self._rows(query, task, start, stop, FAILURES_PER_QUERY):
                yield from rows
                start = rows[-1][0] + 1

    def keyed(self, keys: Sequence[bytes]) -> list[KeptKey]:
        """Return the results that these keys find, whether they count or not."""
        found: list[KeptKey] = []
        for at in range(0, len(keys), KEYS_PER_QUERY):
            part = keys[at : at + KEYS_PER_QUERY]
            marks = ", ".join("?" for _ in part)
            found += [KeptKey(*row) for row in self._rows(f"{_KEYED} IN ({marks})", *part)]
        return found

    def entries(self, task: TaskId, ranges: RangeSet) -> dict[int, NotedEntry]:
        """Return what is known of how elements of a task can be found again."""
        found: dict[int, NotedEntry] = {}
        for start, stop in ranges.spans():
            for element, token, node, entry in self._rows(_ENTRIES, task, start, stop):
                found[element] = NotedEntry(token, node, decode_entry(entry))
        return found

    def story(self, task: TaskId) -> list[StoryTold]:
        """Return the last lines of a task's story, oldest first."""
        told = self._lines(task)
        of_run = self._lines(TaskId(run_of(task)))
        for row in self._rows("SELECT spec FROM tasks WHERE task = ?", task) if of_run else ():
            spec = decode(row[0], TaskSpec)
            elements = spec.elements if spec.mapper is None else EMPTY
            told += [StoryTold(task, line.at, elements, line.what, line.cause) for line in of_run]
            told.sort(key=attrgetter("at"))
        return told[-STORY_LINES_MAX:]

    def _lines(self, task: TaskId) -> list[StoryTold]:
        rows = self._rows(_STORY, task, STORY_LINES_MAX)
        return [
            StoryTold(task, Stamp(wall_ms, count, node), decode(ranges, RangeSet), what, cause)
            for wall_ms, count, node, ranges, what, cause in reversed(rows)
        ]

    def happened(self, run: RunId) -> list[StoryTold]:
        """Return the last lines about what a run went through, oldest first: lost nodes, and what people did."""
        rows = self._rows(_HAPPENED, f"{run}/", f"{run}0", HAPPENED_MAX)
        return [
            StoryTold(TaskId(task), Stamp(wall_ms, count, node), decode(ranges, RangeSet), what, cause)
            for task, wall_ms, count, node, ranges, what, cause in reversed(rows)
        ]

    def spans(self, run: RunId) -> list[Span]:
        """Return what is known here of who worked on a run, and when, in no more than SPANS_KEPT_MAX pieces."""
        rows = self._rows("SELECT span FROM spans WHERE run = ?", run)
        return merge_neighbours((decode(row[0], Span) for row in rows), SPANS_KEPT_MAX)

    def has_blob(self, blob: BlobHash) -> bool:
        return blob in self._blobs or bool(self._rows("SELECT 1 FROM blobs WHERE hash = ?", blob))

    def known_blobs(self, blobs: Sequence[BlobHash]) -> frozenset[BlobHash]:
        """Return those of these that are here; a workflow may bring a hundred thousand."""
        found: list[BlobHash] = []
        for at in range(0, len(blobs), KEYS_PER_QUERY):
            part = blobs[at : at + KEYS_PER_QUERY]
            marks = ", ".join("?" for _ in part)
            found += [row[0] for row in self._rows(f"{_BLOBS} IN ({marks})", *part)]
        return frozenset(found)

    def blob(self, blob: BlobHash) -> bytes:
        if blob in self._blobs:
            self._blobs.move_to_end(blob)
            return self._blobs[blob]
        rows = self._rows("SELECT content FROM blobs WHERE hash = ?", blob)
        if not rows:
            raise NotFound(f"there is no function or argument with the hash {blob}")
        content: bytes = rows[0][0]
        self._remember(blob, content)
        return content

    def _remember(self, blob: BlobHash, content: bytes) -> None:
        self._blobs[blob] = content
        self._blob_bytes += len(content)
        while self._blob_bytes > BLOB_CACHE_BYTES:
            _, dropped = self._blobs.popitem(last=False)
            self._blob_bytes -= len(dropped)

    def _rows(self, query: str, *parameters: object) -> list[Any]:
        with explained(self.path):
            return self._reader.execute(query, parameters).fetchall()

    def _records(self, which: str, *parameters: object) -> Iterator[TaskRecord]:
        """Read tasks with their merged deltas; ``which`` is a condition on the table of tasks."""
        rows = self._reader.execute(f"{_TASKS_AND_DELTAS} {which} {_IN_ORDER}", parameters)
        for _, group in groupby(rows, key=itemgetter(0)):
            yield _task_record(list(group))

    def _with_sources(self, tasks: Iterable[TaskRecord]) -> dict[TaskId, TaskRecord]:
        """Add the tasks that these need, the tasks that those need, and so on."""
        found = {record.spec.id: record for record in tasks}
        pending = list(found.values())
        while pending:
            for edge in pending.pop().spec.edges:
                if edge.source not in found:
                    for record in self._records("tasks.task = ?", edge.source):
                        found[edge.source] = record
                        pending.append(record)
        return found

    def _archived(self, run: RunId, but_for: Container[TaskId]) -> Archived:
        counts: Counter[str] = Counter()
        tasks = 0
        for (task, elements, retries), group in groupby(self._reader.execute(_ENDED, (run,)), key=itemgetter(0, 1, 2)):
            if task not in but_for:
                deltas = tuple(delta for _, _, _, delta in group if delta is not None)
                counts.update(_counts_at_end(elements, retries, deltas))
                tasks += 1
        return Archived(self.run_record(run), dict(counts), tasks, self.finished(run))


def in_order_of_need(tasks: Mapping[TaskId, TaskRecord]) -> list[TaskRecord]:
    """Return the tasks in the given order, but each after those that it needs."""
    placed: dict[TaskId, TaskRecord] = {}
    for first in tasks:
        waiting = [first]
        while waiting:
            task = waiting[-1]
            edges = () if task in placed else tasks[task].spec.edges
            missing = [edge.source for edge in edges if edge.source in tasks and edge.source not in placed]
            if missing:
                waiting += missing
            else:
                placed.setdefault(waiting.pop(), tasks[task])
    return list(placed.values())


# The many calls of a session leave the same few bytes each, so most of them are counted without being decoded.
@lru_cache(maxsize=1024)
def _counts_at_end(elements: int, retries: int, deltas: tuple[bytes, ...]) -> Mapping[str, int]:
    """Count the elements of a task that has ended. What is in no final state never came to run: it was aborted."""
    states = merge_deltas(deltas)
    if elements == IN_POOL:
        blocks = known_blocks(states.in_state(Absent))
        elements, states = len(blocks), states.within(blocks)
    counts = Counter({"aborted": elements})
    for state, ranges in states.items():
        phase = phase_of(state, retries)
        if phase in FINAL_PHASES:
            counts[phase.value] += len(ranges)
            counts["aborted"] -= len(ranges)
        if isinstance(state, Done) and state.reused:
            counts[TAKEN_OVER] += len(ranges)
    counts.pop(Phase.ABSENT.value, None)
    return +counts


def _task_record(rows: list[tuple[int, bytes, bytes | None]]) -> TaskRecord:
    return TaskRecord(decode(rows[0][1], TaskSpec), merge_deltas(delta for _, _, delta in rows if delta is not None))
