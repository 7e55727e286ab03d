"""What of the submitter's environment goes along with work, and the variables that he declares."""

import os
from collections.abc import Mapping
from typing import Final

from roost.executors.template import literal
from roost.model.errors import InvalidInput
from roost.model.stray import carried
from roost.wire.values import encode_variables

#: What it takes to find the same programs as the person who hands in the work, to speak the same language, and to
#: write the same dates.
INHERITED: Final = (
    "PATH", "HOME", "VIRTUAL_ENV", "TZ", "LANG", "LANGUAGE", "LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE",
    "LC_IDENTIFICATION", "LC_MEASUREMENT", "LC_MESSAGES", "LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER",
    "LC_TELEPHONE", "LC_TIME",
)  # fmt: skip
#: Tells a command the folder in which it was submitted.
SUBMIT_DIR: Final = "ROOST_SUBMIT_DIR"
#: Variables that nobody declares.
SENT_ALONG: Final = frozenset({*INHERITED, SUBMIT_DIR})
_FOR_NODES: Final = {*INHERITED, "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH"}
_PREFIXES_FOR_NODES: Final = ("ROOST_", "PYTHON", "XDG_")
_NAMES: Final = tuple(name.encode() for name in INHERITED)


def inherited_env() -> dict[str, str]:
    """Return the variables that go along with a command, as its texts are: braces would stand for placeholders."""
    return {name: literal(value) for name, value in carried_env().items()}


def carried_env() -> dict[str, str]:
    """Return the variables that go along with a function, which has no placeholders."""
    return {name.decode(): carried(value) for name, value in _own().items()}


def declared_variables(env: Mapping[str, str] | None) -> bytes:
    """Pack what functions find in their environment: the variables that go along, and what the client declares."""
    try:
        declared = {os.fsencode(name): os.fsencode(value) for name, value in (env or {}).items()}
    except TypeError:
        raise InvalidInput("variables in 'env' are texts, names and values; write for example {'LEVEL': '2'}") from None
    return encode_variables(_own() | declared)


def node_env() -> dict[str, str]:
    """Return what a node takes along from whoever starts it: enough to start, to find its home, and its settings.

    Whoever runs as the same user can read the environment of a process: so do the commands of others.
    """
    return {
        name: value for name, value in os.environ.items() if name in _FOR_NODES or name.startswith(_PREFIXES_FOR_NODES)
    }


def _own() -> dict[bytes, bytes]:
    return {name: os.environb[name] for name in _NAMES if name in os.environb}
