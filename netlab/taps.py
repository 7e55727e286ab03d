"""TAP devices: network interfaces of a host whose other end is a file of this process, a frame a read."""

import ctypes
import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_TUNSETIFF: Final = 0x400454CA
_IFF_TAP: Final = 0x0002
_IFF_NO_PI: Final = 0x1000
_CLONE_NEWNET: Final = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def open_tap(pid: int, name: str) -> int:
    """Make an interface in the network of a process; return the file, which does not block. The two live together."""
    with _in_network_of(pid):
        tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.ioctl(tap, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI))
        return tap


@contextmanager
def _in_network_of(pid: int) -> Iterator[None]:
    """Let this thread be in another network for a moment: what it makes there stays there."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
    try:
        _set_network(there)
        try:
            yield
        finally:
            _set_network(home)
    finally:
        os.close(home)
        os.close(there)


def _set_network(descriptor: int) -> None:
    if _libc.setns(descriptor, _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot enter a network: {os.strerror(number)}")
