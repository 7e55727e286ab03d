"""Programs that end with whoever started them, whatever becomes of that, and that leave no process behind.

A shell stands between: it waits for the end of its input, which only we hold open, and then ends the group of processes
that the program and all its children are in. The same happens when the program ends by itself.
"""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

_SHELL: Final = '{ "$@" </dev/null; kill -9 0; } & cat >/dev/null; kill -9 0'
_END_S: Final = 30.0


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program without input and output for as long as the context is open."""
    with subprocess.Popen(
        ["/bin/sh", "-c", _SHELL, "sh", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(environment),
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(_END_S)
