"""``python -m roost.executors.worker.script_main CHANNEL PAGE LIFELINE LOGS NICE``: a worker that runs scripts."""

import faulthandler
import mmap
import os
import socket
import sys
from pathlib import Path

from roost.executors.places import Places
from roost.executors.worker import page
from roost.executors.worker.lifeline import die_with
from roost.executors.worker.mailbox import Mailbox
from roost.executors.worker.messages import Ready
from roost.executors.worker.output import RAW, ElementLogs, redirect
from roost.executors.worker.script_caller import ScriptCaller
from roost.executors.worker.script_engine import run_in_thread


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
    mailbox = Mailbox(socket.socket(fileno=channel))
    mailbox.send(Ready())
    mailbox.start()
    run_in_thread(ScriptCaller(mailbox, mmap.mmap(shared, page.SIZE), logs).run).join()


if __name__ == "__main__":
    main()
