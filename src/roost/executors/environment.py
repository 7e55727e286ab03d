"""What the processes that work for a node find in their environment: nothing of whoever started the node.

Programs get what their submitter sent along, over what every account has (as with cron). The processes of the node
itself, in which functions run, also get what their interpreter needs to start.
"""

import os
import pwd
from collections.abc import Mapping
from pathlib import Path
from typing import Final

#: Where programs are looked for if the submitter does not say.
SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
#: What decides how this Python starts, and what it can import.
_INTERPRETER_NAMES: Final = ("LD_LIBRARY_PATH",)
_INTERPRETER_PREFIX: Final = "PYTHON"


def account_env(home: Path) -> dict[str, str]:
    """Return what is so for everybody who works here; ``home`` is the node's, so that 'roost' inside work finds it."""
    account = os.getuid()
    try:
        entry = pwd.getpwuid(account)
        user, folder = entry.pw_name, entry.pw_dir
    except KeyError:
        # An account without an entry, as containers have.
        user, folder = str(account), "/"
    return {
        "PATH": SYSTEM_PATH,
        "HOME": folder,
        "USER": user,
        "LOGNAME": user,
        "LANG": "C.UTF-8",
        "ROOST_HOME": str(home),
    }


def process_env(home: Path, own: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a process of the node's, whose own environment is ``own``."""
    interpreter = {
        name: value for name, value in own.items() if name.startswith(_INTERPRETER_PREFIX) or name in _INTERPRETER_NAMES
    }
    return account_env(home) | interpreter


def home_here(wanted: bytes, own: bytes) -> bytes:
    """Return the submitter's home if it is a folder on this machine, else that of the node's account."""
    return wanted if os.path.isdir(wanted) else own  # noqa: PTH112 -- bytes, as the program is given them
