"""The journal: everything a node must not forget, in one SQLite file.

The order of a life: ``open``, ``begin_boot``, ``restore``, ``start``; then ``append`` and reads at will; ``close``.
Whoever opens it holds the home's lock (home.py), so there is one journal object for the file in the world.
"""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Self

from roost.core.events import DamageFound
from roost.core.facts import Fact, ItemsStored, ResultsStored
from roost.core.restored import Archived
from roost.model.executions import Executions
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.online import OnlineLog
from roost.policy.expected_length import Learnt
from roost.runtime.journal.damage import Damage
from roost.runtime.journal.flush import LogFile
from roost.runtime.journal.forgetting import sweep_blobs
from roost.runtime.journal.reader import JournalReader
from roost.runtime.journal.rescue import damage_of, mend
from roost.runtime.journal.reserve import Reserve
from roost.runtime.journal.rows import EXECUTIONS, LENGTHS, ONLINE, forget_meta, read_meta, take_out, write_meta
from roost.runtime.journal.schema import ReadingConnection, explained, open_file
from roost.runtime.journal.segments import ITEMS, RESULTS, result_key
from roost.runtime.journal.writer import Listener, Ticket, Writer
from roost.wire.codec import encode

log = logging.getLogger(__name__)


class Journal(JournalReader):
    """All methods are called in one thread, the event loop's; the listener is told from the writer's own."""

    def __init__(self, path: Path, writing: sqlite3.Connection, reading: ReadingConnection) -> None:
        super().__init__(path, reading)
        reading.before_each = self.keep
        self._writing = writing
        self._log: LogFile | None = None
        self._writer: Writer | None = None
        self._last_number = 0
        #: Damaged rows that stay, and were told of.
        self._told: set[tuple[str, int]] = set()
        self._untold: list[DamageFound] = []
        #: Gets what is found damaged; until a driver listens, it is kept.
        self.tell_damage: Callable[[DamageFound], None] = self._untold.append

    def listen_to_damage(self, listener: Callable[[DamageFound], None]) -> None:
        """Tell of what is damaged from now on, and of what was found before."""
        self.tell_damage = listener
        untold, self._untold = self._untold, []
        for event in untold:
            listener(event)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open it, or make a new one; mend one whose pages are damaged.

        If it is broken for good, raise InvalidInput or Unavailable, and change nothing.
        """
        writing, reading = open_file(path)
        how = damage_of(writing)
        if how is not None:
            reading.close()
            writing.close()
            with explained(path):
                mend(path, how)
            writing, reading = open_file(path)
        return cls(path, writing, reading)

    def identity(self, proposed: NodeId) -> NodeId:
        """Return the name of the node that this journal belongs to; a new journal takes the proposed one for good."""
        assert self._writer is None, "the node has its name before it writes"
        with explained(self.path):
            known: str | None = read_meta(self._writing, "node")
            if known is None:
                write_meta(self._writing, "node", proposed)
        return proposed if known is None else NodeId(known)

    def rename(self, name: NodeId | None) -> None:
        """Let the node have another name from its next life on; None: whichever is proposed then."""
        assert self._writer is None, "the node has its name before it writes"
        with explained(self.path):
            if name is None:
                forget_meta(self._writing, "node")
                forget_meta(self._writing, "neighbours")
            else:
                write_meta(self._writing, "node", name)

    def begin_boot(self) -> int:
        """Count one more life of this node, and return its number: 1 for the first.

        With it everything is flushed that the last life wrote: nobody goes on from what a power cut could still take.
        """
        assert self._log is None, "a life begins once, before the first fact is written"
        with explained(self.path):
            sweep_blobs(self._writing)
            boot = 1 + (read_meta(self._writing, "boot") or 0)
            write_meta(self._writing, "boot", boot)
            self._log = LogFile.of(self.path)
        return boot

    def start(self, listener: Listener) -> Writer:
        """Start the writer, which tells the listener from its own thread."""
        assert self._writer is None, "the journal has been started already"
        assert self._log is not None, "begin the boot first"
        reserve = Reserve(self.path.with_suffix(".reserve"))
        self._writer = Writer(self._writing, self._log, reserve, listener, self._remember_segments)
        return self._writer

    def append(self, ticket: int, facts: tuple[Fact, ...]) -> None:
        """Have these facts written, all or none. Tickets grow, and are answered in order."""
        self._started.append([(ticket, facts)], here=False)

    @property
    def _started(self) -> Writer:
        assert self._writer is not None, "start the journal first"
        return self._writer

    def keep(self) -> None:
        """Write what was promised."""
        if self._writer is not None:
            self._writer.keep()

    def _found(self, damage: Damage, *, refused: bool = False) -> None:
        stays = damage.stays or (refused and not damage.is_data)
        wall_ms = int(time.time() * 1000)
        if self._writer is not None:
            self._writer.take_out(damage, wall_ms, stays=stays)
        else:
            take_out(self._writing, damage, wall_ms, stays=stays)
        log.warning("%s", damage.sentence)
        if (damage.table, damage.rowid) not in self._told or not stays:
            self._told.add((damage.table, damage.rowid))
            holdings = self.holdings(damage.task) if damage.is_data and damage.task is not None else None
            self.tell_damage(DamageFound(damage.what, damage.run, damage.task, damage.ranges, holdings, damage.blob))

    def damages(self) -> list[tuple[int, str]]:
        """Return what was found damaged so far, oldest first: when, in milliseconds, and what."""
        return [(wall_ms, what) for wall_ms, what in self._rows("SELECT wall_ms, what FROM damage ORDER BY seq")]

    def _remember_segments(self, tickets: Sequence[Ticket]) -> None:
        for _, facts in tickets:
            for fact in facts:
                if isinstance(fact, ItemsStored):
                    self._segments.remember(ITEMS, (fact.task,), fact.segment)
                elif isinstance(fact, ResultsStored):
                    self._segments.remember(RESULTS, result_key(fact.task, fact.token, fact.node), fact.segment)

    def archive(self, tasks: Iterable[TaskId]) -> None:
        """Leave these tasks out of the next restore, unless they move once more. Nothing depends on it: no answer."""
        self._started.archive(tasks)

    def note_online(self, online: OnlineLog, *, at_once: bool = False) -> bool:
        """Have it noted when this node is on line, with what is written next or ``at_once``. Losing it costs little.

        Return whether what was to be noted before is written.
        """
        return self._started.note(ONLINE, encode(online), at_once=at_once)

    def note_lengths(self, learnt: tuple[Learnt, ...]) -> None:
        """Have it noted how right people are when they state lengths, with what is written next."""
        self._started.note(LENGTHS, encode(learnt), at_once=False)

    def note_executions(self, executions: Executions) -> None:
        """Have it noted how executions have ended on this node, with what is written next."""
        self._started.note(EXECUTIONS, encode(executions), at_once=False)

    def free(self, files: Iterable[str] = ()) -> None:
        """Give some room that nothing needs back to the disk; ``files`` are orphans that are gone. No answer."""
        self._started.free(files)

    def archived(self, run: RunId) -> Archived:
        """Return a run with what is left of its archived tasks; raise NotFound if there is no such run."""
        self.wait_until_calm()
        return super().archived(run)

    @property
    def is_calm(self) -> bool:
        """Whether nothing waits to be written."""
        return self._writer is not None and self._writer.is_calm

    def wait_until_calm(self) -> None:
        """Wait until what was given to ``archive`` and ``free`` so far has been tried."""
        if self._writer:
            self._writer.wait_for_archive()

    def next_run_number(self) -> int:
        """Return a number that no run has, on disk or given out by this method before."""
        query = "SELECT MAX(number) FROM (SELECT number FROM runs UNION ALL SELECT number FROM tombstones)"
        largest: int | None = self._rows(query)[0][0]
        self._last_number = 1 + max(largest or 0, self._last_number)
        return self._last_number

    def close(self) -> None:
        """Write and answer what is queued, then let go of the file."""
        if self._writer:
            self._writer.close()
            self._writer = None
        if self._log:
            self._log.close()
            self._log = None
        self._reader.close()
        with explained(self.path):
            self._writing.close()
