"""What ``doctor`` says about what a node keeps: its journal, and the files that work has left."""

import sqlite3
import time
from collections import Counter
from contextlib import closing
from typing import Final

from roost.app.cli.checks import FAIL, OK, WARN, Finding
from roost.model.errors import RoostError
from roost.model.resources import format_size
from roost.runtime.data.file_check import ASIDE, has_right_content
from roost.runtime.home import Home
from roost.runtime.journal.checksums import COVERED, is_sound, selecting
from roost.runtime.journal.rescue import damage_of
from roost.runtime.journal.schema import check_alone, check_header, check_length

#: Damages and files that are named; of more it is said how many there are.
NAMED_MAX: Final = 5
#: For how long damage that was found, and perhaps mended, makes ``doctor`` fail.
RECENT_S: Final = 7 * 24 * 3600
_REMEDY: Final = (
    "stop the node and start it again: it keeps the damaged file aside, goes on with what is sound, and takes the rest "
    "from other nodes"
)
_ROWS_REMEDY: Final = (
    "nothing of it is told as if it were right: when it is needed, it is taken from another node or made again; look "
    "at the disk"
)


def journal(home: Home) -> Finding:
    """Let SQLite look through the pages of the journal, read-only, beside a node that may be writing."""
    file = home.journal
    try:
        if not file.exists():
            check_alone(file)
            return Finding(OK, "journal", "will be made by 'roost up'")
        check_header(file)
        check_length(file)
        with closing(_reading(home)) as connection:
            said = damage_of(connection)
            noted = [] if said else connection.execute("SELECT what, wall_ms FROM damage ORDER BY seq").fetchall()
    except (RoostError, OSError, sqlite3.Error) as error:
        return Finding(FAIL, "journal", str(error), "put it back from a backup, or move it away to start anew")
    if said is not None:
        return Finding(FAIL, "journal", f"{file} is damaged: {said}", _REMEDY)
    if noted:
        # A disk that changes what it holds is to be looked at; what was mended long ago is only told.
        level = FAIL if max(wall_ms for _, wall_ms in noted) / 1000 > time.time() - RECENT_S else WARN
        found = _named([what for what, _ in noted])
        return Finding(level, "journal", f"intact, but damage was found in it before: {found}", _ROWS_REMEDY)
    return Finding(OK, "journal", f"{format_size(file.stat().st_size)}, its pages are intact")


def deep_findings(home: Home) -> list[Finding]:
    """Read everything: each row of the journal, and each file that work has left."""
    return [_rows(home), _files(home)]


def _rows(home: Home) -> Finding:
    if not home.journal.exists():
        return Finding(OK, "rows", "there is no journal yet")
    count, bad = 0, Counter[str]()
    try:
        with closing(_reading(home)) as connection:
            for table in COVERED:
                for row in connection.execute(selecting(table)):
                    count += 1
                    if not is_sound(row):
                        bad[table] += 1
    except sqlite3.Error as error:
        return Finding(FAIL, "rows", f"the journal cannot be read: {error}", _REMEDY)
    if bad:
        found = ", ".join(f"{number:,} of {table}" for table, number in bad.items())
        return Finding(FAIL, "rows", f"{bad.total():,} of {count:,} are damaged: {found}", _ROWS_REMEDY)
    return Finding(OK, "rows", f"all {count:,} are as they were written")


def _files(home: Home) -> Finding:
    kept = sorted(path for path in home.blobs.glob("*") if path.is_file()) if home.blobs.exists() else []
    aside = [path.name.removeprefix(ASIDE) for path in kept if path.name.startswith(ASIDE)]
    whole = [path for path in kept if not path.name.startswith(".")]
    try:
        bad = [path.name for path in whole if not has_right_content(path)]
    except OSError as error:
        return Finding(FAIL, "files", f"{error.filename} cannot be read: {error.strerror}", "look at the disk")
    if bad:
        return Finding(FAIL, "files", f"{len(bad)} of {len(whole):,} are damaged: {_named(bad)}", _ROWS_REMEDY)
    if aside:
        remedy = f"remove {home.blobs}/{ASIDE}*, if nobody needs them"
        return Finding(WARN, "files", f"damaged ones were moved aside: {_named(aside)}", remedy)
    return Finding(OK, "files", f"all {len(whole):,} have the content that they should")


def _reading(home: Home) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{home.journal.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    connection.text_factory = lambda stored: stored.decode(errors="replace")
    return connection


def _named(names: list[str]) -> str:
    more = len(names) - NAMED_MAX
    return ", ".join(names[:NAMED_MAX]) + (f" and {more:,} more" if more > 0 else "")
