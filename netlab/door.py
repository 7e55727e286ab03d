"""A door into a host: a port on this machine's loopback that leads to one on the host's loopback.

A node listens on the loopback of its own network, where nobody outside can reach it; a test that asks it often needs
a quicker way than a new process for each question. The listening socket is made here and served there, since a socket
stays in the network where it was made.
"""

import socket
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Final, Self

from netlab.namespaces import COMMAND_TIMEOUT_S, Namespace
from netlab.programs import module_environment

_CHUNK: Final = 65536


class Door:
    """Leads to one port of a host until ``close``, or until this process ends."""

    def __init__(self, namespace: Namespace, port: int) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
            self._process = namespace.start(
                *(sys.executable, "-P", "-m", "netlab.door", str(listener.fileno()), str(port)),
                environment=module_environment(),
                stdin=subprocess.PIPE,
                pass_fds=(listener.fileno(),),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(COMMAND_TIMEOUT_S)


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(_CHUNK):
            target.sendall(chunk)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _let_through(visitor: socket.socket, port: int) -> None:
    """Join a visitor and the port; where nobody listens, the visitor is turned away by the end of the connection."""
    with visitor, suppress(OSError), socket.create_connection(("127.0.0.1", port)) as inside:
        for end in (visitor, inside):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back = threading.Thread(target=_carry, args=(inside, visitor), daemon=True)
        back.start()
        _carry(visitor, inside)
        back.join()


def _serve(listener: socket.socket, port: int) -> None:
    while True:
        visitor, _ = listener.accept()
        threading.Thread(target=_let_through, args=(visitor, port), daemon=True).start()


def main() -> None:
    descriptor, port = (int(word) for word in sys.argv[1:])
    listener = socket.socket(fileno=descriptor)
    threading.Thread(target=_serve, args=(listener, port), daemon=True).start()
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
