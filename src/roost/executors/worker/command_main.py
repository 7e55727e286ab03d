"""``python -m roost.executors.worker.command_main CHANNEL FRONTS LOGS BLOBS SCRATCH OUTPUT NICE``: the launcher."""

import gc
import os
import socket
import sys
from pathlib import Path

from roost.executors.orphans import MARK_VARIABLE
from roost.executors.places import Places
from roost.executors.worker.fronts import Fronts
from roost.executors.worker.launcher import Launcher
from roost.executors.worker.stored import keep_values_in


def main() -> None:
    channel, shared = map(int, sys.argv[1:3])
    logs, blobs, scratch, output, niceness = sys.argv[3:]
    fronts = Fronts(shared)
    os.set_inheritable(channel, False)
    os.close(shared)
    os.nice(int(niceness))
    # What is loaded by now stays; nothing is gained by looking through it again and again.
    gc.freeze()
    places = Places(Path(logs), Path(blobs), Path(scratch), int(output))
    keep_values_in(places)
    Launcher(socket.socket(fileno=channel), places, os.environ[MARK_VARIABLE], fronts).run()


if __name__ == "__main__":
    main()
