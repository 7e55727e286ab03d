"""The journal's one writer: a thread that commits whatever has gathered while the last commit was under way.

Rules
- A ticket's facts are written together or not at all; tickets are answered in order, each exactly once.
- Tickets that wait are written in one transaction: one flush of the disk answers all of them. Nobody waits for more
  to gather, so a lone ticket costs one flush and a crowd costs little more.
- Written is not flushed (flush.py). The thread flushes before it answers.
- When nothing else is going on and the disk has been quick, the caller's thread writes itself: waking another thread,
  and being woken by it, would take longer. It flushes, or has it done, when somebody waits for that.
- A small ticket can be promised while room is set aside for it (reserve.py): whoever handed it in goes on as if it were
  written, and has it written a moment later. In between, while nobody waits, it can be prepared: put into a transaction
  that is still open. Whatever else is done with the database ends that first.
- If a group cannot be written, each of its tickets is tried alone: one bad fact, or the one that does not fit on the
  disk any more, fails alone. Nothing is given up after a failure; the next ticket may find room again.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Final, NamedTuple, Protocol, TypeAlias

import msgspec

from roost.core.facts import Fact, RunForgotten
from roost.model.ids import TaskId
from roost.model.limits import KIB
from roost.runtime.journal.damage import Damage
from roost.runtime.journal.flush import LogFile
from roost.runtime.journal.forgetting import drop_orphans
from roost.runtime.journal.reserve import Reserve
from roost.runtime.journal.rows import Group, RowWriter, take_out
from roost.wire.codec import encode

#: A number and the facts that are written under it, all or none.
Ticket: TypeAlias = tuple[int, tuple[Fact, ...]]


class Listener(Protocol):
    """Whoever is told, from the writer's thread, what became of the tickets."""

    def on_written(self, ticket: int) -> None:
        """This ticket is on disk, flushed; so are all before it that were not reported as failed."""

    def on_failed(self, tickets: tuple[int, ...], reason: str) -> None:
        """Nothing of these tickets was written; the reason is one sentence."""

    def on_flushed(self, ticket: int) -> None:
        """All that the caller's thread wrote up to this ticket is flushed."""

    def on_lost(self, reason: str) -> None:
        """The disk failed to flush: nobody knows what of the last tickets it holds. No answer comes any more."""


#: Facts in one transaction: enough to make the flush cheap for each, few enough that the first ones do not wait long.
GROUP_FACTS_MAX = 20_000


#: Pages that are given back to the disk at a time: few enough that nobody waits long for them.
FREED_PAGES = 4096
#: A commit that takes less may be made in the caller's thread, which is the node's event loop.
QUICK_S = 0.001
#: Tickets that follow each other faster are better gathered by the writer's thread.
QUIET_S = 0.0002
#: Tickets with more in them are neither promised nor written in the caller's thread.
SMALL_FACTS = 32
SMALL_BYTES = 64 * KIB
_WEIGHT_OF_NEWEST = 0.2


class _Archived(msgspec.Struct, frozen=True):
    tasks: tuple[TaskId, ...]
    #: Set when it was tried.
    settled: threading.Event


class _TakenOut(msgspec.Struct, frozen=True):
    """A row was found damaged."""

    damage: Damage
    wall_ms: int
    stays: bool
    settled: threading.Event


class _Flush(msgspec.Struct, frozen=True):
    """The caller's thread has written up to this ticket, and wants it flushed."""

    ticket: int


class _Freed(msgspec.Struct, frozen=True):
    """Pages of the file that hold nothing are to be given back to the disk, and these files are gone."""

    files: tuple[str, ...]
    #: Set when it was tried.
    settled: threading.Event


_Entry: TypeAlias = Ticket | _Archived | _TakenOut | _Flush | _Freed
#: Put into the queue to end the thread.
_CLOSE = None


class Amount(NamedTuple):
    """How much is to be written."""

    facts: int = 0
    size: int = 0

    @property
    def is_small(self) -> bool:
        """Whether it is sure to fit into the room that is set aside."""
        return self.facts <= SMALL_FACTS and self.size <= SMALL_BYTES

    def with_more(self, tickets: Sequence[Ticket]) -> "Amount":
        facts = [fact for _, facts in tickets for fact in facts]
        number = self.facts + len(facts)
        # Forgetting writes to all tables of a run.
        if number > SMALL_FACTS or RunForgotten in map(type, facts):
            return _MUCH
        try:
            return Amount(number, self.size + len(encode(facts)))
        except OverflowError:
            # It is no fact that can be written: the thread says so.
            return _MUCH


_MUCH: Final = Amount(size=SMALL_BYTES + 1)


