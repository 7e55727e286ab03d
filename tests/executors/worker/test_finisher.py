"""Long chores in a thread."""

import os
import select
import subprocess
import sys
from functools import partial

from roost.executors.worker.finisher import Finisher


def test_conclusions_wait_until_they_are_asked_for() -> None:
    finisher = Finisher()
    concluded: list[int] = []
    for number in range(3):
        finisher.add(partial(partial, concluded.append, number))
    while len(concluded) < 3:
        assert select.select([finisher.descriptor], [], [], 10)[0]
        finisher.conclude()
    assert concluded == [0, 1, 2]
    os.close(finisher.descriptor)


def test_a_chore_that_breaks_ends_the_process() -> None:
    use = "from roost.executors.worker.finisher import Finisher; Finisher().add(lambda: 1 / 0)"
    program = f"import time; {use}; time.sleep(60)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=False)
    assert ended.returncode == 1
    assert b"ZeroDivisionError" in ended.stderr
