"""The garbage collector of a node. Each case is a process of its own: this one needs its collector as it is."""

import subprocess
import sys

BEGIN = "import gc; from roost.runtime.collector import YOUNG_OBJECTS, look_less_often, spare_what_is_loaded; "


def told_by(program: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_what_was_loaded_is_spared_and_the_rest_is_looked_at_less_often() -> None:
    look = "print(gc.get_freeze_count() > 1000, gc.get_threshold()[0] == YOUNG_OBJECTS)"
    assert told_by(f"{BEGIN} spare_what_is_loaded(); {look}") == ["True", "True"]


def test_while_modules_are_loaded_the_collector_looks_less_often_and_spares_none() -> None:
    look = "print(gc.get_freeze_count(), gc.get_threshold()[0] == YOUNG_OBJECTS, gc.isenabled())"
    assert told_by(f"{BEGIN} look_less_often(); {look}") == ["0", "True", "True"]
