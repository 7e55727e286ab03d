"""Somebody who disturbs: garbage, forgeries and recordings of real datagrams, thousands a second."""

import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from roost.runtime.mesh_settings import MESH_PORT
from roost.runtime.udp import MESH_GROUP
from roost.wire.sealing import HEADER_BYTES

_BURST = 100
_RECORDED_MAX = 1_000


class Flood:
    """Records what is said to all on this machine, and sends to the meeting port and to these ports."""

    def __init__(self, ports: Sequence[int]) -> None:
        self._targets = [("127.0.0.1", port) for port in ports] + [
            (MESH_GROUP, MESH_PORT),
            ("127.255.255.255", MESH_PORT),
        ]
        self._recorded: list[bytes] = []
        self._sent = 0
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._ear.bind((MESH_GROUP, MESH_PORT))
        self._ear.setsockopt(
            socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(MESH_GROUP) + socket.inet_aton("127.0.0.1")
        )
        self._ear.settimeout(0.1)
        self._run(self._record)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()
        self._ear.close()

    def has_recorded(self) -> bool:
        return bool(self._recorded)

    def begin(self, rate: int, seconds: float) -> None:
        self._run(self._send, rate, seconds)

    def end(self) -> int:
        """Stop when it is over; return how many datagrams were sent."""
        for thread in self._threads[1:]:
            thread.join()
        self._stopping.set()
        for thread in self._threads:
            thread.join()
        return self._sent

    def _run(self, work: Callable[..., None], *arguments: float) -> None:
        thread = threading.Thread(target=work, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _record(self) -> None:
        while not self._stopping.is_set():
            try:
                datagram = self._ear.recv(65_536)
            except TimeoutError:
                continue
            if len(self._recorded) < _RECORDED_MAX and datagram.startswith(b"Rst"):
                self._recorded.append(datagram)

    def _send(self, rate: int, seconds: float) -> None:
        began = time.monotonic()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth:
            mouth.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
            while (elapsed := time.monotonic() - began) < seconds:
                while self._sent < rate * elapsed:
                    self._send_one(mouth, self._sent)
                    self._sent += 1
                self._stopping.wait(_BURST / rate)

    def _send_one(self, mouth: socket.socket, number: int) -> None:
        real = self._recorded[number % len(self._recorded)]
        kind = number % 4
        if kind == 0:
            datagram = os.urandom(200)
        elif kind == 1:
            datagram = real[:HEADER_BYTES] + os.urandom(200)
        elif kind == 2:
            # A session of its own, under a key that counts.
            datagram = real[:8] + os.urandom(24) + real[HEADER_BYTES:]
        else:
            datagram = real
        mouth.sendto(datagram, self._targets[number % len(self._targets)])
