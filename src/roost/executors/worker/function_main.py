"""``python -m roost.executors.worker.function_main CHANNEL PAGE LIFELINE LOGS NICE``: a worker that calls functions."""

import faulthandler
import mmap
import os
import socket
import sys
from functools import partial
from pathlib import Path

from roost.executors.places import Places
from roost.executors.worker import page, progress
from roost.executors.worker.caller import Caller
from roost.executors.worker.lifeline import die_with
from roost.executors.worker.loading import Functions
from roost.executors.worker.mailbox import Mailbox
from roost.executors.worker.messages import Ready
from roost.executors.worker.output import RAW, ElementLogs, redirect


def main() -> None:
    channel, shared, lifeline = map(int, sys.argv[1:4])
    logs_folder, niceness = sys.argv[4:]
    for descriptor in (channel, shared, lifeline):
        os.set_inheritable(descriptor, False)
    die_with(lifeline)
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


if __name__ == "__main__":
    main()
