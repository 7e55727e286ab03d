"""Who submits, and from where: what a run remembers of its origin."""

import getpass
import os
import socket
from functools import cache


@cache
def owner() -> str:
    """Return the name of the person this node works for; a number where the account has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


@cache
def host() -> str:
    return socket.gethostname()
