"""A process of ours, seen from the node: frames of messages both ways, signals to its group, and word of its end.

The process leads a session of its own, so that a Ctrl-C at the node does not reach it and its whole offspring can be
signalled at once. Its end is learnt from the kernel (a pidfd), not from its channel, which its children may hold open.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from roost.executors.environment import process_env
from roost.executors.memory import PeakMemory
from roost.executors.orphans import MARK_VARIABLE
from roost.executors.signals import signal_name
from roost.executors.worker.messages import ENCODER, FROM_CHILD, FromChild, ToChild
from roost.model.limits import KIB
from roost.wire.frames import READ_BYTES, FrameReader, frame


class Ending(msgspec.Struct, frozen=True):
    """How a process ended."""

    exit_code: int | None
    signal: int | None
    peak_memory_bytes: int | None

    def __str__(self) -> str:
        if self.signal is not None:
            return f"was killed by {signal_name(self.signal)}"
        return f"exited with code {self.exit_code}"


class Child:
    """Start ``python -m module arguments`` and talk to it. Reports go to the two functions, in the loop."""

    def __init__(
        self,
        module: str,
        arguments: Sequence[str],
        home: Path,
        mark: str,
        on_messages: Callable[[list[FromChild]], None],
        on_end: Callable[[Ending], None],
        *,
        lent: Sequence[int] = (),
        output: tuple[int, int] | None = None,
    ) -> None:
        """``home`` is the node's; ``lent`` are descriptors that the child gets under the same numbers.

        ``output`` is its standard output and its standard error.
        """
        self._loop = asyncio.get_running_loop()
        self._on_messages = on_messages
        self._on_end = on_end
        self._frames = FrameReader()
        self._unsent = bytearray()
        #: Whether something was sent in this turn of the loop: what follows in it goes out together.
        self._gathers = False
        #: Whether its channel took less than was to be sent.
        self._is_full = False
        self._ended = False
        ours, theirs = socket.socketpair()
        try:
            environment = process_env(home, os.environ) | {MARK_VARIABLE: mark}
            words = [module, str(theirs.fileno()), *arguments]
            self.pid: Final = _spawn(words, environment, [theirs.fileno(), *lent], output)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._socket = ours
        ours.setblocking(False)
        self._pidfd = os.pidfd_open(self.pid)
        self._loop.add_reader(ours, self._receive)
        self._loop.add_reader(self._pidfd, self._reap)

    def send(self, *messages: ToChild) -> None:
        """Send now, or as soon as the child takes it. What is sent to a child that has ended is lost.

        The first message of a turn of the loop goes out at once, so that a child that waits begins; many that follow it
        cost one call of the system.
        """
        if self._ended:
            return
        self._unsent += frame(ENCODER.encode(messages))
        if not self._gathers:
            self._gathers = True
            self._loop.call_soon(self._gathered)
            self._flush()

    def _gathered(self) -> None:
        self._gathers = False
        if self._unsent and not self._ended:
            self._flush()

    def _flush(self) -> None:
        """Send what is left of it when the child can take more."""
        del self._unsent[: self._write(self._unsent)]
        if bool(self._unsent) is not self._is_full:
            self._is_full = not self._is_full
            if self._is_full:
                self._loop.add_writer(self._socket, self._flush)
            else:
                self._loop.remove_writer(self._socket)

    def _write(self, data: bytearray) -> int:
        """Return how much went out; all of it if nobody is there any more, which the reader will notice."""
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)

    def _receive(self) -> None:
        if not self._take_once():
            # It is dying or has lost its way; either way its end is reported by the kernel.
            self._loop.remove_reader(self._socket)
            self.signal(signal.SIGKILL)

    def _take_once(self) -> bool:
        """Read what one call gives; return False at the end of the stream."""
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return True
        except ConnectionResetError:
            return False
        for message in self._frames.feed(data):
            self._on_messages(FROM_CHILD.decode(message))
        return bool(data)

    def _reap(self) -> None:
        # While it is not reaped, its pid and thus its group cannot be another's.
        self.signal(signal.SIGKILL)
        _, status, usage = os.wait4(self.pid, 0)
        self._drain()
        self._release()
        code = os.waitstatus_to_exitcode(status)
        peak_kib = PeakMemory().of_child(usage.ru_maxrss)
        peak_bytes = None if peak_kib is None else peak_kib * KIB
        self._on_end(Ending(code if code >= 0 else None, -code if code < 0 else None, peak_bytes))

    def _drain(self) -> None:
        """Take what it said last: all of it is in the channel now."""
        with suppress(BlockingIOError, ConnectionResetError):
            while data := self._socket.recv(READ_BYTES):
                for message in self._frames.feed(data):
                    self._on_messages(FROM_CHILD.decode(message))

    def _release(self) -> None:
        self._ended = True
        self._loop.remove_reader(self._pidfd)
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        os.close(self._pidfd)
        self._socket.close()

    def signal(self, number: int) -> None:
        """Signal the process and all of its offspring that has not left its group."""
        if not self._ended:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def hang_up(self) -> None:
        """End the channel; the child ends itself and all it runs."""
        if not self._ended:
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket.shutdown(socket.SHUT_RDWR)


def _spawn(words: list[str], environment: dict[str, str], lent: Sequence[int], output: tuple[int, int] | None) -> int:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        # Duplicating a descriptor onto itself is how posix_spawn is told to leave it open in the child.
        actions = [(os.POSIX_SPAWN_DUP2, descriptor, descriptor) for descriptor in lent]
        actions.append((os.POSIX_SPAWN_DUP2, null, 0))
        if output is not None:
            actions += [(os.POSIX_SPAWN_DUP2, descriptor, number) for number, descriptor in enumerate(output, 1)]
        return os.posix_spawn(
            sys.executable,
            # -P: what lies in the node's current folder must not pass for a module.
            [sys.executable, "-P", "-m", *words],
            environment,
            file_actions=actions,
            setsid=True,
            setsigdef=[signal.SIGPIPE, signal.SIGINT],
        )
    finally:
        os.close(null)
