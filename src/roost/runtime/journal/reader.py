"""Reading the journal: what has been committed, over a connection that cannot write.

Reads do not wait for the writer, nor it for them. They are made in the event loop's thread, and are short.
"""

import sqlite3
import time
from collections import Counter, OrderedDict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from roost.core.facts import RunFinished, StoryTold
from roost.core.holdings import Holdings
from roost.core.queue.digests import digest_of_record, digest_of_tasks
from roost.core.queue.replica import FINAL_PHASES, Phase, phase_of
from roost.core.restored import Archived, Restored, with_all_needed
from roost.core.telling.story_bounds import bounded_story
from roost.core.telling.views import TAKEN_OVER
from roost.executors.reuse.entries import Entry, decode_entry
from roost.model.ballots import Vote
from roost.model.clock import NEVER, Stamp
from roost.model.elements import Elements
from roost.model.errors import NotFound
from roost.model.executions import NO_EXECUTIONS, Executions
from roost.model.happenings import REPORTED, Happening
from roost.model.ids import BlobHash, NodeId, RunId, TaskId, run_of
from roost.model.limits import CLOCK_LEAD_MAX_S, HAPPENED_MAX, MIB, SPANS_KEPT_MAX
from roost.model.online import NEVER_ONLINE, OnlineLog
from roost.model.order import in_order
from roost.model.pools import known_blocks
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.segments import Segment
from roost.model.spans import Span, merge_neighbours
from roost.model.states import Absent, Done
from roost.model.task import Failure, TaskSpec
from roost.model.token import Token, token_from_bytes
from roost.model.tombstones import Tombstone
from roost.policy.expected_length import Learnt
from roost.runtime.journal.checksums import is_sound, selecting, sum_of
from roost.runtime.journal.damage import Damage, Reading, of_task
from roost.runtime.journal.rows import EXECUTIONS, IN_POOL, LENGTHS, ONLINE, merge_deltas, read_meta
from roost.runtime.journal.schema import explained
from roost.runtime.journal.segments import SegmentReader, item_stretches, result_stretches
from roost.wire.codec import decode

#: Functions that stay in memory, because every lease of their tasks asks for them.
BLOB_CACHE_BYTES = 16 * MIB

#: Failures read at a time; each may carry a long traceback.
FAILURES_PER_QUERY = 256

#: A task's row in columns 0 to 8, a delta's in 9 to 11; the second is null where a task has none.
_TASKS_AND_DELTAS = (
    "SELECT tasks.seq, tasks.task, run, wall_ms, count, elements, retries, spec, tasks.crc, deltas.seq, delta, "
    "deltas.crc FROM tasks LEFT JOIN deltas ON deltas.task = tasks.task WHERE"
)
_ENDED = "tasks.run = ? AND tasks.ended = 1"
#: A task whose run is not known yet cannot go on.
_LIVE = "tasks.ended = 0 AND tasks.run IN (SELECT run FROM runs)"
_GOING_ON = "SELECT run FROM runs WHERE open OR run NOT IN (SELECT run FROM finishes)"
_FAILURES = (
    "SELECT element, token, failure, crc, rowid FROM failures WHERE task = ? AND element >= ? AND element < ? "
    "ORDER BY element LIMIT ?"
)
_FAILURE_TOKENS = (
    "SELECT element, token FROM failures WHERE task = ? AND element >= ? AND element < ? ORDER BY element LIMIT ?"
)
#: The writer keeps them few.
_STORY = f"{selecting('story')} WHERE task = ? ORDER BY wall_ms DESC, count DESC, node DESC, seq DESC"
#: A union, which mypy does not take for a type[T].
_HAPPENING: Final[Any] = Happening
#: The names of a run's tasks begin with its id and "/", which comes before "0".
_HAPPENED = (
    f"{selecting('story')} WHERE drawer <> '' AND drawer = ? AND task > ? AND task < ? "
    "ORDER BY wall_ms DESC, count DESC, node DESC, seq DESC LIMIT ?"
)
#: Keys that are looked for at a time.
KEYS_PER_QUERY = 256
_BLOBS = "SELECT hash FROM blobs WHERE hash"
_KEYED = f"{selecting('keys', 'key')} WHERE key"
_ENTRIES = f"{selecting('keys')} WHERE task = ? AND element >= ? AND element < ?"
_IN_ORDER = "ORDER BY tasks.wall_ms, tasks.count, tasks.seq"

