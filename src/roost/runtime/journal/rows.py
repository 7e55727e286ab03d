"""Facts to rows: one group of facts becomes a handful of statements, whatever its size.

Rows of one kind go in together, many to a statement: each step of a statement gives the interpreter lock away and must
win it back from a busy event loop, so the number of steps, not of rows, decides how long a commit takes.

Facts merge, so every statement gives the same outcome for a fact that is written twice or after a later one.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias, TypeVar, assert_never

from roost.core.facts import (
    BlobStored,
    Fact,
    FailureNoted,
    ItemsStored,
    KeysNoted,
    LivesHeard,
    NeighboursMet,
    ResultsStored,
    RunFinished,
    RunForgotten,
    RunMerged,
    StatesMerged,
    StoryTold,
    TaskAdded,
    VoteKept,
    Worked,
)
from roost.core.quorum.voting import folded
from roost.executors.reuse.entries import decode_entry
from roost.model.ballots import Vote
from roost.model.clock import NEVER, Stamp
from roost.model.elements import Elements
from roost.model.errors import PeerError
from roost.model.happenings import drawer_of
from roost.model.ids import NodeId, RunId, TaskId, run_number, run_of
from roost.model.limits import CLOCK_LEAD_MAX_S, KIB, SPANS_KEPT_MAX, STORY_LINES_MAX
from roost.model.record import RunRecord
from roost.model.segments import Segment, pack
from roost.model.spans import Span, merge_neighbours
from roost.model.task import TaskSpec
from roost.model.tombstones import Tombstone
from roost.runtime.journal.checksums import COVERED, is_sound, selecting, sum_of
from roost.runtime.journal.damage import Damage
from roost.runtime.journal.forgetting import blob_file_rows, file_rows, forget_run
from roost.wire.codec import decode, encode

#: A task's deltas are merged into one row when it has this many more.
DELTAS_PER_FOLD = 64
#: ... and so are its votes.
VOTES_PER_FOLD = 64
#: Each drawer of a task's story is cut to STORY_LINES_MAX when the story has this many more lines.
LINES_PER_CUT = 32

#: Lines of different drawers do not crowd each other out. Most tasks have the common one only; alone it is cut faster.
_CUT_COMMON = (
    "DELETE FROM story WHERE seq IN (SELECT seq FROM story WHERE task = ? AND drawer = '' "
    "ORDER BY wall_ms DESC, count DESC, node DESC, seq DESC LIMIT -1 OFFSET ?)"
)
_CUT_REPORTED = (
    "DELETE FROM story WHERE seq IN (SELECT seq FROM (SELECT seq, row_number() OVER "
    "(PARTITION BY drawer ORDER BY wall_ms DESC, count DESC, node DESC, seq DESC) AS place "
    "FROM story WHERE task = ? AND drawer <> '') WHERE place > ?)"
)
_Rare: TypeAlias = (
    RunMerged | RunFinished | RunForgotten | BlobStored | FailureNoted | VoteKept | NeighboursMet | LivesHeard
)

#: Inputs in one row, and about how many bytes of them.
ITEMS_PER_ROW = 1024
ITEM_BYTES_PER_ROW = 256 * KIB
#: Stands for the number of elements of a task that has as many as lists turn out to have items.
IN_POOL: Final = -1
#: The names under which it is noted when this node was on line, how right people were when they stated lengths, and how
#: executions have ended.
ONLINE: Final = "online"
LENGTHS: Final = "lengths"
EXECUTIONS: Final = "executions"

Row = tuple[Any, ...]
_Id = TypeVar("_Id", bound=str)


class _Insert:
    """An INSERT of any number of rows, in few statements that SQLite's cache of prepared statements knows."""

    _SIZES: Final = (128, 32, 8, 4, 2, 1)

    def __init__(self, table: str, conflict: str = "DO NOTHING", *, uncovered: tuple[str, ...] = ()) -> None:
        """``uncovered`` columns come after those that the checksum covers, and before it."""
        columns = (*COVERED[table], *uncovered, "crc")
        self._covered = len(COVERED[table])
        head = f"INSERT INTO {table} ({', '.join(columns)})"
        one = f"({', '.join('?' for _ in columns)})"
        self._statements = [
            (size, " ".join((head, "VALUES", ", ".join([one] * size), "ON CONFLICT", conflict))) for size in self._SIZES
        ]
        self._for_one = self._statements[-1][1]

    def run(self, connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
        rows = [(*row, sum_of(row[: self._covered])) for row in rows]
        if len(rows) == 1:
            connection.execute(self._for_one, rows[0])
            return
        at = 0
        for size, statement in self._statements:
            while len(rows) - at >= size:
                connection.execute(statement, list(chain.from_iterable(rows[at : at + size])))
                at += size


def _replace(*columns: str, where: str = "") -> str:
    """Return what becomes of a row that is there already: these columns, and the checksum, are the new one's."""
    new = ", ".join(f"{column} = excluded.{column}" for column in (*columns, "crc"))
    return f"DO UPDATE SET {new}" + (f" WHERE {where}" if where else "")


_KEEP_LONGER = _replace("count", "payload", where="excluded.count > count")
_KEEP_LATER = _replace("token", "failure", where="(excluded.token, excluded.failure) > (token, failure)")
_KEEP_LAST = _replace(
    "wall_ms",
    "count",
    "node",
    "finish",
    where="(excluded.wall_ms, excluded.count, excluded.node) > (wall_ms, count, node)",
)
_KEEP_NEWEST = _replace("token", "node", "key", "entry", where="excluded.token >= token")
_KEEP_MERGED = _replace("number", "wall_ms", "count", "open", "record")

_INSERT_RUN = _Insert("runs", f"(run) {_KEEP_MERGED}")
_INSERT_FINISH = _Insert("finishes", f"(run) {_KEEP_LAST}")
_INSERT_TASK = _Insert("tasks")
_INSERT_DELTA = _Insert("deltas")
_INSERT_ITEMS = _Insert("items", f"(task, start) {_KEEP_LONGER}")
_INSERT_RESULTS = _Insert("results", f"(task, token, node, start) {_KEEP_LONGER}")
_INSERT_FAILURE = _Insert("failures", f"(task, element) {_KEEP_LATER}")
_INSERT_KEY = _Insert("keys", f"(task, element) {_KEEP_NEWEST}", uncovered=("key",))
_SUPERSEDE = "UPDATE keys SET key = NULL WHERE key = ? AND element = ?"
_INSERT_LINE = _Insert("story")
_INSERT_SPAN = _Insert("spans")
_INSERT_VOTE = _Insert("votes")
_INSERT_FILE = _Insert("files")
_INSERT_BLOB = _Insert("blobs")
_INSERT_META = _Insert("meta", f"(key) {_replace('value')}")

_NOTE_DAMAGE = "INSERT INTO damage (wall_ms, what) VALUES (?, ?) ON CONFLICT DO NOTHING"
_DELETE = "DELETE FROM"
_REVIVE = "UPDATE tasks SET ended = 0 WHERE task IN (SELECT value FROM json_each(?)) AND ended = 1"
_ARCHIVE = "UPDATE tasks SET ended = 1 WHERE task IN (SELECT value FROM json_each(?))"


class Group:
    """Facts and archived tasks that are written in one transaction, sorted by table."""

    def __init__(self) -> None:
        self.runs: dict[RunId, RunRecord] = {}
        self.finishes: list[Row] = []
        self.tasks: list[Row] = []
        self.deltas: dict[TaskId, list[Elements]] = {}
        self.items: list[Row] = []
        self.results: list[Row] = []
        self.failures: list[Row] = []
        self.keys: list[Row] = []
        self.story: list[Row] = []
        self.spans: list[Row] = []
        self.blobs: list[Row] = []
        self.votes: list[Row] = []
        self.files: list[Row] = []
        self.forgotten: dict[RunId, Tombstone] = {}
        #: What happened last to each task: it moved (True), or it was archived (False).
        self.moved: dict[TaskId, bool] = {}
        self.last_stamp = NEVER
        #: Tasks that were submitted together have one stamp.
        self._last_submitted = NEVER
        self.neighbours: tuple[NodeId, ...] | None = None
        #: The largest number of lives that any node is said to have had; 0 if nothing is said of it.
        self.life = 0

    def add(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            self._add(fact)

    def archive(self, tasks: Iterable[TaskId]) -> None:
        self.moved.update(dict.fromkeys(tasks, False))

    def _add_task(self, spec: TaskSpec) -> None:
        at = spec.submitted
        if at is not self._last_submitted:
            self._saw(at)
            self._last_submitted = at
        size = len(spec.elements) if spec.mapper is None else IN_POOL
        self.tasks.append((spec.id, spec.run, at.wall_ms, at.count, size, spec.retries, encode(spec)))

    def _add(self, fact: Fact) -> None:
        match fact:
            # Of these there may be a hundred thousand; taking them apart in the pattern takes longer.
            case TaskAdded():
                self._add_task(fact.spec)
            case StatesMerged(task, delta):
                self.deltas.setdefault(task, []).append(delta)
                self.moved[task] = True
            case ResultsStored(task, token, node, segment):
                self.results.append((task, token.to_bytes(), node, segment.start, segment.count, segment.payload))
                self.files += file_rows(run_of(task), segment)
            case StoryTold(task, at, ranges, what, cause):
                self._saw(at)
                self.story.append(
                    (task, at.wall_ms, at.count, at.node, encode(ranges), encode(what), cause, drawer_of(what))
                )
            case Worked(span):
                self.spans.append((run_of(span.task), span.node, span.lane, span.start, encode(span)))
            case ItemsStored(task, segment):
                self.files += file_rows(run_of(task), segment)
                self.items += [(task, part.start, part.count, part.payload) for part in _in_parts(segment)]
            case KeysNoted(task, token, node, segment):
                entries, stored = enumerate(segment.values(), segment.start), token.to_bytes()
                self.keys += [(task, at, stored, node, entry, decode_entry(entry).key or None) for at, entry in entries]
            case _:
                self._add_rarer(fact)

    def _add_rarer(self, fact: _Rare) -> None:
        match fact:
            case RunForgotten(tombstone):
                self._forget(tombstone)
            case FailureNoted(task, index, token, failure):
                self.failures.append((task, index, token.to_bytes(), encode(failure)))
            case VoteKept(task, vote):
                self.votes.append((task, encode(vote)))
            case BlobStored(blob, content):
                self.blobs.append((blob, content))
                self.files += blob_file_rows(blob, content)
            case RunMerged(record):
                self._add_run(record)
            case RunFinished(run, at):
                self._saw(at)
                self.finishes.append((run, at.wall_ms, at.count, at.node, encode(fact)))
            case NeighboursMet(nodes):
                self.neighbours = nodes
            case LivesHeard(life):
                self.life = max(self.life, life)
            case _:
                assert_never(fact)

    def _forget(self, tombstone: Tombstone) -> None:
        """Of what came before it in this transaction only votes are of use; what comes after is of one that is back."""
        run = tombstone.run
        self._saw(tombstone.at)
        self.runs.pop(run, None)
        for rows in (self.items, self.results, self.failures, self.keys, self.story):
            rows[:] = [row for row in rows if run_of(row[0]) != run]
        self.finishes = [row for row in self.finishes if row[0] != run]
        self.spans = [row for row in self.spans if row[0] != run]
        self.tasks = [row for row in self.tasks if row[1] != run]
        self.files = [row for row in self.files if row[1] != run]
        self.deltas = {task: moves for task, moves in self.deltas.items() if run_of(task) != run}
        self.moved = {task: alive for task, alive in self.moved.items() if run_of(task) != run}
        self.forgotten[run] = tombstone

    def _add_run(self, record: RunRecord) -> None:
        for stamp in (record.spec.submitted, record.suspended.changed, record.sealed.changed, record.finished):
            self._saw(stamp)
        known = self.runs.get(record.spec.id)
        self.runs[record.spec.id] = known.merge(record) if known else record

    def _saw(self, stamp: Stamp) -> None:
        self.last_stamp = max(self.last_stamp, stamp)


class RowWriter:
    """Writes groups into an open transaction, and keeps what each task costs to read within bounds.

    The tallies count the rows of each task that came or moved since it was last folded, cut or archived, as far as this
    life knows. They are a reason to look, no more: after a restart they begin at nothing, and a task is folded later.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._deltas: dict[TaskId, int] = {}
        self._lines: dict[TaskId, int] = {}
        self._spans: dict[RunId, int] = {}
        self._votes: dict[TaskId, int] = {}
        #: The largest stamp that is noted in the database, as far as this life knows, and the largest that was written.
        self._last_stamp = NEVER
        self._unnoted_stamp = NEVER
        #: What is to be noted with the next transaction, by its name, and what was noted last. Another thread sets the
        #: first.
        self.notes: dict[str, bytes] = {}
        self._noted: dict[str, bytes] = {}

    def write(self, group: Group) -> None:
        """Add a group to the transaction; ``conclude`` it after the last."""
        for tombstone in group.forgotten.values():
            self._forget(tombstone)
        deltas = [(task, encode(_joined(moves))) for task, moves in group.deltas.items()]
        # The newest result of an element is the one that is found.
        self._connection.executemany(_SUPERSEDE, [(row[5], row[1]) for row in group.keys if row[5] is not None])
        for insert, rows in (
            (_INSERT_BLOB, group.blobs),
            (_INSERT_FINISH, group.finishes),
            (_INSERT_ITEMS, group.items),
            (_INSERT_RESULTS, group.results),
            (_INSERT_DELTA, deltas),
            (_INSERT_FAILURE, group.failures),
            (_INSERT_KEY, group.keys),
            (_INSERT_LINE, group.story),
            (_INSERT_SPAN, group.spans),
            (_INSERT_VOTE, group.votes),
            (_INSERT_FILE, group.files),
        ):
            if rows:
                insert.run(self._connection, rows)
        if group.tasks:
            self._add_tasks(group.tasks)
        if group.runs:
            self._merge_runs(group.runs)
        self._revive([task for task, alive in group.moved.items() if alive])
        self._unnoted_stamp = max(group.last_stamp, self._unnoted_stamp)
        if group.neighbours is not None:
            write_meta(self._connection, "neighbours", encode(group.neighbours))
        if group.life and group.life > (read_meta(self._connection, "boot") or 0):
            write_meta(self._connection, "boot", group.life)
        self._fold_deltas(deltas)
        self._cut_stories(group.story)
        self._merge_spans(group.spans)
        self._fold_votes(group.votes)
        for row in group.finishes:
            self._spans.pop(row[0], None)
        self._archive([task for task, alive in group.moved.items() if not alive])

    def _forget(self, tombstone: Tombstone) -> None:
        forget_run(self._connection, tombstone)
        self._spans.pop(tombstone.run, None)
        for tally in (self._deltas, self._lines, self._votes):
            for task in [task for task in tally if run_of(task) == tombstone.run]:
                del tally[task]

    def conclude(self) -> None:
        """Add what all groups of the transaction have in common."""
        if self._unnoted_stamp > self._last_stamp:
            self._note_stamp(self._unnoted_stamp)
        for name, value in list(self.notes.items()):
            if value is not self._noted.get(name):
                write_meta(self._connection, name, value)
                self._noted[name] = value

    def has_noted(self, name: str) -> bool:
        """Whether the last that was to be noted under a name is in a transaction."""
        return self.notes.get(name) is self._noted.get(name)

    def forget(self) -> None:
        """Begin the tallies anew; to be called after a rollback, which undid what they stand for."""
        self._deltas.clear()
        self._lines.clear()
        self._spans.clear()
        self._votes.clear()
        self._last_stamp = self._unnoted_stamp = NEVER
        self._noted.clear()

    def _add_tasks(self, rows: Sequence[Row]) -> None:
        before = self._connection.total_changes
        _INSERT_TASK.run(self._connection, rows)
        if self._connection.total_changes - before == len(rows):
            # All are new, so none can be archived.
            self._deltas.update(dict.fromkeys([row[0] for row in rows], 0))
        else:
            self._replace_damaged(rows)

    def _replace_damaged(self, rows: Sequence[Row]) -> None:
        """Another node tells of tasks that are known; a row that was damaged is as it should be then."""
        for row in rows:
            if sound_row(self._connection, "tasks", "task = ?", row[0]) is None:
                self._connection.execute("DELETE FROM tasks WHERE task = ?", (row[0],))
                _INSERT_TASK.run(self._connection, [row])

    def _merge_runs(self, runs: dict[RunId, RunRecord]) -> None:
        rows = []
        for run, record in runs.items():
            known = sound_row(self._connection, "runs", "run = ?", run)
            if known:
                record = decode(known[-1], RunRecord).merge(record)
            at = record.spec.submitted
            rows.append((run, run_number(run), at.wall_ms, at.count, int(not record.sealed.on), encode(record)))
        _INSERT_RUN.run(self._connection, rows)

    def _revive(self, tasks: Iterable[TaskId]) -> None:
        # A task in the tally is not archived: only the others can need it.
        candidates = [task for task in tasks if task not in self._deltas]
        if candidates:
            self._connection.execute(_REVIVE, (json.dumps(candidates),))

    def _archive(self, tasks: Sequence[TaskId]) -> None:
        if tasks:
            self._connection.execute(_ARCHIVE, (json.dumps(tasks),))
        for task in tasks:
            self._deltas.pop(task, None)
            self._lines.pop(task, None)
            self._votes.pop(task, None)

    def _note_stamp(self, stamp: Stamp) -> None:
        """Note the largest stamp, but for those that lead absurdly: nobody counts on from these."""
        latest_ms = (time.time() + CLOCK_LEAD_MAX_S) * 1000
        if stamp.wall_ms > latest_ms:
            return
        if self._last_stamp == NEVER:
            known = read_meta(self._connection, "last_stamp")
            self._last_stamp = decode(known, Stamp) if known else NEVER
        if self._last_stamp < stamp or self._last_stamp.wall_ms > latest_ms:
            write_meta(self._connection, "last_stamp", encode(stamp))
            self._last_stamp = stamp

    def _fold_deltas(self, deltas: Sequence[Row]) -> None:
        for task in _due(self._deltas, deltas, DELTAS_PER_FOLD):
            deltas_of_task = self._take_out("deltas", task)
            if deltas_of_task:
                _INSERT_DELTA.run(self._connection, [(task, encode(merge_deltas(deltas_of_task)))])

    def _fold_votes(self, votes: Sequence[Row]) -> None:
        for task in _due(self._votes, votes, VOTES_PER_FOLD):
            fewer = folded(decode(vote, Vote) for vote in self._take_out("votes", task))
            _INSERT_VOTE.run(self._connection, [(task, encode(vote)) for vote in fewer])

    def _take_out(self, table: str, task: TaskId) -> list[bytes]:
        """Return what the rows of a task say, and delete them; a damaged one stays, to be found when it is read."""
        rows = self._connection.execute(f"{selecting(table, 'seq')} WHERE task = ?", (task,)).fetchall()
        sound = [row for row in rows if is_sound(row[1:])]
        delete_rows(self._connection, table, [row[0] for row in sound])
        return [row[2] for row in sound]

    def _cut_stories(self, lines: Sequence[Row]) -> None:
        for task in _due(self._lines, lines, LINES_PER_CUT):
            for cut in (_CUT_COMMON, _CUT_REPORTED):
                self._connection.execute(cut, (task, STORY_LINES_MAX))

    def _merge_spans(self, spans: Sequence[Row]) -> None:
        for run in _due(self._spans, spans, SPANS_KEPT_MAX):
            rows = self._connection.execute(f"{selecting('spans')} WHERE run = ?", (run,)).fetchall()
            merged = merge_neighbours((decode(row[-2], Span) for row in rows if is_sound(row)), SPANS_KEPT_MAX)
            self._connection.execute("DELETE FROM spans WHERE run = ?", (run,))
            _INSERT_SPAN.run(
                self._connection, [(run, span.node, span.lane, span.start, encode(span)) for span in merged]
            )


def _in_parts(segment: Segment) -> list[Segment]:
    """Cut a person's inputs, which come in one piece, so that a small lease does not unpack all of them."""
    parts = max(-(-segment.count // ITEMS_PER_ROW), -(-len(segment.payload) // ITEM_BYTES_PER_ROW))
    if parts <= 1 or segment.count == 1:
        return [segment]
    values = segment.values()
    step = -(-segment.count // parts)
    return [pack(segment.start + at, values[at : at + step]) for at in range(0, segment.count, step)]


def _due(tally: dict[_Id, int], rows: Sequence[Row], allowed: int) -> list[_Id]:
    """Count the rows by their task or run; return those that reached ``allowed``, which start again from 0."""
    due: dict[_Id, None] = {}
    for row in rows:
        task = row[0]
        tally[task] = tally.get(task, 0) + 1
        if tally[task] >= allowed:
            due[task] = None
    for task in due:
        tally[task] = 0
    return list(due)


def merge_deltas(deltas: Iterable[bytes]) -> Elements:
    return _joined([decode(delta, Elements) for delta in deltas])


def _joined(deltas: Sequence[Elements]) -> Elements:
    return deltas[0] if len(deltas) == 1 else Elements.join(entry for delta in deltas for entry in delta.items())


def sound_row(connection: sqlite3.Connection, table: str, which: str, *parameters: object) -> Row | None:
    """Return the covered columns of a row; None if there is no such row, or if it is damaged."""
    row: Row | None = connection.execute(f"{selecting(table)} WHERE {which}", parameters).fetchone()
    return row[:-1] if row is not None and is_sound(row) else None


def take_out(connection: sqlite3.Connection, damage: Damage, wall_ms: int, *, stays: bool) -> None:
    """Note that a row is damaged, once; delete it unless it ``stays``."""
    connection.execute(_NOTE_DAMAGE, (wall_ms, damage.what))
    if not stays:
        delete_rows(connection, damage.table, [damage.rowid])


def delete_rows(connection: sqlite3.Connection, table: str, rowids: Sequence[int]) -> None:
    connection.executemany(f"{_DELETE} {table} WHERE rowid = ?", [(rowid,) for rowid in rowids])


def read_meta(connection: sqlite3.Connection, key: str) -> Any:
    """Return what is noted under a name, None if nothing is; raise PeerError if that is damaged."""
    row = connection.execute("SELECT value, crc FROM meta WHERE key = ?", (key,)).fetchone()
    if row is not None and sum_of((key, row[0])) != row[1]:
        raise PeerError(f"what it says of '{key}' is not what was written")
    return row[0] if row else None


def write_meta(connection: sqlite3.Connection, key: str, value: int | str | bytes) -> None:
    _INSERT_META.run(connection, [(key, value)])


def forget_meta(connection: sqlite3.Connection, key: str) -> None:
    connection.execute("DELETE FROM meta WHERE key = ?", (key,))
