"""One WebSocket connection to a node: whole messages out from any thread, whole messages in for one.

The protocol is that of the websockets library without its input and output, over a plain socket: a message leaves in
the caller's own thread, which saves the time of waking another one.
"""

import socket
import threading
from typing import Final
from urllib.parse import urlsplit

from websockets.client import ClientProtocol
from websockets.exceptions import WebSocketException
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from roost.client.forking import tell_after_fork
from roost.client.start import Address
from roost.model.errors import Unavailable
from roost.model.limits import FRAME_BYTES_MAX
from roost.wire.frames import READ_BYTES

_HANDSHAKE_TIMEOUT_S: Final = 10.0


class LinkBroken(Unavailable):
    """The connection is gone; what was sent may or may not have arrived."""


class Link:
    def __init__(self, address: Address, path: str) -> None:
        """Connect. Raise LinkBroken if nobody is there, Unavailable if the node refuses."""
        parts = urlsplit(address.url)
        self._sending = threading.Lock()
        self._parts: list[bytes] = []
        uri = parse_uri(f"ws://{parts.netloc}{path}")
        self._protocol = ClientProtocol(uri, max_size=FRAME_BYTES_MAX)
        try:
            self._socket = socket.create_connection((parts.hostname, parts.port), _HANDSHAKE_TIMEOUT_S)
        except OSError as error:
            raise LinkBroken(f"no node answers at {address.url}: {error}") from error
        tell_after_fork(self)
        try:
            self._shake_hands(address)
        except OSError as error:
            self._socket.close()
            raise LinkBroken(f"the node at {address.url} does not answer: {error}") from error
        except Unavailable:
            self._socket.close()
            raise

    def _shake_hands(self, address: Address) -> None:
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        request = self._protocol.connect()
        request.headers["Authorization"] = f"Bearer {address.token}"
        self._protocol.send_request(request)
        self._flush()
        while self._protocol.state is State.CONNECTING:
            self._read_some()
            if self._protocol.handshake_exc is not None:
                raise Unavailable(f"the node at {address.url} takes no session: {self._protocol.handshake_exc}")
        self._socket.settimeout(None)

    def send(self, message: bytes) -> None:
        """Send one message; raise LinkBroken if the connection is gone."""
        try:
            with self._sending:
                self._protocol.send_binary(message)
                self._flush()
        except (OSError, WebSocketException) as error:
            self.abort()
            raise LinkBroken(f"the connection to the node broke: {error}") from error

    def receive(self) -> list[bytes]:
        """Wait for messages, at least one; raise LinkBroken when there will be none. For one thread only."""
        messages: list[bytes] = []
        try:
            while not messages:
                for event in self._read_some():
                    if isinstance(event, Frame):
                        messages += self._message_of(event)
                if self._protocol.state is State.CLOSED and not messages:
                    raise LinkBroken("the node closed the connection")
        except OSError as error:
            raise LinkBroken(f"the connection to the node broke: {error}") from error
        return messages

    def _read_some(self) -> list[object]:
        data = self._socket.recv(READ_BYTES)
        with self._sending:
            if data:
                self._protocol.receive_data(data)
            else:
                self._protocol.receive_eof()
            # Answers of the protocol itself, to pings and to a close.
            self._flush()
            events: list[object] = list(self._protocol.events_received())
        return events

    def _message_of(self, frame: Frame) -> list[bytes]:
        """Return the message that is whole with this frame, if one is."""
        if frame.opcode not in (Opcode.BINARY, Opcode.CONT):
            return []
        self._parts.append(bytes(frame.data))
        if not frame.fin:
            return []
        whole, self._parts = b"".join(self._parts), []
        return [whole]

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._socket.sendall(data)

    def close(self) -> None:
        """Say goodbye and let go."""
        try:
            with self._sending:
                if self._protocol.state is State.OPEN:
                    self._protocol.send_close()
                    self._flush()
        except (OSError, WebSocketException):
            pass
        self.abort()

    def abort(self) -> None:
        """Wake whoever waits in ``receive``, from any thread."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    def release(self) -> None:
        """Free the socket; only when nobody uses it any more."""
        self._socket.close()

    def forsake(self) -> None:
        """In a forked child: let go of the socket. The connection is the parent's, and hears nothing of it."""
        self._socket.close()
