"""Who may speak to the port without a login: the owner, from this machine.

LAN assumes an honest network and has no login. Roost does not: whoever comes from elsewhere must show the token, and so
must other people on this machine, since 127.0.0.1 is theirs as well. The owner's own telnet need not: the kernel
knows which user the other end of a local connection belongs to. Where it does not say, the answer is no.
"""

import hmac
import ipaddress
import os
import re
import secrets
import socket
import struct
from pathlib import Path
from typing import Final

from roost.model.errors import InvalidInput

LOGIN_FILE: Final = "lan-token"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_TABLES: Final = {socket.AF_INET: Path("/proc/net/tcp"), socket.AF_INET6: Path("/proc/net/tcp6")}

Address = tuple[str, int]


def is_owner(peer: Address, here: Address) -> bool:
    """Tell whether the other end of a connection is a socket of this very user on this machine."""
    host = ipaddress.ip_address(peer[0])
    if not host.is_loopback:
        return False
    family = socket.AF_INET if host.version == 4 else socket.AF_INET6
    try:
        return _user_of(_TABLES[family].read_text(), _in_table(family, peer), _in_table(family, here)) == os.geteuid()
    except OSError:
        return False


def ensure_token(home: Path) -> str:
    """Return what LOGIN must show; make it first if there is none, for the owner's eyes only.

    It is not the token of the HTTP API: this one crosses the network in plain text, and opens nothing but this port.
    """
    path = home / LOGIN_FILE
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "r+", encoding="ascii", errors="replace") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                raise InvalidInput(f"others may use {path}; remove it and start the node again")
            token = file.read(1024).strip()
            if not token:
                token = secrets.token_urlsafe(32)
                file.write(f"{token}\n")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be used: {error.strerror}") from error
    if not _TOKEN.fullmatch(token):
        raise InvalidInput(f"{path} does not hold a token; remove it and start the node again")
    return token


def is_token(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def _user_of(table: str, local: str, remote: str) -> int | None:
    """Find the user of the socket from ``local`` to ``remote`` in a table of the kernel."""
    for line in table.splitlines()[1:]:
        words = line.split()
        # A socket that its process has closed is nobody's any more: it has no inode, and its user counts as root.
        if words[1] == local and words[2] == remote and words[9] != "0":
            return int(words[7])
    return None


def _in_table(family: socket.AddressFamily, address: Address) -> str:
    """Write an address as the kernel does: words of four bytes in this machine's order, then the port."""
    packed = socket.inet_pton(family, address[0])
    words = "".join(f"{word:08X}" for (word,) in struct.iter_unpack("=I", packed))
    return f"{words}:{address[1]:04X}"
