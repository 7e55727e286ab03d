"""What a worker process of any kind does first."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from roost.executors.worker import notes

HELPER = """
import os, sys
from roost.executors.worker.beginning import begin
lent = begin(sys.argv[1:])
lent.logs.lease, lent.logs.task, lent.logs.index = 1, "1-bababa/a", 3
print("said", flush=True)
os.write(lent.channel.fileno(), f"{os.nice(0)} {len(lent.page)} {os.get_inheritable(lent.channel.fileno())}".encode())
"""


def test_it_is_polite_and_hands_nothing_on_to_what_it_starts(tmp_path: Path) -> None:
    """The descriptors that a node lends are not for the programs of its elements."""
    ours, theirs = socket.socketpair()
    lifeline, other_end = os.pipe()
    shared, mapped = notes.make(Path("/nowhere/notes"))
    lent = [theirs.fileno(), shared, lifeline]
    command = [sys.executable, "-c", HELPER, *map(str, lent), str(tmp_path), str(tmp_path), "1000", "3"]
    before = os.nice(0)
    ended = subprocess.run(command, pass_fds=lent, start_new_session=True, check=False, timeout=60, cwd=tmp_path)
    assert (ended.returncode, ours.recv(100).decode()) == (0, f"{before + 3} {notes.NOTE_BYTES} False")
    for descriptor in (lifeline, other_end, shared):
        os.close(descriptor)
    ours.close()
    theirs.close()
    mapped.close()
