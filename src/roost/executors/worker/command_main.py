"""``python -m roost.executors.worker.command_main CHANNEL LOGS BLOBS SCRATCH OUTPUT NICE``: the launcher of a node."""

import gc
import os
import socket
import sys
from pathlib import Path

from roost.executors.orphans import MARK_VARIABLE
from roost.executors.places import Places
from roost.executors.worker.launcher import Launcher
from roost.executors.worker.stored import keep_values_in


def main() -> None:
    descriptor, logs, blobs, scratch, output, niceness = sys.argv[1:]
    os.set_inheritable(int(descriptor), False)
    os.nice(int(niceness))
    # What is loaded by now stays; nothing is gained by looking through it again and again.
    gc.freeze()
    places = Places(Path(logs), Path(blobs), Path(scratch), int(output))
    keep_values_in(places)
    Launcher(socket.socket(fileno=int(descriptor)), places, os.environ[MARK_VARIABLE]).run()


if __name__ == "__main__":
    main()
