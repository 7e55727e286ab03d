"""``python -m roost.executors.worker.script_main CHANNEL PAGE LIFELINE LOGS NICE``: a worker that runs scripts."""

import faulthandler
import mmap
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Final

from roost.executors.places import Places
from roost.executors.worker import page
from roost.executors.worker.lifeline import die_with
from roost.executors.worker.mailbox import Mailbox
from roost.executors.worker.messages import Ready
from roost.executors.worker.output import RAW, ElementLogs, redirect
from roost.executors.worker.script_caller import ScriptCaller
from roost.model.limits import MIB, SCRIPT_STACK_BYTES

#: For what is called when a script has used up its own part. Pages that are never touched cost nothing.
_STACK_TO_SPARE: Final = 16 * MIB


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
    caller = ScriptCaller(mailbox, mmap.mmap(shared, page.SIZE), logs)
    # The stack of a process's first thread is what the system makes it, mostly 8 MiB: too little for 10,000 calls.
    threading.stack_size(SCRIPT_STACK_BYTES + _STACK_TO_SPARE)
    thread = threading.Thread(target=caller.run, name="scripts")
    thread.start()
    thread.join()


if __name__ == "__main__":
    main()
