"""Datagrams between the hosts of a network: everybody listens, anybody may speak, and we know who heard what."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Self

from netlab.lan import BROADCAST, Host
from netlab.processes import kill_entered
from netlab.waiting import wait_until

PORT = 9000
GROUP = "239.77.0.1"
#: A program on every host; each datagram becomes a line.
LISTEN = f"""
import os, socket
ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
ear.bind(("", {PORT}))
ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("{GROUP}") + bytes(4))
os.write(1, b"listening\\n")
while True:
    os.write(1, ear.recv(2048) + b"\\n")
"""
SAY = f"""
import socket, sys
mouth = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
mouth.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
for line in sys.stdin:
    mouth.sendto(line.strip().encode(), (sys.argv[1], {PORT}))
"""
PYTHON = (sys.executable, "-I", "-S", "-c")


class Air:
    """Every host listens from ``with`` until its end."""

    def __init__(self, hosts: Sequence[Host], folder: Path) -> None:
        self._hosts = hosts
        self._folder = folder
        self._ends = 0
        self._open = ExitStack()

    def __enter__(self) -> Self:
        for host in self._hosts:
            with self._heard_by(host.number).open("wb") as heard:
                ear = host.namespace.start(*PYTHON, LISTEN, stdout=heard)
            self._open.callback(kill_entered, ear)
        for host in self._hosts:
            wait_until(partial(self._lines, host.number), f"that {host.name} listens")
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._open.close()

    def say(self, speaker: int, *words: str, to: str = BROADCAST) -> None:
        """Send each word as a datagram."""
        self._hosts[speaker - 1].namespace.do(*PYTHON, SAY, to, text="\n".join(words))

    def heard(self, listener: int) -> list[str]:
        """Return what a host has heard so far, in the order of arrival."""
        return self._lines(listener)[1:]

    def listeners_of(self, word: str) -> set[int]:
        """Return which hosts have heard it so far."""
        return {host.number for host in self._hosts if word in self.heard(host.number)}

    def settle(self) -> None:
        """Wait until all that was said on a healthy bridge is heard: everybody hears a last word of everybody.

        It is said again and again, for what was just plugged in needs a moment.
        """
        self._ends += 1
        for speaker in self._hosts:
            wait_until(partial(self._last_word_of, speaker.number), f"that all hear {speaker.name}")

    def _last_word_of(self, speaker: int) -> bool:
        word = f"end {self._ends} of {speaker}"
        self.say(speaker, word)
        return all(word in self.heard(host.number) for host in self._hosts if host.number != speaker)

    def _lines(self, number: int) -> list[str]:
        return self._heard_by(number).read_text().splitlines()

    def _heard_by(self, number: int) -> Path:
        return self._folder / f"heard-by-{number}"
