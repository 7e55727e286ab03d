"""What htc-2.5 runs."""

import msgspec
import pytest

from roost.lab.experiments.htc_2_5 import EXPERIMENT
from roost.lab.store_queue.settings import CLUSTER, SLOWER, Parameters, Settings

SETTINGS = Settings(EXPERIMENT.quick, 1)


def test_each_setting_is_there_once() -> None:
    every = list(SETTINGS.every())
    assert len(every) == len(set(every))


def test_readings_differ_from_the_plain_setting_in_one_thing() -> None:
    plain = SETTINGS.one(CLUSTER, 1.0)
    assert msgspec.structs.replace(SETTINGS.literal(1.0), means=plain.means) == plain
    assert msgspec.structs.replace(SETTINGS.other_lengths(CLUSTER, 1.0), lengths=plain.lengths) == plain
    assert msgspec.structs.replace(SETTINGS.quorum(1.0), store=plain.store) == plain
    assert msgspec.structs.replace(SETTINGS.by_the_clock(1.0), queue=plain.queue) == plain
    slow = SETTINGS.slower(1.0, 150.0)
    assert slow.queue.poll_s == SLOWER * plain.queue.poll_s
    assert slow.store.operation_s == SLOWER * plain.store.operation_s


def test_parameters_that_make_no_sense_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"runs": 0, "size_runs": 1, "loads": (1.0,), "longest_s": (2.0,)}, Parameters)
