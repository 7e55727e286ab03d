"""The way of the commands to a node: its HTTP API over one kept connection, answers as plain values, errors as ours.

The address is asked for again whenever the connection was lost, because a node that was restarted listens elsewhere.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from roost.client.start import START_TIMEOUT_S, Address, await_node
from roost.model.errors import InvalidInput, NotFound, PeerError, RoostError, Unavailable
from roost.model.limits import MIB
from roost.model.stray import carried_json, carried_text
from roost.runtime.home import Home

if TYPE_CHECKING:
    import http.client

#: Longer than any answer of a living node takes; a hanging one is reported instead of waited for.
ANSWER_TIMEOUT_S = 60.0
#: What is held of a long answer at a time.
PIECE_BYTES: Final = 1 * MIB
_NO_HEADERS: Final[Mapping[str, str]] = {}
NO_NODE = "no node runs here; start one with 'roost up'"

_ERROR_OF_KIND: dict[str, type[RoostError]] = {
    "invalid": InvalidInput,
    "too_large": InvalidInput,
    "not_found": NotFound,
    "unauthorized": Unavailable,
    "unavailable": Unavailable,
}


class NodeGone(Unavailable):
    """There is no node to talk to, or it went away in the middle; it may come back."""


class Download(NamedTuple):
    """The bytes of a log or a file, with the headers that say more about it."""

    body: bytes
    headers: Mapping[str, str]


def this_home() -> Home:
    """Return the home that the environment names; nothing is made."""
    return Home.locate(os.environ)


def address_of(home: Home, patience_s: float = START_TIMEOUT_S) -> Address:
    """Return where the node of a home listens; one that is about to is waited for. Raise NodeGone if none comes."""
    address = await_node(home, patience_s)
    if address is None:
        starts = home.is_starting(START_TIMEOUT_S)
        raise NodeGone(f"a node starts here, and does not listen yet; see {home.log}" if starts else NO_NODE)
    return address


def load_http() -> None:
    """Load what the first question needs. A command that waits for its node to start can do so meanwhile."""
    import http.client  # noqa: F401, PLC0415 - it takes as long as all the rest of a command


def run_path(run: str, part: str = "") -> str:
    """Return the path of a run, or of a part of it, whatever characters the person typed."""
    return f"/v1/runs/{quote(carried_text(run), safe='')}" + (f"/{part}" if part else "")


class Control(AbstractContextManager["Control"]):
    """A conversation with one node; close it, or use it in a ``with``. Not for several threads at once."""

    def __init__(self, find: Callable[[], Address], timeout_s: float = ANSWER_TIMEOUT_S) -> None:
        self.find = find
        self._timeout_s = timeout_s
        self._connection: http.client.HTTPConnection | None = None
        self._token = ""

    def get(self, path: str, **query: object) -> Any:
        """Ask for a JSON answer; parameters that are None are left out. A cut is repaired by asking twice."""
        return _decoded(self.read(path, **query).body)

    def post(self, path: str, body: object = None) -> Any:
        """Ask for a change, on a fresh connection: a kept one may have died, and repeating might do the thing twice."""
        self.close()
        data = carried_json({} if body is None else body)
        return _decoded(self._exchange("POST", path, data, {"Content-Type": "application/json"}).body)

    def post_file(self, path: str, file: BinaryIO) -> Any:
        """Hand in a file as it is, on a fresh connection; it is read in pieces."""
        self.close()
        size = os.fstat(file.fileno()).st_size
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        return _decoded(self._exchange("POST", path, file, headers).body)

    def post_bytes(self, path: str, data: bytes) -> Any:
        """Hand in bytes as they are, on a fresh connection."""
        self.close()
        return _decoded(self._exchange("POST", path, data, {"Content-Type": "application/octet-stream"}).body)

    def read(self, path: str, **query: object) -> Download:
        """Ask for bytes."""
        target = _target(path, query)
        if self._connection is not None:
            try:
                return self._exchange("GET", target, None)
            except NodeGone:
                self.close()
        return self._exchange("GET", target, None)

    def pieces(self, path: str, **query: object) -> Iterator[bytes]:
        """Ask for bytes, however many, and yield them piece by piece. Raise NodeGone if they end too early."""
        # A connection of its own: whoever reads may stop in the middle, or ask for something else meanwhile.
        with Control(self.find, self._timeout_s) as other:
            yield from other._pieces(path, query)

    def _pieces(self, path: str, query: Mapping[str, object]) -> Iterator[bytes]:
        with self._explained():
            response = self._asked("GET", _target(path, query), None)
            if response.status >= 400:
                raise _error_of(response.status, response.read())
            missing = response.length
            while piece := response.read(PIECE_BYTES):
                missing = None if missing is None else missing - len(piece)
                yield piece
        if missing:
            raise NodeGone("the node went away before all was read; see 'roost status'")

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _exchange(
        self, method: str, target: str, body: bytes | BinaryIO | None, headers: Mapping[str, str] = _NO_HEADERS
    ) -> Download:
        with self._explained():
            response = self._asked(method, target, body, headers)
            answer = Download(response.read(), dict(response.headers.items()))
        if response.status >= 400:
            raise _error_of(response.status, answer.body)
        return answer

    def _asked(
        self, method: str, target: str, body: bytes | BinaryIO | None, headers: Mapping[str, str] = _NO_HEADERS
    ) -> "http.client.HTTPResponse":
        connection = self._connected()
        connection.request(method, target, body, {"Authorization": f"Bearer {self._token}", **headers})
        return connection.getresponse()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say in our words what goes wrong on the way."""
        import http.client  # noqa: PLC0415 - see load_http

        try:
            yield
        except TimeoutError as error:
            self.close()
            raise Unavailable(f"the node does not answer within {self._timeout_s:.0f} s; see 'roost doctor'") from error
        except ConnectionRefusedError as error:
            self.close()
            raise NodeGone(NO_NODE) from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise NodeGone("the node went away before it answered; see 'roost status'") from error

    def _connected(self) -> "http.client.HTTPConnection":
        if self._connection is None:
            import http.client  # noqa: PLC0415 - see load_http

            address = self.find()
            parts = urlsplit(address.url)
            self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=self._timeout_s)
            self._token = address.token
        return self._connection


def _target(path: str, query: Mapping[str, object]) -> str:
    given = {name: carried_text(str(value)) for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def node_of(home: Home, patience_s: float = START_TIMEOUT_S) -> Control:
    """Return the way to the node of a home. Nothing is asked yet; a missing node shows at the first question."""
    return Control(lambda: address_of(home, patience_s))


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as error:
        raise PeerError("the node's answer is not JSON; does something else listen on its address?") from error


def _error_of(status: int, body: bytes) -> RoostError:
    try:
        told = msgspec.json.decode(body)["error"]
        kind, message = str(told["kind"]), str(told["message"])
    except (msgspec.DecodeError, LookupError, TypeError):
        return PeerError(f"the node answers with HTTP status {status} and no explanation; see its log")
    return _ERROR_OF_KIND.get(kind, PeerError)(message)
