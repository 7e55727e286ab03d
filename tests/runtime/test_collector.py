"""The garbage collector of a node, in a process of its own: this one needs its collector as it is."""

import subprocess
import sys

PROGRAM = """
import gc
from roost.runtime.collector import YOUNG_OBJECTS, look_less_often
look_less_often()
print(gc.get_threshold()[0] == YOUNG_OBJECTS, gc.isenabled())
"""


def test_the_collector_looks_less_often_and_still_does() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["True", "True"]
