"""A process that dies with whoever holds the other end of its pipe."""

import os
import subprocess
import sys

PROGRAM = """
import sys, time
from roost.executors.worker.lifeline import die_with
die_with(int(sys.argv[1]))
print("ready", flush=True)
sum(range(10**13))
"""


def test_it_is_killed_when_the_other_end_is_closed_whatever_it_does() -> None:
    theirs, ours = os.pipe()
    command = [sys.executable, "-c", PROGRAM, str(theirs)]
    with subprocess.Popen(command, pass_fds=[theirs], start_new_session=True, stdout=subprocess.PIPE) as process:
        os.close(theirs)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert process.poll() is None
        os.close(ours)
        assert process.wait(30) == -9
