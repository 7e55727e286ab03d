"""A node's home: the folder with everything it keeps, which one node at a time may use.

    journal.db   all records and results (journal.py)      lock       held by the node that lives here
    token        what the API asks of its callers          node.json  where that node listens
    node.log     what a node in the background says        starting   the process that is about to be that node
    life/        what runs now (last_life.py)              suspects   what may have killed the last node
    logs/ blobs/ scratch/                                  recordings/  what the core was fed (recorder.py)
    journal.reserve  room for the journal when the disk is full (reserve.py)

The lock is the truth about whether a node lives: it goes with its process, however that ends. ``node.json`` may be
left over from a node that was killed.
"""

import fcntl
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from roost.model.errors import InvalidInput, Unavailable
from roost.model.ids import NodeId
from roost.model.limits import TOKEN_BYTES_MAX
from roost.runtime.private_files import read_private, write_private

_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
#: A process that only looks whether a node lives holds the lock for an instant; a starting node waits this long for it.
_LOCK_PATIENCE_S = 0.2
_LOCK_RETRY_S = 0.005


class NodeAddress(msgspec.Struct, frozen=True):
    """What ``node.json`` says."""

    pid: int
    address: str
    node: NodeId
    version: str
    #: Wall-clock seconds.
    started_at: float


class Home:
    """The paths of a home, and the few rules that its files have."""

    def __init__(self, path: Path, config: Path | None = None) -> None:
        self.path = path
        self.config = config or path / "config.toml"
        self.journal = path / "journal.db"
        self.token = path / "token"
        self.lock = path / "lock"
        self.node = path / "node.json"
        self.starting = path / "starting"
        self.log = path / "node.log"
        self.logs = path / "logs"
        self.blobs = path / "blobs"
        self.scratch = path / "scratch"
        self.life = path / "life"
        self.suspects = path / "suspects"
        self.recordings = path / "recordings"

    @classmethod
    def locate(cls, environment: Mapping[str, str]) -> "Home":
        """Return the home that $ROOST_HOME names, or the user's own. Nothing is made."""
        given = environment.get("ROOST_HOME", "")
        if given:
            return cls(Path(given).expanduser().absolute())
        # Only here: whoever was told where the home is need not ask.
        import platformdirs  # noqa: PLC0415 - see above

        config = Path(platformdirs.user_config_dir("roost", appauthor=False)) / "config.toml"
        return cls(Path(platformdirs.user_data_dir("roost", appauthor=False)), config)

    @property
    def is_named(self) -> bool:
        """Whether somebody chose the folder, as for a second home; the user's own has its settings elsewhere."""
        return self.config.parent == self.path

    def create(self) -> None:
        """Make the folders that are missing, for the user's eyes only."""
        with _explained(self.path):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in (self.logs, self.blobs, self.scratch, self.life, self.recordings):
                folder.mkdir(mode=0o700, exist_ok=True)

    def ensure_token(self) -> str:
        """Return the token; make it first if there is none. Only the node that holds the lock may call this."""
        if not self.token.exists():
            write_private(self.token, secrets.token_urlsafe(32).encode())
        return self.read_token()

    def read_token(self) -> str:
        """Raise Unavailable if there is no token yet, InvalidInput if others can read it or it is not one."""
        content = read_private(self.token, TOKEN_BYTES_MAX, "remove it and start the node again")
        if content is None:
            raise Unavailable(f"no node was ever started in {self.path}; start one with 'roost up'")
        token = content.decode("ascii", "replace")
        if not _TOKEN.fullmatch(token):
            raise InvalidInput(f"{self.token} does not hold a token; remove it and start the node again")
        return token

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock. Raise Unavailable, with the pid of the holder, if another node has it.

        A child that is forked without starting another program keeps the lock alive after this process; nothing that a
        node starts may do so.
        """
        with _explained(self.lock):
            descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if not _locks_in_time(descriptor):
                raise Unavailable(f"{self._holder_in_words()} lives in {self.path} already; stop it with 'roost down'")
            with _explained(self.lock):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            yield
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def running(self) -> bool:
        """Tell whether a living node holds the lock. Changes nothing."""
        try:
            descriptor = os.open(self.lock, os.O_RDONLY)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise Unavailable(f"the lock {self.lock} cannot be read: {error.strerror}") from error
        try:
            return not _locks(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)

    def holder(self) -> int | None:
        """Return the pid that was written by whoever took the lock last and has not let go of it politely."""
        try:
            text = self.lock.read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            return None
        return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None

    def write_node(self, node: NodeAddress) -> None:
        write_private(self.node, msgspec.json.encode(node))

    def read_node(self) -> NodeAddress | None:
        """Return where the last node that lived here listened, or None; ``running`` tells whether it still does."""
        try:
            content = self.node.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unavailable(f"{self.node} cannot be read: {error.strerror}") from error
        try:
            return msgspec.json.decode(content, type=NodeAddress)
        except msgspec.MsgspecError as error:
            raise InvalidInput(f"{self.node} is not what a node wrote ({error}); restart the node") from None

    def take_leave(self) -> None:
        """Say that the node ends: it listens nowhere any more, and is not one that is about to. It holds the lock."""
        with _explained(self.node):
            self.node.unlink(missing_ok=True)
        with _explained(self.lock), suppress(FileNotFoundError):
            os.truncate(self.lock, 0)

    def note_start(self, pid: int) -> None:
        """Note that this process is about to be the node of this home; a disk that takes no note is no hindrance."""
        draft = self.starting.with_name(f"{self.starting.name}.{os.getpid()}.{threading.get_ident()}")
        with suppress(OSError):
            draft.write_text(f"{pid}\n", encoding="ascii")
            draft.rename(self.starting)

    def is_starting(self, patience_s: float) -> bool:
        """Tell whether a node is about to listen: it has the lock, or was started no longer than ``patience_s`` ago."""
        if self.running():
            holder = self.holder()
            node = self.read_node() if holder is not None else None
            return holder is not None and (node is None or node.pid != holder)
        try:
            age_s = time.time() - self.starting.stat().st_mtime
            pid = int(self.starting.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return False
        return age_s <= patience_s and _lives(pid)

    def _holder_in_words(self) -> str:
        holder = self.holder()
        return "a node" if holder is None else f"a node (pid {holder})"


def _lives(pid: int) -> bool:
    """Tell whether a process does anything yet; one that only waits to be collected by its parent does not."""
    try:
        with Path(f"/proc/{pid}/stat").open("rb") as file:
            return file.read().rpartition(b")")[2].split()[:1] != [b"Z"]
    except OSError:
        return False


def _locks_in_time(descriptor: int) -> bool:
    deadline = time.monotonic() + _LOCK_PATIENCE_S
    while not _locks(descriptor, fcntl.LOCK_EX):
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOCK_RETRY_S)
    return True


def _locks(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise Unavailable(f"{path} cannot be used: {reason}; check the folder, or set ROOST_HOME to another") from error
