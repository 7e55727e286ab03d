"""What a launcher notes for the case of its death."""

import os

from roost.executors.worker.fronts import Fronts, make, read


def test_what_each_lane_runs_can_be_read_from_outside() -> None:
    descriptor, shared = make()
    fronts = Fronts(descriptor)
    os.close(descriptor)
    assert read(shared) == []
    fronts.begin(3, 11, 0, "7-kedova/work")
    fronts.begin(9, 12, 5, "7-kedova/work")
    assert sorted(read(shared)) == [(11, 0), (12, 5)]
    fronts.begin(3, 11, 1, "7-kedova/work")
    fronts.end(9)
    assert read(shared) == [(11, 1)]
    fronts.end(3)
    fronts.end(3)
    assert read(shared) == []


def test_more_lanes_than_there_is_room_for_are_not_noted_and_do_no_harm() -> None:
    descriptor, shared = make()
    fronts = Fronts(descriptor)
    os.close(descriptor)
    for lane in range(2000):
        fronts.begin(lane, lane + 1, 0, "7-kedova/work")
    assert len(read(shared)) == 1024
    for lane in range(2000):
        fronts.end(lane)
    assert read(shared) == []
    fronts.begin(1999, 1, 2, "7-kedova/work")
    assert read(shared) == [(1, 2)]
