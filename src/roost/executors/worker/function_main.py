"""``python -m roost.executors.worker.function_main CHANNEL PAGE LIFELINE LOGS NICE``: a worker that calls functions."""

import faulthandler
import fcntl
import mmap
import os
import signal
import socket
import sys
from functools import partial
from pathlib import Path

from roost.executors.places import Places
from roost.executors.worker import page, progress
from roost.executors.worker.caller import Caller
from roost.executors.worker.loading import Functions
from roost.executors.worker.mailbox import Mailbox
from roost.executors.worker.messages import Ready
from roost.executors.worker.output import RAW, ElementLogs, redirect


def main() -> None:
    channel, shared, lifeline = map(int, sys.argv[1:4])
    logs_folder, niceness = sys.argv[4:]
    for descriptor in (channel, shared, lifeline):
        os.set_inheritable(descriptor, False)
    _die_with(lifeline)
    os.nice(int(niceness))
    faulthandler.enable(RAW, all_threads=False)
    logs = ElementLogs(Places(Path(logs_folder), Path(), Path()).log_path)
    redirect(logs)
    functions = Functions()
    mailbox = Mailbox(socket.socket(fileno=channel), functions)
    mailbox.send(Ready())
    os.register_at_fork(after_in_child=partial(_become_a_stranger, mailbox))
    mailbox.start()
    Caller(mailbox, functions, mmap.mmap(shared, page.SIZE), logs).run()


def _become_a_stranger(mailbox: Mailbox) -> None:
    mailbox.forsake()
    progress.listen(None)


def _die_with(lifeline: int) -> None:
    """Have the kernel kill this process's group when the node, which holds the other end of the pipe, is gone.

    The mailbox does so too, but a function that keeps Python's lock would keep it from that.
    """
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


if __name__ == "__main__":
    main()