class Writer:
    """Owns the writing connection and the thread. The listener is called from that thread."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        log: LogFile,
        reserve: Reserve,
        listener: Listener,
        remember: Callable[[Sequence[Ticket]], None] = lambda _: None,
    ) -> None:
        """``remember`` hears of tickets as soon as they count as written, or are about to be."""
        self._connection = connection
        self._log = log
        self._reserve = reserve
        self._rows = RowWriter(connection)
        self._listener = listener
        self._remember = remember
        self._queue: SimpleQueue[_Entry | None] = SimpleQueue()
        #: Each is changed by one thread only: the first by the caller's, the second by the writer's.
        self._appended = 0
        self._answered = 0
        self._last_archived = threading.Event()
        self._last_archived.set()
        self._appended_at = 0.0
        self._lost = False
        #: The tickets that count as written and are not yet; how much that is, how many are in the open transaction.
        self._promised: list[Ticket] = []
        self._promised_amount = Amount()
        self._prepared = 0
        #: How long a commit takes, on a running average; at first it is not known to be quick.
        self._commit_s = 2 * QUICK_S
        # A node that ends without close() must not hang in a thread that waits for work.
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def append(self, tickets: Sequence[Ticket], *, here: bool) -> bool:
        """Have the facts of these tickets written, those of each all or none. Tickets grow, and are answered in order.

        Return True if all are written already, though not flushed, as happens when the disk is quick and nothing else
        is going on; then no answer comes for them. That is done only if the caller allows it with ``here``, because it
        has got the answers to all earlier tickets.
        """
        self.keep()
        self._remember(tickets)
        here = here and self._calm() and Amount().with_more(tickets).is_small and self._commit(tickets) is None
        self._appended_at = perf_counter()
        if not here:
            self._appended += len(tickets)
            for ticket in tickets:
                self._queue.put(ticket)
        return here

    def promise(self, tickets: Sequence[Ticket]) -> bool:
        """Whether these tickets are sure to be written: then the caller goes on as if they were.

        They are written with whatever is written next, or by ``keep``, and before anything is read or flushed.
        """
        if not (self._calm() and self._reserve.holds):
            return False
        amount = self._promised_amount.with_more(tickets)
        if not amount.is_small:
            return False
        self._promised += tickets
        self._promised_amount = amount
        self._remember(tickets)
        self._appended_at = perf_counter()
        return True

    @property
    def has_promised(self) -> bool:
        """Whether something counts as written that is not yet."""
        return bool(self._promised)

    def prepare(self) -> None:
        """Put what was promised into a transaction, which ``keep`` ends: then less is left to do there."""
        if self._put(self._promised[self._prepared :]) is None:
            self._prepared = len(self._promised)

    def keep(self) -> bool:
        """Write what was promised, here and now; return False if the disk has failed, which is told as lost."""
        if not self._promised:
            return not self._lost
        promised, prepared = self._promised, self._prepared
        self._promised, self._promised_amount, self._prepared = [], Amount(), 0
        reason = self._commit(promised[prepared:])
        if reason is not None:
            self._reserve.give_up()
            reason = self._commit(promised)
        if reason is not None:
            self._lost = True
            self._listener.on_lost(reason)
        return reason is None

    def _calm(self) -> bool:
        """Whether the thread sleeps, the disk was quick of late, and the last ticket is some time ago."""
        return self.is_calm and self._commit_s < QUICK_S and perf_counter() - self._appended_at > QUIET_S

    @property
    def is_calm(self) -> bool:
        """Whether nothing is queued, or being written."""
        return self._appended == self._answered and self._last_archived.is_set()

    def archive(self, tasks: Iterable[TaskId]) -> None:
        # The thread writes it, and must not meet this one at the database.
        self.keep()
        self._last_archived = threading.Event()
        self._queue.put(_Archived(tuple(tasks), self._last_archived))

    def note(self, name: str, value: bytes, *, at_once: bool) -> bool:
        """Have something noted in place of what is noted under this name: with what is written next, or ``at_once``.

        Return whether what was to be noted before is.
        """
        noted = self._rows.has_noted(name)
        self._rows.notes[name] = value
        if at_once:
            self.archive(())
        return noted

    def take_out(self, damage: Damage, wall_ms: int, *, stays: bool) -> None:
        """Note that a row is damaged, and delete it unless it ``stays``; return when that was tried."""
        self.keep()
        entry = _TakenOut(damage, wall_ms, stays, threading.Event())
        self._queue.put(entry)
        entry.settled.wait()

    def free(self, files: Iterable[str] = ()) -> None:
        """Give some of the room that nothing needs any more back to the disk; ``files`` are orphans that are gone."""
        self.keep()
        self._last_archived = threading.Event()
        self._queue.put(_Freed(tuple(files), self._last_archived))

    def wait_for_archive(self) -> None:
        """Wait until what was given to ``archive`` so far has been written, which takes a commit or two."""
        self._last_archived.wait()

    @property
    def flushes_quickly(self) -> bool:
        """Whether waiting for the disk takes less than waking a thread that does."""
        return self._log.is_quick

    def flush_here(self) -> bool:
        """Flush what ``append`` wrote; return whether that succeeded. The caller waits for the disk."""
        return self.keep() and self._flush()

    def flush_beside(self, ticket: int) -> None:
        """Have flushed what ``append`` wrote up to this ticket, while the caller goes on; ``on_flushed`` comes."""
        self.keep()
        self._queue.put(_Flush(ticket))

    @property
    def backlog(self) -> int:
        """The tickets that have not been answered yet."""
        return self._appended - self._answered

    def close(self) -> None:
        """Write what was promised and what is queued, answer it, and end the thread."""
        self.keep()
        self._queue.put(_CLOSE)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            entries, is_open = self._next_group()
            if entries:
                self._write_group(entries)

    def _next_group(self) -> tuple[list[_Entry], bool]:
        """Wait for an entry, then take all that are there; the second value tells whether to go on after them."""
        entries: list[_Entry] = []
        size = 0
        entry = self._queue.get()
        while entry is not _CLOSE:
            entries.append(entry)
            size += _size_of(entry)
            if size >= GROUP_FACTS_MAX:
                return entries, True
            try:
                entry = self._queue.get_nowait()
            except Empty:
                return entries, True
        return entries, False

    def _write_group(self, entries: Sequence[_Entry]) -> None:
        reason = self._commit(entries)
        if reason is None or len(entries) == 1:
            settled = [(entries, self._or_with_reserve(entries[0], reason))]
        else:
            settled = [([entry], self._or_with_reserve(entry, self._commit([entry]))) for entry in entries]
        safe = self._flush()
        for together, why_not in settled:
            self._release(together)
            if safe:
                self._answer(together, why_not)

    def _or_with_reserve(self, entry: _Entry, reason: str | None) -> str | None:
        """Try forgetting again if it could not be written: it makes room, and may take what is set aside for that."""
        if reason is None or not isinstance(entry, tuple) or not isinstance(entry[1][0], RunForgotten):
            return reason
        self._reserve.give_up()
        return self._commit([entry])

    def _flush(self) -> bool:
        """Flush the log; return False, for good, once the disk has failed."""
        if self._lost:
            return False
        try:
            self._log.flush()
        except OSError as error:
            self._lost = True
            self._listener.on_lost(f"the disk of the journal failed: {error.strerror}")
            return False
        return True

    def _release(self, entries: Sequence[_Entry]) -> None:
        # An archiving that failed needs no answer: the tasks are read once more at the next start, and archived again.
        # A damaged row that stays because of a full disk is found again.
        for entry in entries:
            if isinstance(entry, _Freed):
                self._free_pages(entry.files)
            if isinstance(entry, _Archived | _TakenOut | _Freed):
                entry.settled.set()

    def _free_pages(self, files: Sequence[str]) -> None:
        # Room that is not given back now is the next time.
        with suppress(sqlite3.Error):
            drop_orphans(self._connection, files)
            # As a script: a statement alone ends after its first page.
            self._connection.executescript(f"PRAGMA incremental_vacuum({FREED_PAGES})")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _answer(self, entries: Sequence[_Entry], reason: str | None) -> None:
        for entry in entries:
            if isinstance(entry, _Flush):
                self._listener.on_flushed(entry.ticket)
        tickets = tuple(entry[0] for entry in entries if isinstance(entry, tuple))
        if not tickets:
            return
        self._answered += len(tickets)
        if reason is None:
            self._listener.on_written(tickets[-1])
        else:
            self._listener.on_failed(tickets, reason)

    def _commit(self, entries: Sequence[_Entry]) -> str | None:
        """Write all of the entries in one transaction, with what is prepared; return why not if that fails."""
        if all(isinstance(entry, _Flush | _Freed) for entry in entries) and not self._connection.in_transaction:
            return None
        began = perf_counter()
        reason = self._put(entries, commit=True)
        if reason is None:
            self._commit_s += _WEIGHT_OF_NEWEST * (perf_counter() - began - self._commit_s)
        return reason

    def _put(self, entries: Sequence[_Entry], *, commit: bool = False) -> str | None:
        """Add the entries to the transaction; return why not if that fails, and leave nothing of the transaction."""
        try:
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            self._rows.write(_group_of(entries))
            for entry in entries:
                if isinstance(entry, _TakenOut):
                    take_out(self._connection, entry.damage, entry.wall_ms, stays=entry.stays)
            if commit:
                self._rows.conclude()
                self._connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - the thread's boundary: no fact, however wrong, may end the writer
            self._roll_back()
            self._prepared = 0
            self._commit_s = 2 * QUICK_S
            return f"the journal cannot be written: {error}"
        return None

    def _roll_back(self) -> None:
        self._rows.forget()
        # SQLite ends the transaction itself after some errors of the disk.
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _group_of(entries: Iterable[_Entry]) -> Group:
    group = Group()
    for entry in entries:
        if isinstance(entry, tuple):
            group.add(entry[1])
        elif isinstance(entry, _Archived):
            group.archive(entry.tasks)
    return group


def _size_of(entry: _Entry) -> int:
    match entry:
        case (_, facts):
            return len(facts)
        case _Archived(tasks=tasks):
            return len(tasks)
        case _Flush() | _TakenOut() | _Freed():
            return 0
