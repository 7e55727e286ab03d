"""Running a program from Python at the least cost, so that every tool is measured with the same, kindest, way."""

import os

from driving import TRUE


def spawn() -> int:
    """Start /bin/true and return its process id."""
    return os.posix_spawn(TRUE, [TRUE], os.environ)


def run(_index: int = 0) -> int:
    """Run /bin/true to its end."""
    return os.waitstatus_to_exitcode(os.waitpid(spawn(), 0)[1])