_BYTES = (
    "SELECT TOTAL(LENGTH(payload)) FROM items WHERE task > ? AND task < ?",
    "SELECT TOTAL(LENGTH(payload)) FROM results WHERE task > ? AND task < ?",
    "SELECT TOTAL(LENGTH(delta)) FROM deltas WHERE task > ? AND task < ?",
    "SELECT TOTAL(LENGTH(spec)) FROM tasks WHERE task > ? AND task < ?",
)
#: Each from the one before it, by the index: a run may name a million files.
_NAMING = (
    "WITH RECURSIVE naming (name) AS (SELECT MIN(run) FROM files UNION ALL SELECT (SELECT MIN(run) FROM files "
    "WHERE run > name) FROM naming WHERE name IS NOT NULL) SELECT name FROM naming WHERE name IS NOT NULL"
)
_TOMBSTONES = " ".join((selecting("tombstones"), "WHERE run NOT IN (SELECT run FROM runs)"))


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
        self._segments = SegmentReader(connection, self._found)
        self._blobs: OrderedDict[BlobHash, bytes] = OrderedDict()
        self._blob_bytes = 0

    def restore(self) -> Restored:
        """Return what a node needs in memory when it starts.

        Archived tasks are left out, except those that a live task needs, directly or through others. Runs are those of
        the tasks, and those that are still open or whose end was not written.
        """
        with explained(self.path):
            self._look_at_ends()
            records = dict(self._run_records())
            live = self._with_sources(self._records(_LIVE, reading=Reading.MENDING))
            needed = [live[task] for task in in_order(sources_of(live))]
            tasks = {record.spec.id: record for record in with_all_needed(needed, records)}
            runs = {run for row in self._rows(_GOING_ON) if (run := RunId(row[0])) in records}
            runs.update(record.spec.run for record in tasks.values())
            archived = [self._archived(run, tasks, reading=Reading.MENDING) for run in runs]
            stamp = read_meta(self._reader, "last_stamp")
            neighbours, online = read_meta(self._reader, "neighbours"), read_meta(self._reader, ONLINE)
            lengths, executions = read_meta(self._reader, LENGTHS), read_meta(self._reader, EXECUTIONS)
            return Restored(
                boot=read_meta(self._reader, "boot") or 0,
                last_stamp=decode(stamp, Stamp) if stamp else NEVER,
                runs=tuple(sorted(archived, key=lambda run: (run.record.spec.submitted, run.record.spec.id))),
                tasks=tuple(tasks.values()),
                holdings=tuple(self.holdings(task, votes=bool(record.spec.voters)) for task, record in tasks.items()),
                blobs=tuple(BlobHash(row[0]) for row in self._rows("SELECT hash FROM blobs")),
                neighbours=decode(neighbours, tuple[NodeId, ...]) if neighbours else (),
                digests=tuple(self._digests(records, runs, tasks)),
                tombstones=tuple(self._tombstones()),
                online=decode(online, OnlineLog) if online else NEVER_ONLINE,
                lengths=decode(lengths, tuple[Learnt, ...]) if lengths else (),
                executions=decode(executions, Executions) if executions else NO_EXECUTIONS,
            )

    def _look_at_ends(self) -> None:
        """Take out the ends of runs that are damaged: such a run is taken into memory, and ends again."""
        for rowid, *row in self._rows(selecting("finishes", "rowid")):
            if not is_sound(row):
                run = RunId(row[0])
                self._found(Damage("finishes", rowid, f"the end of run {run}", run))

    def _run_records(self) -> Iterator[tuple[RunId, RunRecord]]:
        """Yield the records of all runs; one that is damaged stays where it is until another node tells it again."""
        for rowid, *row in self._rows(selecting("runs", "rowid")):
            if is_sound(row):
                yield RunId(row[0]), decode(row[-2], RunRecord)
            else:
                self._found(_damaged_run(RunId(row[0]), rowid))

    def _digests(
        self, records: Mapping[RunId, RunRecord], in_memory: Container[RunId], tasks: Container[TaskId]
    ) -> Iterator[tuple[RunId, bytes, bytes]]:
        """Yield the digests of each run's record, and of those of its tasks that stay on disk only."""
        ends = {row[0]: row[1] for row in self._rows("SELECT run, finish FROM finishes")}
        for run, record in records.items():
            of_record = digest_of_record(record)
            if run not in in_memory:
                yield run, of_record, decode(ends[run], RunFinished).digest
            else:
                of_run = self._records("tasks.run = ?", run, reading=Reading.MENDING)
                yield run, of_record, digest_of_tasks(task for task in of_run if task.spec.id not in tasks)

    def archived(self, run: RunId) -> Archived:
        """Return a run with what is left of its archived tasks; raise NotFound if there is no such run.

        Tasks that are damaged are left out, and taken out of the journal.
        """
        with explained(self.path):
            return self._archived(run, (), reading=Reading.MENDING)

    def run_ids(self) -> list[RunId]:
        """Return all runs, oldest first; those of the future before them."""
        # What a clock that was years ahead has dated is not the newest for years.
        latest_ms = int((time.time() + CLOCK_LEAD_MAX_S) * 1000)
        rows = self._rows("SELECT run FROM runs ORDER BY wall_ms <= ?, wall_ms, count, run", latest_ms)
        return [RunId(row[0]) for row in rows]

    def run_record(self, run: RunId) -> RunRecord:
        rows = self._rows(f"{selecting('runs', 'rowid')} WHERE run = ?", run)
        if not rows:
            raise NotFound(f"there is no run {run}")
        if not is_sound(rows[0][1:]):
            self._refuse(_damaged_run(run, rows[0][0]))
        return decode(rows[0][-2], RunRecord)

    def tombstone(self, run: RunId) -> Tombstone | None:
        """Return when a run was forgotten; None if it was not, or came back, or that is too long ago."""
        return next(self._tombstones("AND run = ?", run), None)

    def was_forgotten(self, run: RunId) -> bool:
        """Whether a run was forgotten, also if it came back since."""
        return bool(self._rows("SELECT 1 FROM tombstones WHERE run = ?", run))

    def forgotten_ids(self) -> list[RunId]:
        """Return the runs that were forgotten, oldest first."""
        return [tombstone.run for tombstone in self._tombstones("ORDER BY wall_ms, run")]

    def _tombstones(self, which: str = "", *parameters: str) -> Iterator[Tombstone]:
        """Yield those of runs that are not here; one that is damaged is passed over, for others have it."""
        for row in self._rows(f"{_TOMBSTONES} {which}", *parameters):
            if is_sound(row):
                yield decode(row[-2], Tombstone)

    def orphans(self) -> list[str]:
        """Return the files that no result names any more."""
        return [row[0] for row in self._rows("SELECT hash FROM orphans WHERE hash NOT IN (SELECT hash FROM files)")]

    def naming(self) -> list[str]:
        """Return whatever names files: runs, and blobs with a word before their hashes (forgetting.py)."""
        return [row[0] for row in self._rows(_NAMING)]

    def naming_content(self, content: str) -> list[str]:
        """Return what names this file."""
        return [row[0] for row in self._rows("SELECT run FROM files WHERE hash = ?", content)]

    def run_bytes(self, run: RunId) -> int:
        """Return about how much of the journal a run takes: its inputs, results and descriptions."""
        # Every task's name begins with its run and a slash; 0 is the character after that.
        return sum(int(self._rows(query, f"{run}/", f"{run}0")[0][0]) for query in _BYTES)

    @property
    def free_pages(self) -> int:
        """How many pages of the file hold nothing any more."""
        count: int = self._rows("PRAGMA freelist_count")[0][0]
        return count

    def run_count(self) -> int:
        count: int = self._rows("SELECT COUNT(*) FROM runs")[0][0]
        return count

    def has_run(self, run: RunId) -> bool:
        return bool(self._rows("SELECT 1 FROM runs WHERE run = ?", run))

    def has_task(self, task: TaskId) -> bool:
        return bool(self._rows("SELECT 1 FROM tasks WHERE task = ?", task))

    def finished(self, run: RunId, *, reading: Reading = Reading.STRICT) -> RunFinished | None:
        """Return how the run ended when it last did; it may have gone on since."""
        rows = self._rows(f"{selecting('finishes', 'rowid')} WHERE run = ?", run)
        if rows and not is_sound(rows[0][1:]):
            damage = Damage("finishes", rows[0][0], f"the end of run {run}", run)
            if reading is Reading.STRICT:
                self._refuse(damage)
            self._found(damage)
            return None
        return decode(rows[0][-2], RunFinished) if rows else None

    def task_ids(self, run: RunId) -> list[TaskId]:
        """Return the tasks of a run in the order of their submission."""
        rows = self._rows("SELECT task FROM tasks WHERE run = ? ORDER BY wall_ms, count, seq", run)
        return [TaskId(row[0]) for row in rows]

    def task_record(self, task: TaskId, *, reading: Reading = Reading.STRICT) -> TaskRecord:
        """Return a task; raise NotFound if there is none, and Damaged if it cannot be read, and it is read strictly."""
        with explained(self.path):
            record = next(self._records("tasks.task = ?", task, reading=reading), None)
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
        for stored, node, start, count in rows:
            token = token_from_bytes(stored)
            results[token, node] = results.get((token, node), EMPTY) | RangeSet.span(start, start + count)
        made = tuple((token, node, part) for (token, node), part in results.items())
        said = self._rows(f"{selecting('votes', 'seq')} WHERE task = ?", task) if votes else []
        sound = [row for row in said if is_sound(row[1:])]
        for seq, *row in said:
            if not is_sound(row):
                self._found(Damage("votes", seq, f"what this node voted {of_task(task)}", run_of(task), task))
        known = tuple(decode(row[-2], Vote) for row in sound)
        return Holdings(task, items, made, known, votes_lost=len(sound) < len(said))

    def items(self, task: TaskId, ranges: RangeSet) -> list[Segment]:
        """Return the inputs of these elements, in order, in segments that cover exactly them."""
        return list(self.items_one_by_one(task, ranges))

    def items_one_by_one(self, task: TaskId, ranges: RangeSet, *, partly: bool = False) -> Iterator[Segment]:
        """Yield the inputs of these elements, in order, as results are; nothing is read before it is wanted."""
        with explained(self.path):
            yield from self._segments.read(item_stretches(task, ranges), partly=partly)

    def results(self, task: TaskId, elements: Elements, ranges: RangeSet, *, partly: bool = False) -> Iterator[Segment]:
        """Yield the accepted results of those elements of ``ranges`` that are done according to ``elements``.

        Raise Damaged at one that is damaged, unless they are read ``partly``: then those that are sound are yielded.
        """
        with explained(self.path):
            yield from self._segments.read(result_stretches(task, elements, ranges), partly=partly)

    def failures(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Failure]]:
        """Yield the last failure of each element of ``ranges`` that has one, in order."""
        for index, _, failure in self.noted_failures(task, ranges):
            yield index, failure

    def noted_failures(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Token, Failure]]:
        """Yield the last failures, each with the token of its attempt."""
        for index, stored, failure, crc, rowid in self._failure_rows(_FAILURES, task, ranges):
            token = token_from_bytes(stored)
            if sum_of((task, index, stored, failure)) == crc:
                yield index, token, decode(failure, Failure)
                continue
            one = RangeSet.span(index, index + 1)
            what = f"why element {index} {of_task(task)} failed"
            self._found(Damage("failures", rowid, what, run_of(task), task, one))
            yield index, token, Failure("why it failed was damaged on this disk; ask again: another may know")

    def failure_tokens(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Token]]:
        """Yield the elements that have a failure, each with the token of its attempt."""
        for index, stored in self._failure_rows(_FAILURE_TOKENS, task, ranges):
            yield index, token_from_bytes(stored)

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
            rows = self._rows(f"{_KEYED} IN ({marks})", *part)
            sound = [row for row in rows if is_sound(row[1:]) and decode_entry(row[5]).key == row[0]]
            found += [
                KeptKey(key, task, element, token_from_bytes(stored), node)
                for key, task, element, stored, node, *_ in sound
            ]
        return found

    def entries(self, task: TaskId, ranges: RangeSet) -> dict[int, NotedEntry]:
        """Return what is known of how elements of a task can be found again."""
        found: dict[int, NotedEntry] = {}
        for start, stop in ranges.spans():
            for row in self._rows(_ENTRIES, task, start, stop):
                if is_sound(row):
                    _, element, stored, node, entry, _ = row
                    found[element] = NotedEntry(token_from_bytes(stored), node, decode_entry(entry))
        return found

    def story(self, task: TaskId) -> list[StoryTold]:
        """Return the last lines of a task's story, oldest first, of each drawer as many as are kept."""
        told = self._lines(task)
        of_run = self._lines(TaskId(run_of(task)))
        rows = self._rows(f"{selecting('tasks')} WHERE task = ?", task) if of_run else ()
        for row in filter(is_sound, rows):
            spec = decode(row[-2], TaskSpec)
            elements = spec.elements if spec.mapper is None else EMPTY
            told += [StoryTold(task, line.at, elements, line.what, line.cause) for line in of_run]
            told.sort(key=attrgetter("at"))
        return bounded_story(told)

    def _lines(self, task: TaskId) -> list[StoryTold]:
        return _told(self._rows(_STORY, task))

    def happened(self, run: RunId) -> list[StoryTold]:
        """Return the last lines of each kind that its report tells, oldest first: lost nodes, and what people did."""
        told: list[StoryTold] = []
        for kind in REPORTED:
            told += _told(self._rows(_HAPPENED, kind, f"{run}/", f"{run}0", HAPPENED_MAX))
        return sorted(told, key=attrgetter("at"))

    def spans(self, run: RunId) -> list[Span]:
        """Return what is known here of who worked on a run, and when, in no more than SPANS_KEPT_MAX pieces."""
        rows = self._rows(f"{selecting('spans')} WHERE run = ?", run)
        return merge_neighbours((decode(row[-2], Span) for row in rows if is_sound(row)), SPANS_KEPT_MAX)

    def has_blob(self, blob: BlobHash) -> bool:
        return blob in self._blobs or bool(self._rows("SELECT 1 FROM blobs WHERE hash = ?", blob))

    def known_blobs(self, blobs: Sequence[BlobHash]) -> frozenset[BlobHash]:
        """Return those of these that are here; a workflow may bring a hundred thousand."""
        # A function that is called again and again was read before.
        found = [blob for blob in blobs if blob in self._blobs]
        unread = [blob for blob in blobs if blob not in self._blobs] if len(found) < len(blobs) else []
        for at in range(0, len(unread), KEYS_PER_QUERY):
            part = unread[at : at + KEYS_PER_QUERY]
            marks = ", ".join("?" for _ in part)
            found += [row[0] for row in self._rows(f"{_BLOBS} IN ({marks})", *part)]
        return frozenset(found)

    def blob(self, blob: BlobHash) -> bytes:
        if blob in self._blobs:
            self._blobs.move_to_end(blob)
            return self._blobs[blob]
        rows = self._rows(f"{selecting('blobs', 'rowid')} WHERE hash = ?", blob)
        if not rows:
            raise NotFound(f"there is no function or argument with the hash {blob}")
        if not is_sound(rows[0][1:]):
            self._refuse(Damage("blobs", rows[0][0], f"the function or argument with the hash {blob}", None, blob=blob))
        content: bytes = rows[0][-2]
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

    def _records(self, which: str, *parameters: object, reading: Reading = Reading.STRICT) -> Iterator[TaskRecord]:
        """Read tasks with their merged deltas; ``which`` is a condition on the table of tasks."""
        for columns, deltas in self._sound_tasks(which, parameters, reading):
            yield TaskRecord(decode(columns[-1], TaskSpec), merge_deltas(deltas))

    def refuse_lost_tasks(self, run: RunId) -> None:
        """Raise Damaged if nobody can tell from this journal what a task of the run was."""
        for seq, *row in self._rows(f"{selecting('tasks', 'seq')} WHERE run = ?", run):
            if not is_sound(row):
                self._refuse(_damaged_task("tasks", seq, row[0]))

    def _sound_tasks(
        self, which: str, parameters: Sequence[object], reading: Reading
    ) -> Iterator[tuple[tuple[Any, ...], tuple[bytes, ...]]]:
        """Yield the columns of each task, and its deltas; what is damaged is refused or left out."""
        rows = self._reader.execute(f"{_TASKS_AND_DELTAS} {which} {_IN_ORDER}", parameters)
        for _, group in groupby(rows, key=itemgetter(0)):
            members = list(group)
            columns = members[0][1:8]
            damages = [] if sum_of(columns) == members[0][8] else [_damaged_task("tasks", members[0][0], columns[0])]
            deltas = []
            for seq, delta, crc in (row[9:] for row in members if row[9] is not None):
                if sum_of((columns[0], delta)) == crc:
                    deltas.append(delta)
                else:
                    damages.append(_damaged_task("deltas", seq, columns[0]))
            for damage in damages:
                if reading is Reading.STRICT:
                    self._refuse(damage)
                self._found(damage)
            if not damages or damages[0].table != "tasks":
                yield columns, tuple(deltas)

    def _found(self, damage: Damage, *, refused: bool = False) -> None:
        """Something is damaged, and is left out; or it is refused to whoever asked, and stays for now."""

    def _refuse(self, damage: Damage) -> NoReturn:
        self._found(damage, refused=True)
        raise damage.error()

    def _with_sources(self, tasks: Iterable[TaskRecord]) -> dict[TaskId, TaskRecord]:
        """Add the tasks that these need, the tasks that those need, and so on."""
        found = {record.spec.id: record for record in tasks}
        pending = list(found.values())
        while pending:
            for edge in pending.pop().spec.edges:
                if edge.source not in found:
                    for record in self._records("tasks.task = ?", edge.source, reading=Reading.MENDING):
                        found[edge.source] = record
                        pending.append(record)
        return found

    def _archived(self, run: RunId, but_for: Container[TaskId], *, reading: Reading) -> Archived:
        counts: Counter[str] = Counter()
        tasks = 0
        for columns, deltas in self._sound_tasks(_ENDED, (run,), reading):
            task, _, _, _, elements, retries, _ = columns
            if task not in but_for:
                counts.update(_counts_at_end(elements, retries, deltas))
                tasks += 1
        return Archived(self.run_record(run), dict(counts), tasks, self.finished(run, reading=reading))


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


def sources_of(tasks: Mapping[TaskId, TaskRecord]) -> dict[TaskId, list[TaskId]]:
    return {task: [edge.source for edge in record.spec.edges] for task, record in tasks.items()}


def _told(rows: Sequence[Any]) -> list[StoryTold]:
    """Return the sound ones of these lines, the last first, in the order in which they happened."""
    return [
        StoryTold(TaskId(task), Stamp(wall_ms, count, node), decode(ranges, RangeSet), decode(what, _HAPPENING), cause)
        for task, wall_ms, count, node, ranges, what, cause, *_ in filter(is_sound, reversed(rows))
    ]


def _damaged_run(run: RunId, rowid: int) -> Damage:
    return Damage("runs", rowid, f"the record of run {run}", run)


def _damaged_task(table: str, rowid: int, task: TaskId) -> Damage:
    return Damage(table, rowid, f"the record {of_task(task)}", run_of(task), task)
