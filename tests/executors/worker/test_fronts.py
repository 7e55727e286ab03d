"""What a launcher notes for the case of its death."""

import mmap
import os
from pathlib import Path

from roost.executors.worker import notes
from roost.executors.worker.fronts import LANES_MAX, Fronts


def ran(shared: mmap.mmap) -> list[tuple[int, int]]:
    return [(note.lease, note.index) for note in notes.running(shared)]


def test_what_each_lane_runs_can_be_read_from_outside() -> None:
    descriptor, shared = notes.make(Path("/nowhere/notes"), LANES_MAX)
    fronts = Fronts(descriptor)
    os.close(descriptor)
    assert ran(shared) == []
    fronts.begin(3, 11, 0, "7-kedova/work")
    fronts.begin(9, 12, 5, "7-kedova/work")
    assert sorted(ran(shared)) == [(11, 0), (12, 5)]
    fronts.begin(3, 11, 1, "7-kedova/work")
    fronts.end(9)
    assert ran(shared) == [(11, 1)]
    fronts.end(3)
    fronts.end(3)
    assert ran(shared) == []


def test_more_lanes_than_there_is_room_for_are_not_noted_and_do_no_harm() -> None:
    descriptor, shared = notes.make(Path("/nowhere/notes"), LANES_MAX)
    fronts = Fronts(descriptor)
    os.close(descriptor)
    for lane in range(2000):
        fronts.begin(lane, lane + 1, 0, "7-kedova/work")
    assert len(ran(shared)) == LANES_MAX
    for lane in range(2000):
        fronts.end(lane)
    assert ran(shared) == []
    fronts.begin(1999, 1, 2, "7-kedova/work")
    assert ran(shared) == [(1, 2)]
